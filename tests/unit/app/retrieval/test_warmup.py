"""Frequent words are preloaded before the first search."""

import apsw
import pytest

from app.index.columns.chunk_columns import last_chunk
from app.index.columns.index_cache import IndexCache
from app.retrieval import warmup
from app.retrieval.query.match_expression import quote
from app.retrieval.snapshot import take_snapshot
from app.retrieval.warmup import preload_frequent_words
from app.store.words.tokenizer import stem
from tests.unit.app.vault_harness import VaultHarness

TEXTS = (
    "the herons of the lock", "the heron and the café", "a heron is here", "herons", "the old lock", "an old lock",
    "we say bread", "we say butter", "we say naïve things", "they say nothing", "you say so", "all say yes",
    "he may say", "she will say", "it can say", "one more", "two more",
)  # fmt: skip


def test_frequent_words_are_read_and_neither_rare_nor_ubiquitous_ones(
    vault_harness: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warmup, "MIN_CHUNKS", 1)
    for number, text in enumerate(TEXTS):
        vault_harness.say(text, session=f"s{number}")
    vault_harness.sync()
    kept = IndexCache()

    def work(connection: apsw.Connection) -> tuple[int, int]:
        return preload_frequent_words(take_snapshot(connection, kept)), last_chunk(connection)

    known, last = vault_harness.do(vault_harness.store.read(work))
    assert known == 3
    with apsw.Connection(":memory:") as nowhere:  # a read fails here
        for word in ("heron", "herons", "lock", "old"):
            assert len(kept.posting(nowhere, quote(word), stem(word), last).ids) >= 3
        for word in ("bread", "say", "the"):
            with pytest.raises(apsw.SQLError):
                kept.posting(nowhere, quote(word), stem(word), last)


@pytest.mark.parametrize(("few", "texts"), [(0, ()), (1_000, TEXTS)])
def test_an_empty_vault_and_a_small_one_have_none(
    vault_harness: VaultHarness, monkeypatch: pytest.MonkeyPatch, few: int, texts: tuple[str, ...]
) -> None:
    monkeypatch.setattr(warmup, "MIN_CHUNKS", few)
    for number, text in enumerate(texts):
        vault_harness.say(text, session=f"s{number}")
    vault_harness.sync()

    def work(connection: apsw.Connection) -> int:
        return preload_frequent_words(take_snapshot(connection, IndexCache()))

    assert vault_harness.do(vault_harness.store.read(work)) == 0
