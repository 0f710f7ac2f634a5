"""Reranking models run by fastembed and onnxruntime: cross-encoders and late interaction models.

Slower than vectors, but better at ranking a few texts.
"""

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from threading import Lock
from typing import Any, Final

from app.core.text import storable
from app.embed.batching import batches
from app.embed.download.fastembed_files import description, open_model
from app.embed.model import DownloadWatcher
from app.errors import InputError, ModelUnavailableError
from app.sentence import Sentence

MAX_CHARACTERS: Final = 4_096
"""Characters of a text that are passed to the tokenizer; the models themselves read less."""


class FastembedReranker:
    """Reranker that runs a model supported by fastembed, opened at the first question.

    Args:
        model: Its name in fastembed's lists of cross-encoders, such as ``Xenova/ms-marco-MiniLM-L-12-v2``, or of late
            interaction models, such as ``answerdotai/answerai-colbert-small-v1``.
        folder: A folder with the model's files.
        cache: The folder of downloaded models.
        threads: The number of threads.
        fetch: Whether the model may be downloaded if it is not on this machine.
        track_download: Returns a context manager that follows the download.
    """

    def __init__(
        self,
        model: str,
        *,
        folder: Path | None = None,
        cache: Path | None = None,
        threads: int | None = None,
        fetch: bool = False,
        track_download: Callable[[], AbstractContextManager[DownloadWatcher | None]] = nullcontext,
    ) -> None:
        self._name = model
        self._folder = folder
        self._cache = cache
        self._threads = threads
        self._fetch = fetch
        self._watched = track_download
        self._model: Any = None
        self._refusal: Exception | None = None
        self._is_closed = False
        self._lock = Lock()

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return one number per text; see :class:`app.embed.reranker.Reranker`."""
        clean_question = storable(question[:MAX_CHARACTERS])[0]
        clean = [storable(text[:MAX_CHARACTERS])[0] for text in texts]
        made = [0.0] * len(texts)
        with self._lock:
            for batch in batches([f"{clean_question} {text}" for text in clean], range(len(clean))):
                scores = self._score(clean_question, [clean[place] for place in batch])
                for place, score in zip(batch, scores, strict=True):
                    made[place] = score
        return made

    def _score(self, question: str, texts: Sequence[str]) -> list[float]:
        model = self._open_once()
        try:
            scores = [float(score) for score in model.rerank(question, texts, batch_size=len(texts))]
        except Exception as error:
            # The errors of onnxruntime and of tokenizers share no other base class.
            raise self._failure(Sentence("The reranking model {name} failed", name=self._name)) from error
        if len(scores) != len(texts) or not all(map(math.isfinite, scores)):
            raise self._failure(
                Sentence("The reranking model {name} returned something other than a list of numbers", name=self._name)
            )
        return scores

    def close(self) -> None:
        """Free the model."""
        self._is_closed = True
        self._model = None

    def _open_once(self) -> Any:
        if self._is_closed:
            raise self._failure(Sentence("The reranking model {name} was closed", name=self._name))
        if self._refusal is not None:
            # Looking for the files again would slow down every search.
            raise self._refusal
        if self._model is None:
            try:
                self._model = self._open()
            except Exception as error:
                self._refusal = error
                raise
        return self._model

    def _open(self) -> Any:
        try:
            from fastembed import LateInteractionTextEmbedding  # noqa: PLC0415
            from fastembed.rerank.cross_encoder import TextCrossEncoder  # noqa: PLC0415
        except ImportError as error:
            raise ModelUnavailableError(
                Sentence(
                    "The reranking model {name} needs fastembed, which is not installed; results keep their original"
                    " order.",
                    name=self._name,
                )
            ) from error
        families = (TextCrossEncoder, LateInteractionTextEmbedding)
        names = {family: [entry["model"] for entry in family.list_supported_models()] for family in families}
        wanted = self._name.lower()
        family = next((one for one in families if wanted in map(str.lower, names[one])), None)
        if family is None:
            allowed = sorted(name for some in names.values() for name in some)
            choices = ", ".join(allowed)
            raise InputError(
                Sentence("fastembed cannot rerank with this model, only with {choices}.", choices=choices),
                allowed=allowed,
            )
        with self._watched() as watch:
            model = open_model(
                family,
                description(family, self._name),
                folder=self._folder,
                cache=self._cache,
                threads=self._threads,
                fetch=self._fetch,
                watch=watch,
                instead=Sentence("leave search.reranker empty"),
            )
        if family is LateInteractionTextEmbedding:
            from app.embed.late_interaction import LateInteraction  # noqa: PLC0415  (loads numpy)

            return LateInteraction(model)
        return model

    def _failure(self, problem: Sentence) -> ModelUnavailableError:
        return ModelUnavailableError(Sentence("{problem}; results keep their original order.", problem=problem))
