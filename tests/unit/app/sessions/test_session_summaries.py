from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import NotFoundError
from app.index.indexer import Indexer
from app.memories.model import NewMemory
from app.memories.service import MemoryService
from app.memories.unit_of_work import MemoryUnitOfWork
from app.sessions.model import NewMessage
from app.sessions.session_summaries import outline
from tests.helpers.access import EVERYTHING
from tests.unit.app.sessions.session_harness import SessionHarness, open_harness


@pytest.fixture
def harness(vault: Path) -> Iterator[SessionHarness]:
    with open_harness(vault) as made:
        yield made


def talk(harness: SessionHarness, session: str, agent: str = "scout", *said: str) -> None:
    harness.append(
        *[NewMessage("user", text) for text in said or ("I moved to Lisbon.",)], session=session, agent=agent
    )


def remember(harness: SessionHarness, session: str, kind: str, title: str) -> None:
    memories = MemoryService(MemoryUnitOfWork(harness.store, Indexer(), harness.clock))
    draft = NewMemory(f"{title} and more.", title=title, kind="observation", type=kind, session_id=session)
    harness.do(memories.save(EVERYTHING, draft))


def listed(harness: SessionHarness, agent: str | None = None) -> list[str]:
    return [digest.session_id for digest in harness.do(harness.digests.recent(agent))]


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


def test_observations_make_the_summary(harness: SessionHarness) -> None:
    talk(harness, "talk")
    remember(harness, "talk", "decision", "Move to Lisbon")
    answer = harness.do(harness.digests.roll("talk", "agent"))
    digest = answer.value
    assert digest is not None
    assert (digest.agent, digest.session_id) == ("scout", "talk")
    assert digest.summary == "decision (1): Move to Lisbon"
    assert answer.changes.ids == ("talk",)


def test_where_nothing_was_learned_it_is_how_the_conversation_began(harness: SessionHarness) -> None:
    talk(harness, "talk", "scout", "I moved to Lisbon. It is hot.", " ", "Find me a doctor.")
    digest = harness.do(harness.digests.roll("talk", "agent")).value
    assert digest is not None
    assert digest.summary == "User: I moved to Lisbon.\nUser: Find me a doctor."


def test_repeated_writes_keep_one_row(harness: SessionHarness) -> None:
    talk(harness, "talk")
    first = harness.do(harness.digests.roll("talk", "agent")).value
    remember(harness, "talk", "decision", "Move to Lisbon")
    harness.clock.ms += 5000
    second = harness.do(harness.digests.roll("talk", "agent")).value
    assert first is not None
    assert second is not None
    assert (second.created_at, second.updated_at > first.updated_at) == (first.created_at, True)
    assert harness.sql("SELECT agent, session_id FROM session_summaries") == [("scout", "talk")]


def test_nothing_new_writes_nothing(harness: SessionHarness) -> None:
    talk(harness, "talk")
    first = harness.do(harness.digests.roll("talk", "agent")).value
    harness.clock.ms += 5000
    again = harness.do(harness.digests.roll("talk", "agent"))
    assert again.value == first
    assert not again.changes.areas


def test_empty_conversations_are_skipped(harness: SessionHarness) -> None:
    harness.do(harness.scratchpads.write("empty", ["plan"], "scout", owner=None))
    talk(harness, "silent", "scout", "   ")
    for session in ("empty", "silent"):
        answer = harness.do(harness.digests.roll(session, "agent"))
        assert answer.value is None
        assert not answer.changes.areas
        assert harness.do(harness.digests.get(session)) is None
    assert listed(harness) == []


def test_the_last_written_comes_first(harness: SessionHarness) -> None:
    for session, agent in (("a", "scout"), ("b", "guide"), ("c", "scout")):
        talk(harness, session, agent)
        harness.do(harness.digests.roll(session, "agent"))
        harness.clock.ms += 1000
    assert listed(harness) == ["c", "b", "a"]
    assert listed(harness, "scout") == ["c", "a"]
    assert [digest.session_id for digest in harness.do(harness.digests.recent(limit=1, offset=1))] == ["b"]


def test_a_forgotten_conversation_takes_its_summary_along(harness: SessionHarness) -> None:
    talk(harness, "talk")
    harness.do(harness.digests.roll("talk", "agent"))
    harness.do(harness.sessions.forget("talk", "person"))
    assert listed(harness) == []
    for work in (harness.digests.get("talk"), harness.digests.roll("talk", "agent")):
        with pytest.raises(NotFoundError):
            harness.do(work)
    harness.sql("UPDATE sessions SET forgotten_at = NULL")
    assert listed(harness) == ["talk"]


def test_deleted_memories_are_not_listed(harness: SessionHarness) -> None:
    talk(harness, "talk")
    remember(harness, "talk", "decision", "Move to Lisbon")
    harness.sql("UPDATE memories SET valid_until = 1")
    digest = harness.do(harness.digests.roll("talk", "agent")).value
    assert digest is not None
    assert digest.summary == "User: I moved to Lisbon."
