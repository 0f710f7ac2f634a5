"""Protocol of a reranker.

A model that reads a question and a text together and scores the match.
"""

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """A model that scores texts against a question; safe to use from several threads."""

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return one score per text; a higher one means a better answer.

        Raises:
            ModelUnavailableError: The model is not on this machine, was closed, or failed.
        """
        ...

    def close(self) -> None:
        """Free the model; a second call does nothing."""
        ...
