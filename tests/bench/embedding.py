"""What the static embedder costs: ``python -m tests.bench.embedding`` prints load time, memory and speed on one core.

The floor is the same tokenizer alone, in the same run: nothing that embeds by look-up can be faster than it.
"""

import os
import random
import time
from collections.abc import Callable

import numpy as np

from app.core.paths import resources
from app.embed.embedder_factory import open_embedder
from app.embed.static_embedder import MODEL
from tests.bench.machine import machine, resident_mb

TEXTS = 20_000
ROUNDS = 3
WORDS = (20, 30)


def texts() -> list[str]:
    """Return texts of 20 to 30 words; the words are drawn from this repository's own prose with a fixed seed."""
    draw = random.Random(7)
    prose = (resources().parent / "README.md").read_text(encoding="utf-8") + __doc__ + (open_embedder.__doc__ or "")
    licence = resources() / "models" / f"static-{MODEL}" / "LICENSE"
    words = (prose + licence.read_text(encoding="utf-8")).split()
    return [" ".join(draw.choices(words, k=draw.randint(*WORDS))) for _ in range(TEXTS)]


def best(work: Callable[[], object]) -> float:
    """Return the shortest of a few runs, in seconds."""
    taken = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)


def main() -> None:
    """Measure and print."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    np.ones((64, 64)) @ np.ones((64, 64))
    before, start = resident_mb(), time.perf_counter()
    embedder = open_embedder("static")
    embedder.embed_query("first")
    loaded, memory = time.perf_counter() - start, resident_mb() - before
    from app.embed.static_embedder import StaticEmbedder

    assert isinstance(embedder, StaticEmbedder)
    table = embedder._table
    assert table is not None
    batch = texts()
    whole = best(lambda: embedder.embed(batch))
    floor = best(lambda: table.tokenizer._tokenizer.encode_batch_fast(batch, add_special_tokens=False))
    one = best(lambda: [embedder.embed_query(text) for text in batch[:1000]]) / 1000
    print(machine())
    print(f"load            {loaded * 1e3:8.1f} ms, with the import of tokenizers, numpy already there")
    print(f"memory          {memory:8.1f} MB extra")
    print(
        f"embed           {TEXTS / whole:8.0f} texts/s on one core ({np.mean([len(t) for t in batch]):.0f} characters)"
    )
    print(
        f"tokenizer alone {TEXTS / floor:8.0f} texts/s, which ours caches; it takes {whole / floor:.2f} times as long"
    )
    print(f"one question    {one * 1e6:8.1f} µs")


if __name__ == "__main__":
    main()
