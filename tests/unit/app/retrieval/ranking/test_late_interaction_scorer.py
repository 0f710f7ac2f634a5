"""Late interaction in searches of a real vault: token vectors of the index against those of the question."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.host import Host
from app.retrieval.ranking.late_interaction_scorer import FEATURE
from tests.helpers.engine import engine_of
from tests.unit.app.embed.rerank_model import write_late_interaction_model

MODEL = "answerdotai/answerai-colbert-small-v1"
WORDS = ("boat", "harbour", "red", "storm")
TEXTS = [*(f"a boat, number {number}" for number in range(20)), "a red boat in the harbour", "red", "!"]


def start(vault: Path, folder: Path) -> Host:
    overrides = {"search.reranker": MODEL, "search.reranker_folder": str(folder), "embedding.model": "hashed"}
    host = Host(vault, serve=False, overrides=overrides)
    host.start()
    return host


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_late_interaction_model(tmp_path / "model", WORDS)


@pytest.fixture
def host(vault: Path, model: Path) -> Iterator[Host]:
    host = start(vault, model)
    host.ask("session.append", session="s", messages=[{"role": "user", "content": text} for text in TEXTS])
    host.ask("note.save", title="Storm", content="A red boat in the storm. " + "Nothing else. " * 200)
    host.ask("vault.settle", token_vectors=True)
    yield host
    host.stop()


def test_what_shares_most_words_with_the_question_scores_best(host: Host) -> None:
    result = host.ask("memory.search", query="red boat harbour")
    assert result.notes == ()
    scores = {hit.snippet: hit.why.features[FEATURE] for hit in result.hits if FEATURE in hit.why.features}
    assert max(scores, key=lambda text: scores[text]) == "a red boat in the harbour"
    assert result.hits[0].snippet == "a red boat in the harbour"
    assert all("cross_encoder" not in hit.why.features for hit in result.hits)
    notes = [hit for hit in host.ask("memory.search", query="storm").hits if hit.target == "memory"]
    assert FEATURE in notes[0].why.features


def test_searches_by_words_alone_are_left_as_they_are(host: Host) -> None:
    plain = host.ask("memory.search", query="red boat", legs=["words"])
    assert all(FEATURE not in hit.why.features for hit in plain.hits)


def test_a_search_without_words_of_its_own_is_left_as_it_is(host: Host) -> None:
    hits = host.ask("memory.search", query="-boat").hits
    assert hits
    assert all(FEATURE not in hit.why.features for hit in hits)
    assert host.ask("memory.search", query="submarine kind:fact").hits == ()


def test_half_read_results_are_said_so(host: Host) -> None:
    builder = engine_of(host).index.token_vectors

    async def forget() -> None:
        builder._job.advance(0, 1_000)
        builder._job._job.pause()
        await builder._store.write(
            lambda connection: connection.execute("UPDATE token_vectors_1 SET codes = NULL WHERE chunk_id <= 5")
        )

    host.submit(forget()).result()
    found = host.ask("memory.search", query="boat", limit=50)
    assert [note for note in found.notes if note.startswith("Late interaction has not read 5 of the first ")]
    without = [hit for hit in found.hits if FEATURE not in hit.why.features]
    assert len(without) == 5
