"""What an embedder is opened from: enough to open the same one again, and no secret."""

from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Self
from urllib.parse import SplitResult, urlsplit

import msgspec

from app.config.model import SERVICES
from app.errors import InputError

REMOTE: Final = frozenset(SERVICES)
LOCAL: Final = frozenset({"localhost", "127.0.0.1", "::1"})
"""This machine, as an address names it."""


@dataclass(frozen=True, slots=True)
class EmbedderSource:
    """Where an embedder comes from.

    Args:
        model: Its name as in ``embedding.model``.
        folder: The folder with its files; empty for its own place.
        base_url: The address of an ``openai-compatible`` service.
        api_key_env: The environment variable with a remote service's key; empty for the keyring, or the usual one.
        dimensions: The length a remote model is asked for; 0 for its own.
    """

    model: str
    folder: str = ""
    base_url: str = ""
    api_key_env: str = ""
    dimensions: int = 0

    @property
    def provider(self) -> str:
        """Return the family."""
        return self.model.partition(":")[0]

    @property
    def is_remote(self) -> bool:
        """Return whether texts leave this machine."""
        return self.provider in REMOTE

    @property
    def is_nearby(self) -> bool:
        """Return whether a service of the person's own runs on this machine, where one may need no key.

        Raises:
            InputError: Its address is none.
        """
        return bool(self.base_url) and (self.address().hostname or "") in LOCAL

    def address(self) -> SplitResult:
        """Return the parts of ``base_url``.

        Raises:
            InputError: It is no address, and is not repeated.
        """
        try:
            parts = urlsplit(self.base_url)
            is_one = bool(parts.hostname) and parts.scheme in {"http", "https"} and parts.port != 0
        except ValueError:
            is_one = False
        if not is_one:
            raise InputError("embedding.base_url is no address; it looks like https://example.org/v1.")
        return parts

    def with_key_of(self, other: Self) -> Self:
        """Return it with the key of ``other`` where that is the same service: its vectors do not depend on the key."""
        if (self.provider, self.base_url) != (other.provider, other.base_url):
            return self
        return replace(self, api_key_env=other.api_key_env)

    def text(self) -> str:
        """Return it as JSON."""
        return msgspec.json.encode(asdict(self)).decode()

    @classmethod
    def read(cls, text: str) -> Self | None:
        """Return what ``text`` gave, ``None`` for nothing or something else."""
        try:
            made: Any = msgspec.json.decode(text, type=cls)
        except (msgspec.DecodeError, msgspec.ValidationError):
            return None
        return made if isinstance(made, cls) else None
