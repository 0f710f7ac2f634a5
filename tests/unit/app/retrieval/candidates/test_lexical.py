"""The words leg finds and scores what FTS5 does."""

import random
from collections.abc import Sequence

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.stores import STORES
from app.index.columns.index_cache import IndexCache
from app.retrieval.candidates import filters, lexical
from app.retrieval.candidates.filters import ChunkFilter, build_filter
from app.retrieval.candidates.lexical import beginning, best_matches, find_matches
from app.retrieval.candidates.retrievers import lexical_by_fts5
from app.retrieval.candidates.scored_chunks import ScoredChunks
from app.retrieval.model import Query
from app.retrieval.query.match_expression import Atom, atoms, excluded_expression, match_expression
from app.retrieval.query.parser import parse
from app.retrieval.snapshot import SearchSnapshot, take_snapshot
from app.store.words.tokenizer import stem
from tests.unit.app.vault_harness import VaultHarness

TEXTS = (
    "The grey heron hopes and hoped, hoping for studies of happiness",
    "A sensible café: sensibility, sensibilities; co-worker's co-workers",
    "我们今天去公园看苍鹭 with Anna_Maria",
    "Grey, grey; GREY heron — “heron’s” nest",
    "day days daily dailies",
    "Ωμέγα naïve Straße straße",
)
QUERIES = (
    "grey heron",
    "hoped studying happy",
    "sensibility cafe",
    "co-worker nest",
    "今天 heron",
    "dai* her*",
    "grey -nest",
    "naive strasse Ωμέγα",
    "the",
    "-heron",
    "Anna nothing",
)


Scored = dict[int, float]


def both(vault_harness: VaultHarness, text: str, depth: int = 50) -> tuple[Scored, Scored]:
    query = parse(text, 0)
    where, match = build_filter(query, STORES), match_expression(query)
    if match is None:
        return {}, {}
    unwanted = excluded_expression(query)

    def scored(connection: apsw.Connection) -> tuple[ScoredChunks, ScoredChunks]:
        snapshot = take_snapshot(connection, IndexCache())
        sooner = by_posting_lists(snapshot, atoms(query), unwanted, where, depth)
        return lexical_by_fts5(snapshot, match, where, depth), sooner

    exact, sooner = vault_harness.do(vault_harness.store.read(scored))
    return _by_chunk(exact), _by_chunk(sooner)


def by_posting_lists(
    snapshot: SearchSnapshot, wanted: Sequence[Atom], unwanted: str | None, where: ChunkFilter, depth: int
) -> ScoredChunks:
    matches = find_matches(snapshot, wanted)
    return ScoredChunks(snapshot.columns, *best_matches(snapshot, matches, unwanted, where, depth))


def _by_chunk(found: ScoredChunks) -> Scored:
    return dict(zip(found.ids.tolist(), found.values.tolist(), strict=True))


@pytest.mark.parametrize("query_text", QUERIES)
def test_scores_are_those_of_fts5(vault_harness: VaultHarness, query_text: str) -> None:
    vault_harness.say(*TEXTS, *(f"filler number {number}" for number in range(30)))
    exact, sooner = both(vault_harness, query_text)
    assert sooner.keys() == exact.keys()
    if "*" not in query_text and not any(ord(one) > 0x2E80 for one in query_text):
        assert sooner == pytest.approx(exact, rel=1e-4, abs=1e-5)


def test_conditions_hold_whether_they_leave_few_or_many(
    vault_harness: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    random.seed(3)
    vocabulary = ["heron", "elm", "lock", "boat", "rain", "mill"]
    vault_harness.say(*(" ".join(random.choices(vocabulary, k=random.randint(2, 9))) for _ in range(120)))
    for text in ("heron rain role:user", "heron elm role:assistant", "heron session:s", "boat session:none"):
        exact, _ = both(vault_harness, text, 12)
        for few in (0, 20_000):
            monkeypatch.setattr(filters, "SMALL_SET", few)
            for probed in (1, 60):
                monkeypatch.setattr(lexical, "_PROBED", probed)
                _, sooner = both(vault_harness, text, 12)
                assert [round(score, 4) for score in sooner.values()] == [round(score, 4) for score in exact.values()]


def test_the_most_promising_of_many_are_the_same_by_a_part_of_them(
    vault_harness: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    random.seed(5)
    vocabulary = ["heron", "elm", "lock", "boat", "rain", "mill"]
    vault_harness.say(*(" ".join(random.choices(vocabulary, k=random.randint(2, 30))) for _ in range(300)))
    found: list[Scored] = []
    for sampled, sure in ((1 << 30, 2), (1, 2), (2, 2), (8, 3), (8, 1)):
        monkeypatch.setattr(lexical, "_SAMPLED", sampled)
        monkeypatch.setattr(lexical, "_SURE", sure)
        found.append(both(vault_harness, "heron rain", 10)[1])
    assert all(one == found[0] for one in found)
    assert len(found[0]) == 10


def test_what_went_is_not_found(vault_harness: VaultHarness) -> None:
    vault_harness.say("heron one", "heron two")
    index_cache, query = IndexCache(), Query("")
    where, query_text = build_filter(query, STORES), atoms(parse("heron", 0))

    def ids() -> list[int]:
        rows = vault_harness.do(
            vault_harness.store.read(
                lambda connection: by_posting_lists(take_snapshot(connection, index_cache), query_text, None, where, 10)
            )
        )
        found: list[int] = sorted(rows.ids.tolist())
        return found

    before = ids()
    vault_harness.do(
        vault_harness.store.write(lambda connection: connection.execute("DELETE FROM chunks WHERE id = ?", before[:1]))
    )
    assert ids() == before[1:]

    def by_fts5(connection: apsw.Connection) -> ScoredChunks:
        return lexical_by_fts5(take_snapshot(connection, index_cache), '"heron"', where, 9)

    assert sorted(vault_harness.do(vault_harness.store.read(by_fts5)).ids.tolist()) == ids()


@given(st.from_regex(r"[a-z]{1,14}", fullmatch=True))
def test_a_word_begins_like_its_stem(word: str) -> None:
    assert word.startswith(beginning(stem(word)))


@pytest.mark.parametrize(
    "word",
    ["hoping", "happy", "sensibilities", "agreed", "digitizer", "relational", "conformably", "filing", "i", "be"],
)
def test_so_do_words_that_stemming_changes(word: str) -> None:
    assert word.startswith(beginning(stem(word)))
