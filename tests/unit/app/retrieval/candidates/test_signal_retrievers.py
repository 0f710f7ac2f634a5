"""Recipes that look past words and meaning, asked of a vault."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from app.host import Host
from app.memories.model import MemoryFilter
from app.retrieval.model import Found
from app.sessions.model import NewMessage

BEGUN = datetime(2026, 3, 1, 9, tzinfo=UTC)
TURNS = (
    ("The boiler was mended by Marta", 0.5),
    ("My sister is allergic to peanuts", 0.9),
    ("The bicycle is in the cellar", 0.8),
    ("We looked at curtains", 0.79),
    *((f"Small talk number {number}", 0.5) for number in range(12)),
)


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    host = Host(tmp_path_factory.mktemp("vaults") / "vault", serve=False)
    host.start()
    messages = [
        NewMessage(role="user", content=text, importance=weight, created_at=BEGUN + timedelta(minutes=number))
        for number, (text, weight) in enumerate(TURNS)
    ]
    host.ask("session.append", messages=messages, session="talk")
    for _ in range(3):
        host.ask("memory.write", content="The boiler needs a new valve", kind="fact")
    host.ask("note.save", content="The boiler needs a new coat of paint")
    host.ask("vault.settle")
    yield host
    host.stop()


def found(host: Host, query: str, recipe: str) -> Found:
    answer: Found = host.ask("memory.search", query=query, recipe=recipe)
    return answer


def test_tri_gives_ten_latest_five_salient_and_what_is_near(host: Host) -> None:
    answer = found(host, "allergic to peanuts", "tri")
    legs = {hit.id: {leg.leg for leg in hit.why.legs} for hit in answer.hits}
    recent = [name for name, said in legs.items() if "recent" in said]
    salient = [name for name, said in legs.items() if "salient" in said]
    assert sorted(recent) == sorted(f"talk#{seq}" for seq in range(len(TURNS) - 9, len(TURNS) + 1))
    assert set(salient) == {"talk#2", "talk#3"}
    assert answer.hits[0].id == "talk#2"
    assert all(leg.score > 0.65 for hit in answer.hits for leg in hit.why.legs if leg.leg == "vector")
    assert all(hit.id.startswith("talk#") for hit in answer.hits)


def test_tri_keeps_to_the_operators(host: Host) -> None:
    assert not found(host, "peanuts role:assistant", "tri").hits


def test_boosted_puts_first_what_was_said_often(host: Host) -> None:
    answer = found(host, "boiler needs a new", "boosted")
    assert [hit.kind for hit in answer.hits[:2]] == ["fact", "note"]
    assert {leg.leg for leg in answer.hits[0].why.legs} >= {"words", "recent", "mentions"}
    (fact,) = host.ask("note.list", filter=MemoryFilter(kinds=("fact",)))
    assert host.ask("note.get", id=fact.id).mention_count == 3
