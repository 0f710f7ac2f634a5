"""A judge that reads the first results again, in a real vault."""

import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.host import Host
from app.retrieval.model import Hit
from app.retrieval.ranking.cross_encoder_scorer import FEATURE
from app.retrieval.ranking.reranking_stage import WEIGHT
from tests.unit.app.embed.rerank_model import write_rerank_model

TEXTS = [f"a boat in the harbour{' and more' * (number % 7)} number {number}" for number in range(60)]


def opened(vault: Path, **settings: Any) -> Host:
    overrides = {"search.reranker": "Xenova/ms-marco-MiniLM-L-6-v2"} | {
        name.replace("__", "."): value for name, value in settings.items()
    }
    host = Host(vault, serve=False, overrides=overrides)
    host.start()
    host.ask("session.append", session="s", messages=[{"role": "user", "content": text} for text in TEXTS])
    host.ask("vault.settle")
    return host


@pytest.fixture
def judged(vault: Path, tmp_path: Path) -> Iterator[Host]:
    host = opened(vault, search__reranker_folder=str(write_rerank_model(tmp_path / "judge")))
    yield host
    host.stop()


def test_without_its_model_results_stay_as_they_are(vault: Path, tmp_path: Path) -> None:
    host = opened(vault, search__reranker_folder=str(tmp_path))
    try:
        result = host.ask("memory.search", query="boat", limit=5)
        assert len(result.hits) == 5
        assert result.notes[0].startswith("The results could not be reranked: ")
        assert "holds no onnx/model.onnx" in result.notes[0]
        assert all(FEATURE not in hit.why.features for hit in result.hits)
    finally:
        host.stop()


def blended(hits: tuple[Hit, ...]) -> list[float]:
    """Return the sum of both scores of each hit, as standard scores."""
    columns = [[hit.score for hit in hits], [hit.why.features[FEATURE] for hit in hits]]
    own, model = (
        [(value - statistics.fmean(column)) / statistics.pstdev(column) for value in column] for column in columns
    )
    return [one + WEIGHT * other for one, other in zip(own, model, strict=True)]


def test_the_first_results_in_the_order_of_ranking_and_judge(judged: Host) -> None:
    plain = judged.ask("memory.search", query="boat", legs=["words"], limit=60)
    assert all(FEATURE not in hit.why.features for hit in plain.hits)
    found = judged.ask("memory.search", query="boat", limit=60)
    assert found.notes == ()
    scores = [hit.why.features.get(FEATURE) for hit in found.hits]
    assert scores[50:] == [None] * 10
    sums = blended(found.hits[:50])
    assert sums == pytest.approx(sorted(sums, reverse=True))
    assert sums[0] > sums[49]
    # Neither of the two alone.
    assert scores[:50] != sorted(scores[:50], reverse=True)
    own = [hit.score for hit in found.hits[:50]]
    assert own != sorted(own, reverse=True)
    assert len({hit.id for hit in found.hits}) == 60
    # The other reasons are still there.
    assert all(hit.why.legs and len(hit.why.features) > 1 for hit in found.hits[:50])


def test_pages_make_up_the_whole(judged: Host) -> None:
    whole = [hit.id for hit in judged.ask("memory.search", query="boat", limit=60).hits]
    pages: list[str] = []
    for offset in range(0, 60, 20):
        pages += [hit.id for hit in judged.ask("memory.search", query="boat", limit=20, offset=offset).hits]
    assert pages[:50] == whole[:50]


def test_what_is_judged_alike_and_nothing_at_all(judged: Host) -> None:
    assert judged.ask("memory.search", query="submarine kind:fact").hits == ()
    assert judged.ask("memory.search", query="-boat").hits == ()
    first = [hit.id for hit in judged.ask("memory.search", query="boat").hits]
    assert [hit.id for hit in judged.ask("memory.search", query="boat").hits] == first


def test_the_model_reads_the_matching_part_of_a_long_text(vault: Path, tmp_path: Path) -> None:
    words = (*(f"w{number}" for number in range(9_997)), "anchor")  # it counts 9,999, an unknown word 1
    host = opened(vault, search__reranker_folder=str(write_rerank_model(tmp_path / "judge", words)))
    try:
        filling = "and nothing but the harbour of this town " * 200
        host.ask("session.append", session="long", messages=[{"role": "user", "content": f"{filling} anchor"}])
        host.ask("note.save", title="A note", content=f"{filling} anchor {filling}")
        host.ask("vault.settle")
        found = host.ask("memory.search", query="anchor", limit=2)
        assert {hit.target for hit in found.hits} == {"message", "memory"}
        # Once in the question, and in what is judged too.
        assert all(hit.why.features[FEATURE] >= 2 * 9_999 for hit in found.hits)
    finally:
        host.stop()


def test_the_model_reads_who_speaks_and_what_came_before(vault: Path, tmp_path: Path) -> None:
    words = (*(f"w{number}" for number in range(97)), "harbour", *(f"v{number}" for number in range(900)), "Ines")
    host = opened(vault, search__reranker_folder=str(write_rerank_model(tmp_path / "judge", words)))
    try:
        talk = [
            {"role": "user", "content": "harbour?", "author": "Ben"},
            {"role": "user", "content": "submarine", "author": "Ines"},
        ]
        host.ask("session.append", session="talk", messages=talk)
        host.ask("session.append", session="other", messages=[{"role": "user", "content": "submarine"}])
        host.ask("vault.settle")
        hits = host.ask("memory.search", query="submarine").hits
        judged = {hit.id: hit.why.features[FEATURE] for hit in hits}
        known = {"harbour": 99.0, "Ines": 1_000.0}
        # "Ben", "?" and the colons are words that it does not know; each counts 1.
        assert judged["talk#2"] - judged["other#1"] == sum(known.values()) + 4
    finally:
        host.stop()
