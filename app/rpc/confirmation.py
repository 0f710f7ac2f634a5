"""Word of the person's own programs that the person agreed to an agent's call.

An agent's connection carries it, so that the token in ``host.json`` has to stand for it: an agent's token does not.
"""

import hmac
from collections.abc import Mapping
from typing import Any, Final

import msgspec

CONFIRMED: Final = "confirmed"
"""Argument of a write, beside those of the operation; never taken from a model."""


def confirmation_of(token: str, operation: str, arguments: Mapping[str, Any]) -> str:
    """Return what confirms this very call and no other.

    Args:
        token: The owner's token of the host that is called.
        operation: Its name.
        arguments: Those that the call has, by name.
    """
    call = msgspec.json.encode((operation, arguments), order="sorted")
    return hmac.new(token.encode(), call, "sha256").hexdigest()


def is_confirmation(word: object, token: str, operation: str, arguments: Mapping[str, Any]) -> bool:
    """Return whether one of the person's own programs confirms this call."""
    if not token or not isinstance(word, str):
        return False
    return hmac.compare_digest(
        word.encode("utf-8", "surrogatepass"), confirmation_of(token, operation, arguments).encode()
    )
