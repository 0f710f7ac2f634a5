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
from app.sessions import working_memory
from app.sessions.model import Message, NewMessage
from app.sessions.service import NewSession
from app.sessions.working_memory import WorkingMemory
from tests.unit.app.sessions.session_harness import Desk, open_desk, sized


@pytest.fixture
def desk(vault: Path) -> Iterator[Desk]:
    with open_desk(vault) as made:
        yield made


def recent(desk: Desk, n: int | None = None, session: str = "talk") -> list[int]:
    return [turn.seq for turn in desk.do(desk.working.recent(session, n))]


def test_the_last_fifty_turns_are_held(desk: Desk) -> None:
    desk.append(*sized(80, tokens=2))
    assert recent(desk) == list(range(31, 81))
    assert recent(desk, 3) == [78, 79, 80]
    assert recent(desk, 0) == []
    assert recent(desk, 500) == list(range(31, 81))


def test_they_are_the_turns_of_the_vault(desk: Desk) -> None:
    desk.append(*sized(3))
    recent(desk)
    assert desk.do(desk.working.recent("talk")) == desk.all()


def test_what_came_since_is_there(desk: Desk) -> None:
    desk.append(*sized(3))
    assert recent(desk) == [1, 2, 3]
    desk.append(NewMessage("user", "one", seq=10), NewMessage("user", "two"))
    assert recent(desk) == [1, 2, 3, 10, 11]
    desk.append(*sized(60, tokens=2))
    assert recent(desk) == list(range(22, 72))


def test_no_conversation_no_turns(desk: Desk) -> None:
    with pytest.raises(NotFoundError):
        recent(desk)
    desk.append(*sized(1))
    recent(desk)
    desk.do(desk.sessions.forget("talk", "person"))
    with pytest.raises(NotFoundError):
        recent(desk)
    assert not desk.working.is_holding("talk")


@pytest.mark.parametrize(
    ("changes", "held"),
    [
        (ChangeSet(frozenset({"sessions", "messages"}), ("talk",), operation="session.append"), True),
        (ChangeSet(frozenset({"memories"}), ("talk",), operation="note.save"), True),
        (ChangeSet(frozenset({"sessions"}), ("other",), operation="session.rename"), True),
        (ChangeSet(frozenset({"sessions"}), ("talk",), operation="session.rename"), False),
        (ChangeSet(frozenset({"sessions", "messages"}), (), operation="exchange.import"), False),
    ],
)
def test_other_changes_drop_what_is_held(desk: Desk, changes: ChangeSet, held: bool) -> None:
    desk.append(*sized(2))
    recent(desk)
    desk.working.heard(changes)
    assert desk.working.is_holding("talk") is held
    assert recent(desk) == [1, 2]


def test_a_conversation_made_anew_under_the_same_id_is_not_confused(desk: Desk) -> None:
    desk.append(NewMessage("user", "old"))
    recent(desk)
    desk.sql("DELETE FROM sessions")
    desk.append(NewMessage("user", "new"))
    desk.working.heard(ChangeSet(frozenset({"sessions"}), ("talk",), operation="memory.forget_forever"))
    assert [turn.content for turn in desk.do(desk.working.recent("talk"))] == ["new"]


def test_a_drop_while_reading_is_heeded(desk: Desk) -> None:
    desk.append(*sized(3))
    recent(desk)

    async def read_and_drop() -> list[Message]:
        reading = asyncio.ensure_future(desk.working.recent("talk"))
        await asyncio.sleep(0)
        desk.working.heard(ChangeSet(frozenset({"sessions"}), (), operation="exchange.import"))
        return await reading

    assert [turn.seq for turn in desk.do(read_and_drop())] == [1, 2, 3]
    assert not desk.working.is_holding("talk")


def test_readers_at_the_same_time_bring_no_turn_twice(desk: Desk) -> None:
    desk.append(*sized(2))
    recent(desk)
    desk.append(*sized(3))

    async def read_together() -> list[list[Message]]:
        return await asyncio.gather(*(desk.working.recent("talk") for _ in range(6)))

    assert [[turn.seq for turn in turns] for turns in desk.do(read_together())] == [[1, 2, 3, 4, 5]] * 6
    assert recent(desk) == [1, 2, 3, 4, 5]


def test_only_so_many_conversations_are_held(desk: Desk) -> None:
    names = [f"talk {number}" for number in range(working_memory.SESSIONS + 2)]
    for name in names:
        desk.append(*sized(1), session=name)
        recent(desk, session=name)
    assert [desk.working.is_holding(name) for name in names] == [False] * 2 + [True] * working_memory.SESSIONS


def test_enormous_turns_are_read_but_not_held(desk: Desk) -> None:
    desk.append(NewMessage("user", "x" * (working_memory.CHARACTERS + 1)))
    assert recent(desk) == [1]
    assert not desk.working.is_holding("talk")


@settings(max_examples=25)
@given(st.integers(1, 12), st.lists(st.integers(1, 9), min_size=1, max_size=12), st.integers(0, 2**32))
def test_it_never_differs_from_the_vault_whoever_writes(
    tmp_path_factory: pytest.TempPathFactory, template_db: Path, cap: int, batches: list[int], seed: int
) -> None:
    vault = tmp_path_factory.mktemp("vault")
    shutil.copy(template_db, vault / "memory.db")
    chance = random.Random(seed)
    with open_desk(vault, working_turns=cap) as desk:
        desk.append(*sized(1, tokens=1))
        memory = WorkingMemory(desk.store, cap)

        async def write(count: int) -> None:
            done = await desk.sessions.append(sized(count, tokens=1), "talk", NewSession(), "agent")
            if chance.random() < 0.7:  # a change may be heard late, or never
                memory.heard(done.changes)

        async def read() -> None:
            before = (await desk.sessions.messages("talk", limit=1, newest=True))[0].seq
            seqs = [turn.seq for turn in await memory.recent("talk")]
            assert seqs == list(range(seqs[0], seqs[-1] + 1))
            assert seqs[-1] >= before
            assert len(seqs) == min(cap, seqs[-1])

        async def everybody() -> None:
            await memory.recent("talk")
            work = [write(count) for count in batches] + [read() for _ in batches]
            chance.shuffle(work)
            await asyncio.gather(*work)
            assert await memory.recent("talk") == await desk.sessions.messages("talk", limit=cap, newest=True)

        desk.do(everybody())
