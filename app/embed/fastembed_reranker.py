"""Cross-encoders run by fastembed and onnxruntime.

Slower than vectors, but better at ranking a few texts.
"""

import math
from collections.abc import Sequence
from threading import Lock

from app.core.text import storable
from app.embed.batching import batches
from app.embed.reranking_model import MAX_CHARACTERS, RerankingModel
from app.sentence import Sentence


class FastembedReranker:
    """Reranker that runs a cross-encoder, opened at the first question.

    Args:
        model: The model that the settings name.
    """

    def __init__(self, model: RerankingModel) -> None:
        self._model = model
        self._lock = Lock()

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return one number per text; see :class:`app.embed.reranker.Reranker`."""
        clean_question = storable(question[:MAX_CHARACTERS])[0]
        clean = [storable(text[:MAX_CHARACTERS])[0] for text in texts]
        values = [0.0] * len(texts)
        with self._lock:
            for batch in batches([f"{clean_question} {text}" for text in clean], range(len(clean))):
                scores = self._score(clean_question, [clean[place] for place in batch])
                for place, score in zip(batch, scores, strict=True):
                    values[place] = score
        return values

    def _score(self, question: str, texts: Sequence[str]) -> list[float]:
        model, name = self._model.opened(), self._model.name
        try:
            scores = [float(score) for score in model.rerank(question, texts, batch_size=len(texts))]
        except Exception as error:
            # The errors of onnxruntime and of tokenizers share no other base class.
            raise self._model.failure(Sentence("The reranking model {name} failed", name=name)) from error
        if len(scores) != len(texts) or not all(map(math.isfinite, scores)):
            raise self._model.failure(
                Sentence("The reranking model {name} returned something other than a list of numbers", name=name)
            )
        return scores

    def close(self) -> None:
        """Free the model."""
        self._model.close()
