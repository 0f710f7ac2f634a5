"""Tokens of agents: made at random, stored as hashes."""

import hashlib
import secrets

PREFIX = "kst_"  # so that scanners for leaked secrets can recognise one
_BYTES = 32


def new_token() -> str:
    """Return a token with 256 random bits."""
    return PREFIX + secrets.token_urlsafe(_BYTES)


def token_hash(token: str) -> str:
    """Return the hash under which a token is stored.

    A plain hash is enough: a token has as many random bits as the hash, so that nobody can guess one.
    """
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
