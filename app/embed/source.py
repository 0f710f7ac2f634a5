"""What an embedder is opened from: enough to open the same one again, and no secret."""

from dataclasses import asdict, dataclass
from typing import Any, Final, Self

import msgspec

REMOTE: Final = frozenset({"openai", "voyage", "cohere", "openai-compatible"})


@dataclass(frozen=True, slots=True)
class Source:
    """Where an embedder comes from.

    Args:
        model: Its name as in ``embedding.model``.
        folder: The folder with its files; empty for its own place.
        base_url: The address of an ``openai-compatible`` service.
        api_key_env: The environment variable with a remote service's key; empty for the usual one.
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
