"""Primitives of cryptography that sealing is built from.

AES-256-GCM with random nonces encrypts keys and short texts, Ed25519 signs, X25519 with HKDF-SHA-256 encrypts to one
recipient. Each use names its purpose, which no two uses share, so that nothing made for one counts for another.
"""

import secrets
from typing import Final

from app.encryption.data_key import expand

KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64
_NONCE_BYTES: Final = 12
_PREFIX: Final = b"keepsake sync "


class NotOpenedError(Exception):
    """Something was sealed under another key or for another purpose, or was changed."""


def random_key() -> bytes:
    """Return a fresh key of 256 random bits."""
    return secrets.token_bytes(KEY_BYTES)


def derived(secret: bytes, purpose: str, length: int = KEY_BYTES) -> bytes:
    """Derive a key for one purpose from a random secret."""
    return expand(secret, _PREFIX + purpose.encode(), length)


def encrypt(key: bytes, plain: bytes, bound_to: bytes) -> bytes:
    """Encrypt under a key; what it is bound to must be given again to decrypt."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415  (only who shares needs it)

    nonce = secrets.token_bytes(_NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, plain, bound_to)


def decrypt(key: bytes, sealed: bytes, bound_to: bytes) -> bytes:
    """Decrypt what ``encrypt`` returned.

    Raises:
        NotOpenedError: It is of another key, bound to something else, or was changed.
    """
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415

    try:
        return AESGCM(key).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], bound_to)
    except (InvalidTag, ValueError):
        raise NotOpenedError from None


def public_signing_key(private: bytes) -> bytes:
    """Return the public half of an Ed25519 key."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415

    return Ed25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def sign(private: bytes, purpose: str, data: bytes) -> bytes:
    """Sign data for one purpose with an Ed25519 key."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415

    return Ed25519PrivateKey.from_private_bytes(private).sign(_signed(purpose, data))


def is_signed(public: bytes, purpose: str, data: bytes, signature: bytes) -> bool:
    """Return whether a signature is that of a key over data, for one purpose."""
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415

    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, _signed(purpose, data))
    except (InvalidSignature, ValueError):
        return False
    return True


def public_receiving_key(private: bytes) -> bytes:
    """Return the public half of an X25519 key."""
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey  # noqa: PLC0415

    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def encrypt_to(recipient: bytes, purpose: str, plain: bytes, bound_to: bytes) -> bytes:
    """Encrypt to the owner of a public X25519 key.

    Raises:
        NotOpenedError: It is no public key.
    """
    sender = random_key()
    public = public_receiving_key(sender)
    return public + encrypt(_agreed(sender, recipient, purpose, public + recipient), plain, bound_to)


def decrypt_as(private: bytes, purpose: str, sealed: bytes, bound_to: bytes) -> bytes:
    """Decrypt what ``encrypt_to`` returned for the owner of an X25519 key.

    Raises:
        NotOpenedError: It is for another owner, bound to something else, or was changed.
    """
    sender, rest = sealed[:KEY_BYTES], sealed[KEY_BYTES:]
    return decrypt(_agreed(private, sender, purpose, sender + public_receiving_key(private)), rest, bound_to)


def _signed(purpose: str, data: bytes) -> bytes:
    return _PREFIX + purpose.encode() + b"\0" + data


def _agreed(private: bytes, public: bytes, purpose: str, transcript: bytes) -> bytes:
    from cryptography.hazmat.primitives.asymmetric.x25519 import (  # noqa: PLC0415
        X25519PrivateKey,
        X25519PublicKey,
    )
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF  # noqa: PLC0415

    try:
        shared = X25519PrivateKey.from_private_bytes(private).exchange(X25519PublicKey.from_public_bytes(public))
    except ValueError:  # a key that was chosen so that everybody would know what is agreed on
        raise NotOpenedError from None
    return HKDF(SHA256(), KEY_BYTES, salt=None, info=_PREFIX + purpose.encode() + transcript).derive(shared)
