"""Address of a place with its login, sealed under the secret of an invitation.

It may go by mail, by a stick or through the place itself: without the twelve words it tells nothing, and they are not
in it.
"""

import base64
from typing import Final

from app.errors import InputError
from app.sync.sealing import primitives
from app.sync.sealing.primitives import NotOpenedError

PREFIX: Final = "keepsake-invitation-1:"
_PURPOSE: Final = "address of a place"


def sealed(secret: bytes, address: str) -> str:
    """Return the text of an invitation for an address."""
    data = primitives.encrypt(primitives.derived(secret, _PURPOSE), address.encode(), PREFIX.encode())
    return PREFIX + base64.urlsafe_b64encode(data).decode("ascii")


def opened(secret: bytes, text: str) -> str:
    """Return the address that an invitation holds, or a plain address unchanged.

    Raises:
        InputError: The text is damaged, or of other words.
    """
    whole = "".join(text.split())
    if not whole.startswith(PREFIX):
        return text
    try:
        data = base64.b64decode(whole.removeprefix(PREFIX), b"-_", validate=True)
        return primitives.decrypt(primitives.derived(secret, _PURPOSE), data, PREFIX.encode()).decode()
    except (NotOpenedError, ValueError):
        raise InputError(
            "This invitation belongs to other words, or is not whole. Take the words and the file of one invitation.",
            field="place",
        ) from None
