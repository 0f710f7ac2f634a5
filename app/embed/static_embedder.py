"""Built-in embedder: the sum of the tokens' rows in a static table.

The table is distilled from a sentence model.

It needs no network and no inference runtime: a WordPiece tokenizer, a gather and a sum.
"""

import hashlib
import io
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from app.core.paths import resources
from app.core.text import storable
from app.embed import character_ngrams
from app.embed.model import EmbeddingIdentity
from app.embed.unit_vectors import unit_rows
from app.embed.wordpiece_cache import WordPieceCache
from app.errors import ModelUnavailableError
from app.sentence import Sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from app.embed.model import Vectors

MODEL = "minilm-256-sentences"
MAX_CHARACTERS = 16_384
"""Characters of a text that are read; later ones do not change its vector."""

_SLICE_CHARACTERS = 32_768
_UNKNOWN = "[UNK]"
# Raised when the way from text to rows changes, so that old vectors are not compared with new ones.
_READING = "1"


@dataclass(frozen=True, slots=True)
class _Table:
    """The model in memory.

    Rows of bytes and scales by token number, and the tokenizer that numbers tokens.
    """

    rows: "NDArray[np.int8]"
    scales: "Vectors"
    tokenizer: WordPieceCache


class StaticEmbedder:
    """Embedder that looks token vectors up in a table.

    Args:
        folder: The folder of the model; the built-in one when not given.

    Raises:
        ModelUnavailableError: The folder lacks a file, or a file is damaged.
    """

    def __init__(self, folder: Path | None = None) -> None:
        # The tokenizer would start a thread per core; the embedder's one thread is enough.
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        self.identity, table = _load(folder or resources() / "models" / f"static-{MODEL}")
        self._table: _Table | None = table

    def embed(self, texts: Sequence[str]) -> "Vectors":
        """Return one row per text; see :class:`app.embed.model.Embedder`."""
        table = self._table
        if table is None:
            raise ModelUnavailableError("The embedding model was closed; open it again to embed.")
        out = np.zeros((len(texts), self.identity.dimensions), dtype=np.float32)
        for start, part in _slices(texts):
            out[start : start + len(part)] = _sums(table, part)
        return unit_rows(out)

    def embed_query(self, text: str) -> "Vectors":
        """Return the vector of a question, computed like that of any text."""
        row: Vectors = self.embed([text])[0]
        return row

    def close(self) -> None:
        """Free the table."""
        self._table = None


def _slices(texts: Sequence[str]) -> "Iterator[tuple[int, list[str]]]":
    """Yield cleaned texts in batches, with the index of each first text.

    A batch fits the processor's cache.
    """
    start, size, part = 0, 0, list[str]()
    for place, text in enumerate(texts):
        clean, _ = storable(text[:MAX_CHARACTERS])
        if part and size + len(clean) > _SLICE_CHARACTERS:
            yield start, part
            start, size, part = place, 0, []
        part.append(clean)
        size += len(clean)
    if part:
        yield start, part


def _sums(table: _Table, texts: list[str]) -> "Vectors":
    """Return the summed token rows of each text, with n-grams of other scripts."""
    out = np.zeros((len(texts), table.rows.shape[1]), dtype=np.float32)
    foreign: dict[int, list[str]] = {}
    latin = []
    for place, text in enumerate(texts):
        plain, runs = character_ngrams.split(text)
        latin.append(plain)
        if runs:
            foreign[place] = runs
    for place, tokens in enumerate(table.tokenizer.encode(latin)):
        if tokens:
            ids = np.array(tokens, dtype=np.intp)
            # A product of scales and rows takes a twentieth of the time of ``np.add.reduceat`` over a batch.
            out[place] = table.scales[ids] @ table.rows[ids].astype(np.float32)
    for place, runs in foreign.items():
        out[place] += character_ngrams.vector(runs)
    return out


def _load(folder: Path) -> tuple[EmbeddingIdentity, _Table]:
    """Read the model in ``folder`` and check it against its manifest."""
    try:
        manifest = json.loads((folder / "manifest.json").read_bytes())
        content = {name: (folder / name).read_bytes() for name in manifest["sha256"]}
        _check(content, manifest["sha256"])
        version = f"{manifest['version']}-{_READING}"
        identity = EmbeddingIdentity("static", manifest["model"], manifest["dimensions"], version)
        rows, scales = (np.load(io.BytesIO(content[name]), allow_pickle=False) for name in ("table.npy", "scales.npy"))
        tokens: list[str] = json.loads(content["vocabulary.json"])
        _fit(len(tokens), rows, scales)
    except OSError as error:
        raise ModelUnavailableError(
            Sentence(
                "The embedding model in {folder} cannot be read ({reason}); reinstall Keepsake or choose another.",
                folder=folder,
                reason=error.strerror,
            ),
            folder=str(folder),
        ) from error
    except (ValueError, KeyError, TypeError, EOFError) as error:
        raise ModelUnavailableError(
            Sentence(
                "The embedding model in {folder} is damaged; reinstall Keepsake or choose another.", folder=folder
            ),
            folder=str(folder),
        ) from error
    return identity, _Table(rows, scales, WordPieceCache(_tokenizer(tokens)))


def _check(content: dict[str, bytes], expected: dict[str, Any]) -> None:
    """Raise ValueError unless each file is the one the manifest was written for."""
    for name, digest in expected.items():
        if hashlib.sha256(content[name]).hexdigest() != digest:
            raise ValueError(name)


def _fit(tokens: int, rows: "NDArray[np.int8]", scales: "Vectors") -> None:
    """Raise ValueError unless each token has a scale and a row of the expected width."""
    if rows.shape != (tokens, character_ngrams.DIMENSIONS) or scales.shape != (tokens,):
        raise ValueError(rows.shape)


def _tokenizer(tokens: list[str]) -> Tokenizer:
    """Return BERT's uncased tokenizer over ``tokens``, which are in the order of the table's rows."""
    numbers = {token: number for number, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.WordPiece(vocab=numbers, unk_token=_UNKNOWN))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer
