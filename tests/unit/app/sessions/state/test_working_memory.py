import asyncio
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.changes import ChangeSet
from app.errors import NotFoundError
from app.index.indexer import Indexer
from app.sessions.model import Message, NewMessage
from app.sessions.service import NewSession
from app.sessions.state import working_memory
from app.sessions.state.working_memory import WorkingMemory
from app.sessions.withheld_turns import WithheldTurns
from tests.unit.app.sessions.session_harness import SessionHarness, open_harness, sized


@pytest.fixture
def harness(vault: Path) -> Iterator[SessionHarness]:
    with open_harness(vault) as made:
        yield made


def recent(harness: SessionHarness, n: int = 50, session: str = "talk") -> list[int]:
    return [turn.seq for turn in harness.do(harness.working.recent(session, n))]


def is_held(harness: SessionHarness, session: str = "talk") -> bool:
    """Return whether turns come from memory: those in the vault are given other words first."""
    harness.sql("UPDATE messages SET content = 'from the vault'")
    return harness.do(harness.working.recent(session, 50))[-1].content != "from the vault"


def test_the_last_fifty_turns_are_held(harness: SessionHarness) -> None:
    harness.append(*sized(80, tokens=2))
    assert recent(harness) == list(range(31, 81))
    assert recent(harness, 3) == [78, 79, 80]
    assert recent(harness, 0) == []
    assert recent(harness, 500) == list(range(1, 81))  # more than is held is read from the vault


def test_they_are_the_turns_of_the_vault(harness: SessionHarness) -> None:
    harness.append(*sized(3))
    recent(harness)
    assert harness.do(harness.working.recent("talk", 50)) == harness.all()


def test_what_came_since_is_there(harness: SessionHarness) -> None:
    harness.append(*sized(3))
    assert recent(harness) == [1, 2, 3]
    harness.append(NewMessage("user", "one", seq=10), NewMessage("user", "two"))
    assert recent(harness) == [1, 2, 3, 10, 11]
    harness.append(*sized(60, tokens=2))
    assert recent(harness) == list(range(22, 72))


def test_no_conversation_no_turns(harness: SessionHarness) -> None:
    with pytest.raises(NotFoundError):
        recent(harness)
    harness.append(*sized(1))
    recent(harness)
    harness.do(harness.sessions.forget("talk", "person"))
    with pytest.raises(NotFoundError):
        recent(harness)


@pytest.mark.parametrize(
    ("changes", "held"),
    [
        (ChangeSet(frozenset({"sessions", "messages"}), ("talk",), only_appends=True), True),
        (ChangeSet(frozenset({"memories"}), ("talk",), operation="note.save"), True),
        (ChangeSet(frozenset({"sessions"}), ("other",), operation="session.rename"), True),
        (ChangeSet(frozenset({"sessions"}), ("talk",), operation="session.rename"), False),
        (ChangeSet(frozenset({"sessions", "messages"}), (), operation="exchange.import"), False),
    ],
)
def test_other_changes_drop_what_is_held(harness: SessionHarness, changes: ChangeSet, held: bool) -> None:
    harness.append(*sized(2))
    recent(harness)
    harness.working.on_change(changes)
    assert is_held(harness) is held
    assert recent(harness) == [1, 2]


def test_a_conversation_made_anew_under_the_same_id_is_not_confused(harness: SessionHarness) -> None:
    harness.append(NewMessage("user", "old"))
    recent(harness)
    harness.sql("DELETE FROM sessions")
    harness.append(NewMessage("user", "new"))
    harness.working.on_change(ChangeSet(frozenset({"sessions"}), ("talk",), operation="memory.forget_forever"))
    assert [turn.content for turn in harness.do(harness.working.recent("talk", 50))] == ["new"]


def test_a_drop_while_reading_is_heeded(harness: SessionHarness) -> None:
    harness.append(*sized(3))
    recent(harness)

    async def read_and_drop() -> list[Message]:
        reading = asyncio.ensure_future(harness.working.recent("talk", 50))
        await asyncio.sleep(0)
        harness.working.on_change(ChangeSet(frozenset({"sessions"}), (), operation="exchange.import"))
        return await reading

    assert [turn.seq for turn in harness.do(read_and_drop())] == [1, 2, 3]
    assert not is_held(harness)


def test_readers_at_the_same_time_bring_no_turn_twice(harness: SessionHarness) -> None:
    harness.append(*sized(2))
    recent(harness)
    harness.append(*sized(3))

    async def read_together() -> list[list[Message]]:
        return await asyncio.gather(*(harness.working.recent("talk", 50) for _ in range(6)))

    assert [[turn.seq for turn in turns] for turns in harness.do(read_together())] == [[1, 2, 3, 4, 5]] * 6
    assert recent(harness) == [1, 2, 3, 4, 5]


def test_withheld_turns_are_gone_before_it_is_told(harness: SessionHarness) -> None:
    harness.append(*sized(3))
    assert recent(harness) == [1, 2, 3]
    withheld = WithheldTurns(harness.store, Indexer(), harness.clock)
    harness.do(withheld.withhold("talk", "agent", [2], "person", "run"))
    assert recent(harness) == [1, 3]


def test_only_so_many_conversations_are_held(harness: SessionHarness) -> None:
    names = [f"talk {number}" for number in range(working_memory.SESSIONS + 2)]
    for name in names:
        harness.append(*sized(1), session=name)
        recent(harness, session=name)
    assert [is_held(harness, name) for name in reversed(names)] == [True] * working_memory.SESSIONS + [False] * 2


def test_enormous_turns_are_read_but_not_held(harness: SessionHarness) -> None:
    harness.append(NewMessage("user", "x" * (working_memory.CHARACTERS + 1)))
    assert recent(harness) == [1]
    assert not is_held(harness)


@settings(max_examples=25)
@given(st.integers(1, 12), st.lists(st.integers(1, 9), min_size=1, max_size=12), st.integers(0, 2**32))
def test_it_never_differs_from_the_vault_with_several_writers(
    tmp_path_factory: pytest.TempPathFactory, template_db: Path, cap: int, batches: list[int], seed: int
) -> None:
    vault = tmp_path_factory.mktemp("vault")
    shutil.copy(template_db, vault / "memory.db")
    chance = random.Random(seed)
    with open_harness(vault, working_messages=cap) as harness:
        harness.append(*sized(1, tokens=1))
        memory = WorkingMemory(harness.store, cap)

        async def write(count: int) -> None:
            done = await harness.sessions.append(sized(count, tokens=1), "talk", NewSession(), "agent", owner=None)
            if chance.random() < 0.7:  # a change may arrive late, or never
                memory.on_change(done.changes)

        async def read() -> None:
            before = (await harness.sessions.messages("talk", limit=1, newest=True))[0].seq
            seqs = [turn.seq for turn in await memory.recent("talk", cap)]
            assert seqs == list(range(seqs[0], seqs[-1] + 1))
            assert seqs[-1] >= before
            assert len(seqs) == min(cap, seqs[-1])

        async def everybody() -> None:
            await memory.recent("talk", cap)
            work = [write(count) for count in batches] + [read() for _ in batches]
            chance.shuffle(work)
            await asyncio.gather(*work)
            assert await memory.recent("talk", cap) == await harness.sessions.messages("talk", limit=cap, newest=True)

        harness.do(everybody())
