"""Late interaction model run by fastembed: a vector for each token of a text."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from app.core.text import storable
from app.embed.batching import batches
from app.embed.fastembed_model import version_of
from app.embed.model import EmbeddingIdentity, TextInContext
from app.embed.reranking_model import MAX_CHARACTERS, RerankingModel
from app.sentence import Sentence

if TYPE_CHECKING:
    from app.embed.model import Vectors

_SHORTEST = 1e-12


class LateInteractionModel:
    """Late interaction model, opened when it is first used; safe to use from several threads.

    Args:
        model: The model that the settings name.
    """

    def __init__(self, model: RerankingModel) -> None:
        self.model = model
        self._identity: EmbeddingIdentity | None = None

    def identity(self) -> EmbeddingIdentity:
        """Return the identity of the model, which is opened for it; see ``RerankingModel.opened``."""
        if self._identity is None:
            opened = self.model.opened().model
            version = version_of([Path(opened._model_dir) / opened.model_description.model_file])
            dimensions = self.embed_query("a").shape[1]
            self._identity = EmbeddingIdentity("fastembed", self.model.name.lower(), dimensions, version)
        return self._identity

    def embed(self, texts: Sequence[TextInContext]) -> "list[Vectors]":
        """Return the token vectors of each text, as rows of length one.

        A text without letters has none.

        Raises:
            ModelUnavailableError: The model is missing or damaged, was closed, or failed.
        """
        whole = [storable("\n".join(filter(None, (text.before, text.text)))[:MAX_CHARACTERS])[0] for text in texts]
        vectors: dict[int, Vectors] = {}
        for batch in batches(whole, range(len(whole))):
            rows = self._made("embed", [whole[place] for place in batch], batch_size=len(batch))
            vectors |= dict(zip(batch, rows, strict=True))
        return [_own_rows(vectors[place], text.text, whole[place]) for place, text in enumerate(texts)]

    def embed_query(self, question: str) -> "Vectors":
        """Return the token vectors of a question; see ``embed`` for what can go wrong."""
        clean = storable(question[:MAX_CHARACTERS])[0]
        return self._made("query_embed", clean)[0]

    def close(self) -> None:
        """Free the model; a batch under way is still finished."""
        self.model.close()

    def _made(self, method: str, texts: str | list[str], **options: int) -> "list[Vectors]":
        opened: Any = self.model.opened()
        try:
            vectors = [_unit_rows(np.asarray(rows)) for rows in getattr(opened, method)(texts, **options)]
        except Exception as error:
            # The errors of onnxruntime and of tokenizers share no other base class.
            raise self.model.failure(Sentence("The reranking model {name} failed", name=self.model.name)) from error
        if not all(np.isfinite(rows).all() for rows in vectors):
            raise self.model.failure(
                Sentence("The reranking model {name} returned something other than vectors", name=self.model.name)
            )
        return vectors


def _unit_rows(rows: "Vectors") -> "Vectors":
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.maximum(lengths, _SHORTEST), dtype=np.float32)


def _own_rows(rows: "Vectors", text: str, whole: str) -> "Vectors":
    """Return the last rows, as large a share of them as ``text`` is of ``whole``.

    Which token is whose only the tokenizer of each model could say.
    """
    count = math.ceil(len(rows) * min(len(text) / max(len(whole), 1), 1))
    return rows[len(rows) - count :]
