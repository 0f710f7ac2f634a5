"""Sentence models run by fastembed and onnxruntime, from files on this machine."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from app.core.text import storable
from app.embed.batching import batches
from app.embed.download.fastembed_files import description, half_of_processor, open_model, weights
from app.embed.model import DownloadWatcher, EmbeddingIdentity
from app.embed.unit_vectors import unit_rows
from app.errors import ModelUnavailableError
from app.sentence import Sentence

if TYPE_CHECKING:
    from app.embed.model import Vectors

MAX_CHARACTERS = 65_536
"""Characters of a text that are passed to the tokenizer; the models themselves read less."""

_SAMPLE = 1 << 20
_PROBE = "a"
_ANOTHER = (
    "The files are not those of the model {name}, but another one's or damaged; get that model's files, or choose the"
    " embedder static."
)


class FastembedEmbedder:
    """Embedder that runs a model supported by fastembed.

    Args:
        model: Its name in fastembed's list, such as ``sentence-transformers/all-MiniLM-L6-v2``.
        folder: A folder with the model's files.
        cache: fastembed's cache, searched where no folder is given.
        threads: The number of threads; half of the processor's when ``None``, because indexing may run for hours
            while the person uses the machine.
        fetch: Whether the model may be downloaded if it is not on this machine.
        watch: Receives the download's progress, and may stop it.

    Raises:
        InputError: fastembed does not support the model.
        ModelUnavailableError: fastembed is not installed, or the model's files are not here, damaged, or another
            model's.
        CancelledByPersonError: The download was stopped.
    """

    def __init__(
        self,
        model: str,
        *,
        folder: Path | None = None,
        cache: Path | None = None,
        threads: int | None = None,
        fetch: bool = False,
        watch: DownloadWatcher | None = None,
    ) -> None:
        family = _family(model)
        described = description(family, model)
        self._model: Any = open_model(
            family,
            described,
            folder=folder,
            cache=cache,
            threads=threads or half_of_processor(),
            fetch=fetch,
            watch=watch,
        )
        self._name = described["model"]
        self._lock = Lock()
        self._probe(described["dim"])
        path = Path(folder or self._model.model._model_dir)
        version = version_of([path / file for file in weights(described)])
        self.identity = EmbeddingIdentity("fastembed", described["model"], described["dim"], version)

    def embed(self, texts: Sequence[str]) -> "Vectors":
        """Return one row per text; see :class:`app.embed.model.Embedder`."""
        clean = [storable(text[:MAX_CHARACTERS])[0] for text in texts]
        filled = [place for place, text in enumerate(clean) if text.strip()]
        out = np.zeros((len(texts), self.identity.dimensions), dtype=np.float32)
        for batch in batches(clean, filled):
            # One batch of documents at a time limits memory; a query does not wait for it.
            with self._lock:
                rows = self._made("passage_embed", [clean[place] for place in batch])
            out[batch] = rows
        return unit_rows(out)

    def embed_query(self, text: str) -> "Vectors":
        """Return the vector of a question, with the prefix that the model expects before questions."""
        clean = storable(text[:MAX_CHARACTERS])[0]
        if not clean.strip():
            return np.zeros(self.identity.dimensions, dtype=np.float32)
        row: Vectors = unit_rows(self._made("query_embed", [clean]))[0]
        return row

    def close(self) -> None:
        """Free the model; a batch under way is still finished."""
        self._model = None

    def _made(self, method: str, texts: list[str]) -> "Vectors":
        model = self._model
        if model is None:
            raise ModelUnavailableError("The embedding model was closed; open it again to embed.")
        try:
            return np.stack([*getattr(model, method)(texts, batch_size=len(texts))])
        except Exception as error:
            # The errors of onnxruntime and of tokenizers share no other base class.
            raise ModelUnavailableError(
                Sentence(
                    "The embedding model {name} failed; see that the machine has memory left, get the"
                    " model's files again, or choose the embedder static.",
                    name=self._name,
                ),
                model=self._name,
            ) from error

    def _probe(self, dimensions: int) -> None:
        """Refuse files that have the model's names but belong to another model."""
        try:
            given = self._made("passage_embed", [_PROBE]).shape[1:]
        except ModelUnavailableError as error:
            raise ModelUnavailableError(Sentence(_ANOTHER, name=self._name), model=self._name) from error
        if given != (dimensions,):
            raise ModelUnavailableError(Sentence(_ANOTHER, name=self._name), model=self._name)


def _family(model: str) -> Any:
    try:
        from fastembed import TextEmbedding  # noqa: PLC0415
    except ImportError as error:
        raise ModelUnavailableError("fastembed is not installed; choose the embedder static.", model=model) from error
    return TextEmbedding


def version_of(files: Sequence[Path]) -> str:
    """Return a version that differs between builds of a model.

    It is a digest of its files' sizes, beginnings and ends.
    """
    digest = hashlib.sha256()
    for file in files:
        size = file.stat().st_size
        digest.update(str(size).encode("ascii"))
        with file.open("rb") as stream:
            digest.update(stream.read(_SAMPLE))
            stream.seek(max(0, size - _SAMPLE))
            digest.update(stream.read(_SAMPLE))
    return digest.hexdigest()[:12]
