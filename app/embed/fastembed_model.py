"""Sentence models by way of fastembed and onnxruntime, from files that are already on this machine."""

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from app.core.text import storable
from app.embed.model import Identity
from app.embed.vectors import unit_rows
from app.errors import InputError, ModelUnavailableError

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

    Raises:
        InputError: fastembed knows no such model.
        ModelUnavailableError: fastembed is not installed, or the model's files are not here or damaged.
    """

    def __init__(
        self, model: str, *, folder: Path | None = None, cache: Path | None = None, threads: int | None = None
    ) -> None:
        description = _description(model)
        self._model: Any = _open(description, folder, cache, threads)
        self._lock = Lock()
        found = Path(folder or self._model.model._model_dir)
        version = _version(found / description["model_file"])
        self.identity = Identity("fastembed", description["model"], description["dim"], version)

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


def _description(model: str) -> dict[str, Any]:
    """Return what fastembed knows of ``model``."""
    try:
        from fastembed import TextEmbedding  # noqa: PLC0415
    except ImportError as error:
        raise ModelUnavailableError("fastembed is not installed; choose the embedder static.", model=model) from error
    known = {entry["model"].lower(): entry for entry in TextEmbedding.list_supported_models()}
    if model.lower() not in known:
        names = sorted(entry["model"] for entry in known.values())
        raise InputError(f"fastembed knows no model {model!r}; it knows {', '.join(names)}.", allowed=names)
    return known[model.lower()]


def _open(description: dict[str, Any], folder: Path | None, cache: Path | None, threads: int | None) -> Any:
    """Open the model from ``folder`` or the cache, never from the network."""
    from fastembed import TextEmbedding  # noqa: PLC0415
    from fastembed.common.onnx_model import OnnxModel  # noqa: PLC0415

    name = description["model"]
    options: dict[str, Any] = {"local_files_only": True, "providers": ["CPUExecutionProvider"]}
    # The arena never gives back what the longest batch took.
    if "enable_cpu_mem_arena" in getattr(OnnxModel, "EXPOSED_SESSION_OPTIONS", ()):
        options["enable_cpu_mem_arena"] = False
    if folder is not None:
        if not (folder / description["model_file"]).is_file():
            raise ModelUnavailableError(
                f"{folder} holds no {description['model_file']}, which the model {name} needs.", model=name
            )
        options["specific_model_path"] = str(folder)
    try:
        return TextEmbedding(name, cache_dir=str(cache) if cache else None, threads=threads, **options)
    except Exception as error:
        # onnxruntime's and the tokenizers' errors share no base class but this.
        raise ModelUnavailableError(
            f"The model {name} is not on this machine or is damaged; put its files into a folder and name the folder,"
            " or choose the embedder static.",
            model=name,
        ) from error


def _version(file: Path) -> str:
    """Return what tells builds of one model apart: a digest of the file's size, beginning and end."""
    size = file.stat().st_size
    digest = hashlib.sha256(str(size).encode("ascii"))
    with file.open("rb") as stream:
        digest.update(stream.read(_SAMPLE))
        stream.seek(max(0, size - _SAMPLE))
        digest.update(stream.read(_SAMPLE))
    return digest.hexdigest()[:12]
