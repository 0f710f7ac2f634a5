from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import NotFoundError
from app.index.indexer import Indexer
from app.memories.model import NewMemory
from app.memories.service import MemoryService
from app.sessions.model import NewMessage
from app.sessions.session_summaries import outline
from tests.unit.app.sessions.session_harness import Desk, open_desk


@pytest.fixture
def desk(vault: Path) -> Iterator[Desk]:
    with open_desk(vault) as made:
        yield made


def talk(desk: Desk, session: str, agent: str = "scout", *said: str) -> None:
    desk.append(*[NewMessage("user", text) for text in said or ("I moved to Lisbon.",)], session=session, agent=agent)


def remember(desk: Desk, session: str, kind: str, title: str) -> None:
    memories = MemoryService(desk.store, Indexer(), desk.clock)
    draft = NewMemory(f"{title} and more.", title=title, kind="observation", type=kind, session_id=session)
    desk.do(memories.save(draft))


def listed(desk: Desk, agent: str | None = None) -> list[str]:
    return [digest.session_id for digest in desk.do(desk.digests.recent(agent))]


def test_what_was_learned_is_listed_by_type() -> None:
    found = [
        ("decision", "Ship on Friday"),
        ("bugfix", "Lost turns"),
        ("decision", "Keep SQLite"),
        ("decision", "Keep SQLite"),
    ]
    assert outline(found) == "decision (3): Ship on Friday; Keep SQLite\nbugfix (1): Lost turns"


def test_a_long_list_says_how_much_is_left_out() -> None:
    lines = outline([("decision", f"Number {number}") for number in range(15)])
    assert lines.startswith("decision (15): Number 0; Number 1; ")
    assert lines.endswith("Number 11; and 3 more")


def test_observations_make_the_summary(desk: Desk) -> None:
    talk(desk, "talk")
    remember(desk, "talk", "decision", "Move to Lisbon")
    answer = desk.do(desk.digests.roll("talk", "agent"))
    digest = answer.value
    assert digest is not None
    assert (digest.agent, digest.session_id) == ("scout", "talk")
    assert digest.summary == "decision (1): Move to Lisbon"
    assert answer.changes.ids == ("talk",)


def test_where_nothing_was_learned_it_is_how_the_conversation_began(desk: Desk) -> None:
    talk(desk, "talk", "scout", "I moved to Lisbon. It is hot.", " ", "Find me a doctor.")
    digest = desk.do(desk.digests.roll("talk", "agent")).value
    assert digest is not None
    assert digest.summary == "User: I moved to Lisbon.\nUser: Find me a doctor."


def test_repeated_writes_keep_one_row(desk: Desk) -> None:
    talk(desk, "talk")
    first = desk.do(desk.digests.roll("talk", "agent")).value
    remember(desk, "talk", "decision", "Move to Lisbon")
    desk.clock.ms += 5000
    second = desk.do(desk.digests.roll("talk", "agent")).value
    assert first is not None
    assert second is not None
    assert (second.created_at, second.updated_at > first.updated_at) == (first.created_at, True)
    assert desk.sql("SELECT agent, session_id FROM session_summaries") == [("scout", "talk")]


def test_nothing_new_writes_nothing(desk: Desk) -> None:
    talk(desk, "talk")
    first = desk.do(desk.digests.roll("talk", "agent")).value
    desk.clock.ms += 5000
    again = desk.do(desk.digests.roll("talk", "agent"))
    assert again.value == first
    assert not again.changes.areas


def test_empty_conversations_are_skipped(desk: Desk) -> None:
    desk.do(desk.scratchpads.write("empty", ["plan"], "scout"))
    talk(desk, "silent", "scout", "   ")
    for session in ("empty", "silent"):
        answer = desk.do(desk.digests.roll(session, "agent"))
        assert answer.value is None
        assert not answer.changes.areas
        assert desk.do(desk.digests.get(session)) is None
    assert listed(desk) == []


def test_the_last_written_comes_first(desk: Desk) -> None:
    for session, agent in (("a", "scout"), ("b", "guide"), ("c", "scout")):
        talk(desk, session, agent)
        desk.do(desk.digests.roll(session, "agent"))
        desk.clock.ms += 1000
    assert listed(desk) == ["c", "b", "a"]
    assert listed(desk, "scout") == ["c", "a"]
    assert [digest.session_id for digest in desk.do(desk.digests.recent(limit=1, offset=1))] == ["b"]


def test_a_forgotten_conversation_takes_its_summary_along(desk: Desk) -> None:
    talk(desk, "talk")
    desk.do(desk.digests.roll("talk", "agent"))
    desk.do(desk.sessions.forget("talk", "person"))
    assert listed(desk) == []
    for work in (desk.digests.get("talk"), desk.digests.roll("talk", "agent")):
        with pytest.raises(NotFoundError):
            desk.do(work)
    desk.sql("UPDATE sessions SET forgotten_at = NULL")
    assert listed(desk) == ["talk"]


def test_deleted_memories_are_not_listed(desk: Desk) -> None:
    talk(desk, "talk")
    remember(desk, "talk", "decision", "Move to Lisbon")
    desk.sql("UPDATE memories SET valid_until = 1")
    digest = desk.do(desk.digests.roll("talk", "agent")).value
    assert digest is not None
    assert digest.summary == "User: I moved to Lisbon."
