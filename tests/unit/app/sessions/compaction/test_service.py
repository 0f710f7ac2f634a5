import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from app.core.tokens import estimate_tokens
from app.errors import NotFoundError
from app.sessions.compaction import compaction_plan
from app.sessions.compaction.extractive_summary import HEADING
from app.sessions.model import Message, NewMessage
from app.sessions.service import NewSession
from tests.helpers.noise import AllowLogs
from tests.unit.app.sessions.session_harness import Desk, Sayings, open_desk, sized


@pytest.fixture
def desk(vault: Path) -> Iterator[Desk]:
    with open_desk(vault, budget=1000) as made:
        yield made


def test_a_long_conversation_is_condensed_to_half(desk: Desk) -> None:
    desk.append(*sized(10))
    done = desk.do(desk.compaction.roll("talk", "agent")).value
    assert (done.applied, done.reason, done.epoch, done.upper_seq) == (True, "", 1, 5)
    assert (done.condensed, done.retained, done.made_by) == (5, 5, "condensed")
    assert done.summary.splitlines() == [
        HEADING,
        "- User: This is saying number 1.",
        "- Assistant: This is saying number 2.",
        "- User: This is saying number 3.",
        "- Assistant: This is saying number 4.",
        "- User: This is saying number 5.",
    ]


def test_no_turn_is_dropped(desk: Desk) -> None:
    desk.append(*sized(10))
    before = desk.all()
    desk.do(desk.compaction.roll("talk", "agent"))
    desk.do(desk.compaction.compact("talk", "agent", retain=1))
    desk.do(desk.compaction.compact_now("talk", "agent", retain=0))
    assert desk.all() == before
    assert desk.sql("SELECT count(*) FROM chunks WHERE session_id = 'talk' AND kind = 'message'") == [(10,)]


def test_a_short_conversation_is_left_alone(desk: Desk) -> None:
    desk.append(*sized(8))
    answer = desk.do(desk.compaction.roll("talk", "agent"))
    assert (answer.value.applied, answer.value.reason, answer.value.retained) == (False, "nothing_to_do", 8)
    assert not answer.changes.areas
    assert desk.do(desk.summaries.get("talk")).epoch == 0


def test_force_and_a_smaller_budget(desk: Desk) -> None:
    desk.append(*sized(8))
    assert desk.do(desk.compaction.roll("talk", "agent", force=True)).value.upper_seq == 4
    assert desk.do(desk.compaction.roll("talk", "agent", budget=400)).value.upper_seq == 6


def test_rolling_on_adds_to_the_summary_and_keeps_it_short(desk: Desk) -> None:
    for number in range(30):
        desk.append(*[NewMessage("user", f"Round {number} begins here. ".ljust(400, "y"))] * 6)
        done = desk.do(desk.compaction.roll("talk", "agent")).value
    assert estimate_tokens(done.summary) <= compaction_plan.summary_room(desk.terms)
    assert done.epoch > 20
    assert desk.do(desk.compaction.roll("talk", "agent")).value.reason == "nothing_to_do"


def test_compaction_keeps_the_most_recent(desk: Desk) -> None:
    desk.append(*sized(30, tokens=10))
    done = desk.do(desk.compaction.compact("talk", "agent")).value
    assert (done.upper_seq, done.retained) == (10, desk.terms.retain)
    assert desk.do(desk.compaction.compact("talk", "agent", retain=3)).value.upper_seq == 27
    assert desk.do(desk.compaction.compact("talk", "agent", retain=3)).value.reason == "nothing_to_do"


def test_an_emergency_keeps_a_few_and_asks_no_model(vault: Path) -> None:
    sayings = Sayings()
    with open_desk(vault, sayings) as desk:
        desk.append(*sized(30, tokens=10))
        done = desk.do(desk.compaction.compact_now("talk", "agent")).value
        assert (done.applied, done.retained, done.made_by) == (True, desk.terms.emergency_retain, "condensed")
        assert not sayings.asked


def test_without_a_summariser_older_turns_are_only_passed_over(desk: Desk) -> None:
    desk.set(is_condensing=False)
    desk.append(*sized(10))
    for done in (
        desk.do(desk.compaction.roll("talk", "agent")).value,
        desk.do(desk.compaction.compact("talk", "agent", retain=3)).value,
        desk.do(desk.compaction.compact_now("talk", "agent", retain=2)).value,
    ):
        assert (done.applied, done.summary, done.made_by) == (True, "", "none")
    assert done.upper_seq == 8
    assert len(desk.all()) == 10


def test_a_model_writes_from_summary_and_turns(vault: Path) -> None:
    sayings = Sayings("Ana moved to Lisbon.")
    with open_desk(vault, sayings, budget=1000) as desk:
        desk.append(*sized(10))
        done = desk.do(desk.compaction.roll("talk", "agent")).value
        assert (done.summary, done.made_by, done.note) == ("Ana moved to Lisbon.", "sayings", "")
        desk.do(desk.compaction.compact("talk", "agent", retain=1))
        assert sayings.asked == [("", [1, 2, 3, 4, 5], 250), ("Ana moved to Lisbon.", [6, 7, 8, 9], 250)]


def test_when_the_model_is_away_turns_are_condensed(vault: Path, allow_logs: AllowLogs) -> None:
    allow_logs("wrote no summary")
    with open_desk(vault, Sayings(absent=True), budget=1000) as desk:
        desk.append(*sized(10))
        done = desk.do(desk.compaction.roll("talk", "agent")).value
        assert (done.applied, done.made_by, done.note) == (True, "condensed", "The model is not there.")
        assert done.summary.startswith(HEADING)


class Interrupted:
    """A summariser during whose work somebody else writes a summary."""

    name = "slow"

    def __init__(self) -> None:
        self.desk: Desk | None = None

    async def summarise(self, earlier: str, turns: Sequence[Message], max_tokens: int) -> str:
        assert self.desk is not None
        await self.desk.summaries.set("talk", "The quicker one.", "other")
        return "The slower one."


def test_a_slower_summary_is_discarded(vault: Path) -> None:
    slow = Interrupted()
    with open_desk(vault, slow, budget=1000) as desk:
        slow.desk = desk
        desk.append(*sized(10))
        answer = desk.do(desk.compaction.roll("talk", "agent"))
        assert (answer.value.applied, answer.value.reason, answer.value.epoch) == (False, "stale", 1)
        assert (answer.value.summary, answer.value.upper_seq) == ("The quicker one.", 0)
        assert not answer.changes.areas


def test_of_many_rolls_one_is_applied(desk: Desk) -> None:
    desk.append(*sized(10))

    async def race() -> list[bool]:
        rolls = (desk.compaction.roll("talk", "agent", force=True) for _ in range(12))
        return [answer.value.applied for answer in await asyncio.gather(*rolls)]

    applied = desk.do(race())
    state = desk.do(desk.summaries.get("talk"))
    assert sum(applied) == state.epoch >= 1
    said = [line for line in state.summary.splitlines() if line.startswith("- ")]
    assert len(said) == len(set(said)) == state.upper_seq


def test_turns_that_come_meanwhile_are_not_lost(vault: Path) -> None:
    class Talkative(Interrupted):
        async def summarise(self, earlier: str, turns: Sequence[Message], max_tokens: int) -> str:
            assert self.desk is not None
            await self.desk.sessions.append(sized(1), "talk", NewSession(), "other")
            return "What was said."

    talkative = Talkative()
    with open_desk(vault, talkative, budget=1000) as desk:
        talkative.desk = desk
        desk.append(*sized(10))
        done = desk.do(desk.compaction.roll("talk", "agent")).value
        assert (done.applied, done.upper_seq) == (True, 5)
        assert [turn.seq for turn in desk.do(desk.restoring.restore("talk", budget=5000)).messages] == [
            6,
            7,
            8,
            9,
            10,
            11,
        ]


def test_there_must_be_a_conversation(desk: Desk) -> None:
    for work in (desk.compaction.roll, desk.compaction.compact, desk.compaction.compact_now):
        with pytest.raises(NotFoundError):
            desk.do(work("nobody", "agent"))
