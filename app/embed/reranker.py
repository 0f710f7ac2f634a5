"""What reads a question and a text together and says how well they fit."""

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """Judges texts against a question; safe to call from several threads."""

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return one number per text: the higher, the better it answers.

        Raises:
            ModelUnavailableError: The model is not here, was closed or failed.
        """
        ...

    def close(self) -> None:
        """Let go of the model; harmless when called twice."""
        ...
