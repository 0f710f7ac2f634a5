"""Late interaction of a question's tokens with those of texts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class LateInteraction:
    """Reranking by the best match of each token of a question.

    The scores are ColBERT's (Khattab and Zaharia 2020). It is called like fastembed's cross-encoders.

    Args:
        model: fastembed's model, which returns a vector for each token.
    """

    def __init__(self, model: Any) -> None:
        self.model = model
        self._question = ""
        self._tokens: NDArray[np.float32] | None = None

    def rerank(self, question: str, texts: Sequence[str], batch_size: int) -> list[float]:
        """Return for each text the sum of the best matches of the question's tokens.

        The vectors of the last question are kept, since its texts come in several batches.
        """
        if self._tokens is None or self._question != question:
            self._question, self._tokens = question, np.asarray(next(iter(self.model.query_embed(question))))
        vectors = self.model.embed(list(texts), batch_size=batch_size)
        # A text of punctuation alone has no vector.
        return [float((self._tokens @ text.T).max(axis=1).sum()) if len(text) else 0.0 for text in vectors]
