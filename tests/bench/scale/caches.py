"""``python -m tests.bench.scale.caches --messages N``: what each cache of search wins, by kind of search.

A search with all caches is compared with the same search that has one of them anew, and so reads plain SQL for it. For
the quantized vectors that is the exact scan of sqlite-vec. A cache that wins less than 10 % of every kind should go.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import apsw

from app.core.stores import STORES
from app.embed.static_embedder import StaticEmbedder
from app.host import Host
from app.index.columns.index_cache import IndexCache
from app.index.vectors.ann_cache import AnnCache
from app.index.vectors.vector_repo import Generation
from app.retrieval.pipeline import run_search
from app.retrieval.query.parser import parse
from app.retrieval.recipes import find_recipe
from app.retrieval.request import Request, Stopwatch, VectorQuery
from app.store.connection import open_reader
from tests.bench.machine import machine
from tests.bench.retrieval.metrics import percentile
from tests.bench.scale.corpus import Corpus

CACHES: Final = ("_columns", "_postings", "messages", "texts", "style_features", "agents", "hidden")
VECTORS: Final = "vectors"
LEAST_WIN: Final = 0.1
KINDS: Final[Mapping[str, tuple[str, str]]] = {
    "learned": ("learned", "{}"),
    "words": ("words", "{}"),
    "balanced": ("balanced", "{}"),
    "tri": ("tri", "{}"),
    "of a role": ("learned", "role:user {}"),
    "of an agent": ("learned", "agent:Atlas {}"),
    "of a time": ("learned", "after:2023-11-20 {}"),
    "without words": ("learned", "role:user"),
}
_QUESTIONS: Final = 15
_ROUNDS: Final = 3


@dataclass(frozen=True, slots=True)
class Searched:
    """A vault with all that a search of it reads."""

    connection: apsw.Connection
    generation: Generation
    embedder: StaticEmbedder
    ann_cache: AnnCache
    kept: IndexCache

    def ms(self, kind: str, question: str, anew: str) -> float:
        """Return the processor milliseconds of a search that has the cache ``anew`` for the first time."""
        recipe, pattern = find_recipe(KINDS[kind][0]), KINDS[kind][1]
        index_cache = IndexCache()
        for name in CACHES:
            if name != anew:
                setattr(index_cache, name, getattr(self.kept, name))
        ann_cache = None if anew == VECTORS else self.ann_cache
        count = 0 if ann_cache is None else ann_cache.count()
        vector = VectorQuery(self.generation, self._vector, ann_cache, count)
        query = parse(pattern.format(question), round(time.time() * 1000))
        request = Request(query, recipe, recipe.legs, STORES, 0, 20, None, lambda: index_cache)
        begun = time.process_time()  # other work on the machine does not count
        run_search(self.connection, request, vector, Stopwatch())
        return (time.process_time() - begun) * 1000

    def _vector(self, text: str) -> bytes:
        return self.embedder.embed_query(text).tobytes()


def measure(searched: Searched, questions: list[str]) -> dict[str, dict[str, float]]:
    """Return by cache and kind of search which share of the time it saves."""
    wins: dict[str, dict[str, float]] = {name.lstrip("_"): {} for name in (*CACHES, VECTORS)}
    for kind in KINDS:
        for question in questions:
            searched.ms(kind, question, "")
        for name in (*CACHES, VECTORS):
            taken: dict[str, list[float]] = {"": [], name: []}
            for question in questions:
                rounds = [(each, searched.ms(kind, question, each)) for each in taken for _ in range(_ROUNDS)]
                for each, times in taken.items():
                    times.append(min(ms for other, ms in rounds if other == each))
            with_cache, without = (percentile(times, 0.5) for times in taken.values())
            wins[name.lstrip("_")][kind] = round(1 - with_cache / without, 3)
    return wins


def main() -> int:
    """Measure one size and print it."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.scale.caches", description=__doc__)
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--vault", type=Path, help="a vault that is there already, and is not written")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="keepsake-caches-") as folder:
        vault = options.vault or _filled(Path(folder), options.messages)
        with closing(open_reader(vault / "memory.db")) as connection:
            searched = _searched(connection, Path(folder))
            corpus = Corpus(5)
            wins = measure(searched, [corpus.question() for _ in range(_QUESTIONS)])
            chunks = connection.execute("SELECT count(*) FROM chunks").get
    print(f"{chunks:,} chunks on {machine()}")
    for name, by_kind in wins.items():
        verdict = "" if max(by_kind.values()) >= LEAST_WIN else "   under 10 % everywhere"
        print(f"{name:15} " + ", ".join(f"{kind} {win:.0%}" for kind, win in by_kind.items()) + verdict)
    if options.json:
        options.json.write_text(json.dumps(wins, indent=1) + "\n", encoding="utf-8")
    return 0


def _filled(folder: Path, messages: int) -> Path:
    source, vault = Corpus().write(folder / "corpus.jsonl", messages), folder / "vault"
    host = Host(vault, serve=False, overrides={"backup.daily": False})
    host.start()
    try:
        host.ask("exchange.import", path=str(source))
        host.ask("vault.settle")
    finally:
        host.stop()
    return vault


def _searched(connection: apsw.Connection, folder: Path) -> Searched:
    row: Any = connection.execute("SELECT id, dimensions FROM generations WHERE state = 'serving'").fetchone()
    generation, ann_cache = Generation(row[0], row[1]), AnnCache(folder, least=1)
    ann_cache.refresh(connection, generation)
    return Searched(connection, generation, StaticEmbedder(), ann_cache, IndexCache())


if __name__ == "__main__":
    sys.exit(main())
