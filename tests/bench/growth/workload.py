"""What every system is given: the same turns, the same questions, and the same vector for each of them.

The turns are those of ``tests.bench.scale.corpus``: made-up words whose frequencies follow Zipf's law, 8 to 60 in a
turn, 40 turns in a conversation. A smaller size is the beginning of a larger one.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from tests.bench.scale.corpus import Corpus

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

DIMENSIONS = 256
QUESTIONS = 200
WARM_UP = 5
_BATCH = 4_096
_TURNS, _VECTORS, _QUERIES, _QUERY_VECTORS = "turns.jsonl", "turns.f32", "questions.json", "questions.f32"


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation."""

    number: int
    session: str
    role: str
    created_at: int
    text: str


def prepare(folder: Path, sizes: Sequence[int], *, with_vectors: bool) -> None:
    """Write turns for each size, questions, and vectors of both for those who cannot make them."""
    largest = max(sizes)
    Corpus().write(folder / _TURNS, largest)
    for size in sizes:
        with (folder / _TURNS).open(encoding="utf-8") as file, import_file(folder, size).open("w") as part:
            part.writelines(islice(file, size))
    corpus = Corpus(5)
    questions = [corpus.question() for _ in range(QUESTIONS + WARM_UP)]
    (folder / _QUERIES).write_text(json.dumps(questions), encoding="utf-8")
    if with_vectors:
        _embed(folder / _VECTORS, (turn.text for turn in turns(folder, largest)))
        _embed(folder / _QUERY_VECTORS, iter(questions))


def import_file(folder: Path, size: int) -> Path:
    """Return the file that Keepsake imports."""
    return folder / f"turns-{size}.jsonl"


def turns(folder: Path, size: int) -> Iterator[Turn]:
    """Yield the turns of a size."""
    with (folder / _TURNS).open(encoding="utf-8") as file:
        for number, line in enumerate(islice(file, size)):
            value = json.loads(line)
            yield Turn(number, value["session"], value["role"], value["created_at"], value["content"])


def batches(folder: Path, size: int, most: int) -> "Iterator[tuple[list[Turn], Floats]]":
    """Yield the turns of a size with their vectors, so many at a time; nothing is kept of those before."""
    import numpy as np

    rest = turns(folder, size)
    with (folder / _VECTORS).open("rb") as file:
        while some := list(islice(rest, most)):
            rows = np.fromfile(file, dtype="<f4", count=len(some) * DIMENSIONS)
            yield some, rows.reshape(-1, DIMENSIONS)


def questions(folder: Path) -> list[str]:
    """Return the questions; the first few are to warm up with."""
    return [str(text) for text in json.loads((folder / _QUERIES).read_text(encoding="utf-8"))]


def question_vectors(folder: Path) -> "Floats":
    """Return a row for each question."""
    import numpy as np

    return np.fromfile(folder / _QUERY_VECTORS, dtype="<f4").reshape(-1, DIMENSIONS)


def _embed(path: Path, texts: Iterator[str]) -> None:
    from app.embed.embedder_factory import open_embedder

    embedder = open_embedder("static")
    with path.open("wb") as file:
        while some := list(islice(texts, _BATCH)):
            file.write(embedder.embed(some).astype("<f4").tobytes())
