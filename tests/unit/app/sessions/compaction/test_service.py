import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from app.core.text_rules.token_estimate import estimate_tokens
from app.errors import NotFoundError
from app.sessions.compaction import compaction_plan
from app.sessions.compaction.extractive_summary import HEADING
from app.sessions.model import Message, NewMessage
from app.sessions.service import NewSession
from tests.helpers.guards.unexpected_logs import AllowLogs
from tests.unit.app.sessions.session_harness import FixedSummariser, SessionHarness, open_harness, sized


@pytest.fixture
def harness(vault: Path) -> Iterator[SessionHarness]:
    with open_harness(vault, budget=1000) as made:
        yield made


def test_a_long_conversation_is_condensed_to_half(harness: SessionHarness) -> None:
    harness.append(*sized(10))
    done = harness.do(harness.compaction.roll("talk", "agent")).value
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


def test_no_turn_is_dropped(harness: SessionHarness) -> None:
    harness.append(*sized(10))
    before = harness.all()
    harness.do(harness.compaction.roll("talk", "agent"))
    harness.do(harness.compaction.compact("talk", "agent", retain=1))
    harness.do(harness.compaction.compact_now("talk", "agent", retain=0))
    assert harness.all() == before
    assert harness.sql("SELECT count(*) FROM chunks WHERE session_id = 'talk' AND kind = 'message'") == [(10,)]


def test_a_short_conversation_is_left_alone(harness: SessionHarness) -> None:
    harness.append(*sized(8))
    answer = harness.do(harness.compaction.roll("talk", "agent"))
    assert (answer.value.applied, answer.value.reason, answer.value.retained) == (False, "nothing_to_do", 8)
    assert not answer.changes.areas
    assert harness.do(harness.summaries.get("talk")).epoch == 0


def test_force_and_a_smaller_budget(harness: SessionHarness) -> None:
    harness.append(*sized(8))
    assert harness.do(harness.compaction.roll("talk", "agent", force=True)).value.upper_seq == 4
    assert harness.do(harness.compaction.roll("talk", "agent", budget=400)).value.upper_seq == 6


def test_rolling_on_adds_to_the_summary_and_keeps_it_short(harness: SessionHarness) -> None:
    for number in range(30):
        harness.append(*[NewMessage("user", f"Round {number} begins here. ".ljust(400, "y"))] * 6)
        done = harness.do(harness.compaction.roll("talk", "agent")).value
    assert estimate_tokens(done.summary) <= compaction_plan.summary_room(harness.options)
    assert done.epoch > 20
    assert harness.do(harness.compaction.roll("talk", "agent")).value.reason == "nothing_to_do"


def test_compaction_keeps_the_most_recent(harness: SessionHarness) -> None:
    harness.append(*sized(30, tokens=10))
    done = harness.do(harness.compaction.compact("talk", "agent")).value
    assert (done.upper_seq, done.retained) == (10, harness.options.retain)
    assert harness.do(harness.compaction.compact("talk", "agent", retain=3)).value.upper_seq == 27
    assert harness.do(harness.compaction.compact("talk", "agent", retain=3)).value.reason == "nothing_to_do"


def test_an_emergency_keeps_a_few_and_asks_no_model(vault: Path) -> None:
    sayings = FixedSummariser()
    with open_harness(vault, sayings) as harness:
        harness.append(*sized(30, tokens=10))
        done = harness.do(harness.compaction.compact_now("talk", "agent")).value
        assert (done.applied, done.retained, done.made_by) == (True, harness.options.emergency_retain, "condensed")
        assert not sayings.requests


def test_without_a_summariser_older_turns_are_only_passed_over(harness: SessionHarness) -> None:
    harness.set(is_condensing=False)
    harness.append(*sized(10))
    for done in (
        harness.do(harness.compaction.roll("talk", "agent")).value,
        harness.do(harness.compaction.compact("talk", "agent", retain=3)).value,
        harness.do(harness.compaction.compact_now("talk", "agent", retain=2)).value,
    ):
        assert (done.applied, done.summary, done.made_by) == (True, "", "none")
    assert done.upper_seq == 8
    assert len(harness.all()) == 10


def test_a_model_writes_from_summary_and_turns(vault: Path) -> None:
    sayings = FixedSummariser("Ana moved to Lisbon.")
    with open_harness(vault, sayings, budget=1000) as harness:
        harness.append(*sized(10))
        done = harness.do(harness.compaction.roll("talk", "agent")).value
        assert (done.summary, done.made_by, done.note) == ("Ana moved to Lisbon.", "sayings", "")
        harness.do(harness.compaction.compact("talk", "agent", retain=1))
        assert sayings.requests == [("", [1, 2, 3, 4, 5], 250), ("Ana moved to Lisbon.", [6, 7, 8, 9], 250)]


def test_when_the_model_is_away_turns_are_condensed(vault: Path, allow_logs: AllowLogs) -> None:
    allow_logs("wrote no summary")
    with open_harness(vault, FixedSummariser(absent=True), budget=1000) as harness:
        harness.append(*sized(10))
        done = harness.do(harness.compaction.roll("talk", "agent")).value
        assert (done.applied, done.made_by, done.note) == (True, "condensed", "The model is not there.")
        assert done.summary.startswith(HEADING)


class Interrupted:
    """A summariser during whose work somebody else writes a summary."""

    name = "slow"

    def __init__(self) -> None:
        self.harness: SessionHarness | None = None

    async def summarise(self, earlier: str, turns: Sequence[Message], max_tokens: int) -> str:
        assert self.harness is not None
        await self.harness.summaries.set("talk", "The quicker one.", "other")
        return "The slower one."


def test_a_slower_summary_is_discarded(vault: Path) -> None:
    slow = Interrupted()
    with open_harness(vault, slow, budget=1000) as harness:
        slow.harness = harness
        harness.append(*sized(10))
        answer = harness.do(harness.compaction.roll("talk", "agent"))
        assert (answer.value.applied, answer.value.reason, answer.value.epoch) == (False, "stale", 1)
        assert (answer.value.summary, answer.value.upper_seq) == ("The quicker one.", 0)
        assert not answer.changes.areas


def test_of_many_rolls_one_is_applied(harness: SessionHarness) -> None:
    harness.append(*sized(10))

    async def race() -> list[bool]:
        rolls = (harness.compaction.roll("talk", "agent", force=True) for _ in range(12))
        return [answer.value.applied for answer in await asyncio.gather(*rolls)]

    applied = harness.do(race())
    state = harness.do(harness.summaries.get("talk"))
    assert sum(applied) == state.epoch >= 1
    said = [line for line in state.summary.splitlines() if line.startswith("- ")]
    assert len(said) == len(set(said)) == state.upper_seq


def test_turns_that_come_meanwhile_are_not_lost(vault: Path) -> None:
    class Talkative(Interrupted):
        async def summarise(self, earlier: str, turns: Sequence[Message], max_tokens: int) -> str:
            assert self.harness is not None
            await self.harness.sessions.append(sized(1), "talk", NewSession(), "other", owner=None)
            return "What was said."

    talkative = Talkative()
    with open_harness(vault, talkative, budget=1000) as harness:
        talkative.harness = harness
        harness.append(*sized(10))
        done = harness.do(harness.compaction.roll("talk", "agent")).value
        assert (done.applied, done.upper_seq) == (True, 5)
        assert [
            turn.seq for turn in harness.do(harness.restoring.restore("talk", budget=5000, owner=None)).messages
        ] == [
            6,
            7,
            8,
            9,
            10,
            11,
        ]


def test_there_must_be_a_conversation(harness: SessionHarness) -> None:
    for work in (harness.compaction.roll, harness.compaction.compact, harness.compaction.compact_now):
        with pytest.raises(NotFoundError):
            harness.do(work("nobody", "agent"))
