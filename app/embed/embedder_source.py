"""Source of an embedder: everything needed to open the same one again, without secrets."""

from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Self
from urllib.parse import SplitResult, urlsplit

import msgspec

from app.config.model import LANGUAGE_MODEL, SERVICES
from app.core.network.network_log import LOCAL
from app.errors import InputError
from app.sentence import Sentence

REMOTE: Final = frozenset(SERVICES)


@dataclass(frozen=True, slots=True)
class EmbedderSource:
    """Source of an embedder.

    Args:
        model: Its name as in ``embedding.model``.
        folder: The folder with its files; empty for the default one.
        base_url: The address of an ``openai-compatible`` service.
        api_key_env: The environment variable with a remote service's key; empty for the keyring, or the usual one.
        dimensions: The vector length to request from a remote model; 0 for its default.
    """

    model: str
    folder: str = ""
    base_url: str = ""
    api_key_env: str = ""
    dimensions: int = 0

    @property
    def provider(self) -> str:
        """Return the family of the model, such as ``static`` or ``openai``."""
        return self.model.partition(":")[0]

    @property
    def section(self) -> str:
        """Return the section of the settings that names the service."""
        return "embedding"

    @property
    def service(self) -> str:
        """Return the name of the service where its key is concerned."""
        return self.provider

    @property
    def is_remote(self) -> bool:
        """Return whether texts leave this machine."""
        return self.provider in REMOTE

    @property
    def is_nearby(self) -> bool:
        """Return whether an ``openai-compatible`` service runs on this machine and may need no key.

        Raises:
            InputError: ``base_url`` is not an address.
        """
        return bool(self.base_url) and (self.address().hostname or "") in LOCAL

    def address(self) -> SplitResult:
        """Return the parts of ``base_url``.

        Raises:
            InputError: ``base_url`` is not an address; the message does not repeat it, as it may hold a secret.
        """
        try:
            parts = urlsplit(self.base_url)
            is_one = bool(parts.hostname) and parts.scheme in {"http", "https"} and parts.port != 0
        except ValueError:
            is_one = False
        if not is_one:
            raise InputError(
                Sentence(
                    "{section}.base_url is not an address; one looks like https://example.org/v1.", section=self.section
                )
            )
        return parts

    def with_key_of(self, other: Self) -> Self:
        """Return this source with the key of ``other`` if both are the same service.

        Vectors do not depend on keys.
        """
        if (self.provider, self.base_url) != (other.provider, other.base_url):
            return self
        return replace(self, api_key_env=other.api_key_env)

    def text(self) -> str:
        """Return this source as JSON."""
        return msgspec.json.encode(asdict(self)).decode()

    @classmethod
    def read(cls, text: str) -> Self | None:
        """Return the source that ``text`` encodes, ``None`` if it is empty or invalid."""
        try:
            value: Any = msgspec.json.decode(text, type=cls)
        except (msgspec.DecodeError, msgspec.ValidationError):
            return None
        return value if isinstance(value, cls) else None


@dataclass(frozen=True, slots=True)
class ChatServiceSource(EmbedderSource):
    """Source of the language model's key: the service that ``llm.base_url`` names.

    An embedding service at the same address has the same key.
    """

    @property
    def section(self) -> str:
        """Return the section of the settings that names the service."""
        return "llm"

    @property
    def service(self) -> str:
        """Return the name of the service where its key is concerned."""
        return LANGUAGE_MODEL
