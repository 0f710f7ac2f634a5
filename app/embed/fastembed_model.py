"""Sentence models by way of fastembed and onnxruntime, from files on this machine."""

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from app.core.text import storable
from app.embed.files import Told, description, open_model
from app.embed.model import Identity
from app.embed.vectors import unit_rows
from app.errors import ModelUnavailableError

if TYPE_CHECKING:
    from app.embed.model import Vectors

MAX_CHARACTERS = 65_536
"""How much of a text is read; the models themselves read less."""

_BATCH = 32
_SAMPLE = 1 << 20


class FastembedEmbedder:
    """Embeds with a model that fastembed knows.

    Args:
        model: Its name in fastembed's list, such as ``sentence-transformers/all-MiniLM-L6-v2``.
        folder: A folder with the model's files.
        cache: fastembed's cache, searched where no folder is given.
        threads: How many threads to use.
        fetch: Whether the model may be fetched from the network when it is not here.
        told: Hears how many bytes of it were fetched, and about how many there are.

    Raises:
        InputError: fastembed knows no such model.
        ModelUnavailableError: fastembed is not installed, or the model's files are not here or damaged.
    """

    def __init__(
        self,
        model: str,
        *,
        folder: Path | None = None,
        cache: Path | None = None,
        threads: int | None = None,
        fetch: bool = False,
        told: Told | None = None,
    ) -> None:
        family = _family(model)
        described = description(family, model)
        self._model: Any = open_model(
            family, described, folder=folder, cache=cache, threads=threads, fetch=fetch, told=told
        )
        self._lock = Lock()
        found = Path(folder or self._model.model._model_dir)
        version = _version(found / described["model_file"])
        self.identity = Identity("fastembed", described["model"], described["dim"], version)

    def embed(self, texts: Sequence[str]) -> "Vectors":
        """Return one row per text; see :class:`app.embed.model.Embedder`."""
        return self._rows(texts, "passage_embed")

    def embed_query(self, text: str) -> "Vectors":
        """Return the vector of a question, with what the model wants before one."""
        row: Vectors = self._rows([text], "query_embed")[0]
        return row

    def close(self) -> None:
        """Let go of the session."""
        self._model = None

    def _rows(self, texts: Sequence[str], method: str) -> "Vectors":
        clean = [storable(text[:MAX_CHARACTERS])[0] for text in texts]
        filled = [place for place, text in enumerate(clean) if text.strip()]
        out = np.zeros((len(texts), self.identity.dimensions), dtype=np.float32)
        # One call at a time: the tokenizer's padding is state, and the session uses all threads it may anyway.
        with self._lock:
            if self._model is None:
                raise ModelUnavailableError("The embedding model was closed; open it again to embed.")
            rows: Iterable[Any] = getattr(self._model, method)([clean[place] for place in filled], batch_size=_BATCH)
            for place, row in zip(filled, rows, strict=True):
                out[place] = row
        return unit_rows(out)


def _family(model: str) -> Any:
    try:
        from fastembed import TextEmbedding  # noqa: PLC0415
    except ImportError as error:
        raise ModelUnavailableError("fastembed is not installed; choose the embedder static.", model=model) from error
    return TextEmbedding


def _version(file: Path) -> str:
    """Return what tells builds of one model apart: a digest of the file's size, beginning and end."""
    size = file.stat().st_size
    digest = hashlib.sha256(str(size).encode("ascii"))
    with file.open("rb") as stream:
        digest.update(stream.read(_SAMPLE))
        stream.seek(max(0, size - _SAMPLE))
        digest.update(stream.read(_SAMPLE))
    return digest.hexdigest()[:12]
