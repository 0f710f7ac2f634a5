from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.text_rules.token_estimate import estimate_tokens
from app.errors import InputError, NotFoundError
from app.sessions.model import NewMessage
from app.sessions.state.session_restore import PREFACE, Restored, preface_of
from tests.unit.app.sessions.session_harness import SessionHarness, open_harness, sized


@pytest.fixture
def harness(vault: Path) -> Iterator[SessionHarness]:
    with open_harness(vault, budget=1000) as made:
        yield made


def restored(harness: SessionHarness, session: str | None = "talk", **given: object) -> Restored:
    return harness.do(harness.restoring.restore(session, owner=None, **given))  # type: ignore[arg-type]


def test_a_short_conversation_comes_back_whole(harness: SessionHarness) -> None:
    harness.append(*sized(5))
    answer = restored(harness)
    assert list(answer.messages) == harness.all()
    assert (answer.preface, answer.tokens, answer.left_out) == ("", 500, 0)


def test_the_summary_comes_ahead_of_the_turns_after_it(harness: SessionHarness) -> None:
    harness.append(*sized(10))
    harness.do(harness.summaries.set("talk", "Ana moved to Lisbon.", "agent", upper_seq=7))
    answer = restored(harness)
    assert answer.preface == "Rolling session summary: Ana moved to Lisbon."
    assert [turn.seq for turn in answer.messages] == [8, 9, 10]
    assert (answer.epoch, answer.upper_seq, answer.left_out) == (1, 7, 0)
    assert answer.tokens == 300 + estimate_tokens(answer.preface)


def test_turns_beyond_the_budget_are_left_out_and_counted(harness: SessionHarness) -> None:
    harness.append(*sized(15))
    answer = restored(harness)
    assert [turn.seq for turn in answer.messages] == list(range(6, 16))
    assert (answer.tokens, answer.left_out) == (1000, 5)


def test_max_history_trims_what_is_given_and_nothing_else(harness: SessionHarness) -> None:
    harness.append(*sized(130, tokens=2))
    assert [turn.seq for turn in restored(harness).messages] == list(range(31, 131))
    assert restored(harness).left_out == 30
    assert [turn.seq for turn in restored(harness, max_history=2).messages] == [129, 130]
    assert restored(harness, max_history=0).left_out == 130
    assert len(harness.all()) == 130


def test_tool_calls_count_and_answers_stay_with_them(harness: SessionHarness) -> None:
    call = [{"name": "search", "input": {"to": "x" * 1900}}]
    harness.append(
        NewMessage("user", "Find me a flight."),
        NewMessage("assistant", "", tool_calls=call),
        NewMessage("tool", "3 flights", tool_call_id="1", tool_name="search"),
        NewMessage("assistant", "There are three."),
    )
    assert [turn.seq for turn in restored(harness, budget=400).messages] == [4]
    answer = restored(harness, budget=1000)
    assert [turn.seq for turn in answer.messages] == [1, 2, 3, 4]
    assert answer.messages[1].tool_calls == call
    assert (answer.messages[2].tool_call_id, answer.messages[2].tool_name) == ("1", "search")


def test_trimming_does_not_part_an_answer_from_its_call(harness: SessionHarness) -> None:
    harness.append(
        NewMessage("assistant", "", tool_calls=[{"name": "search"}]),
        NewMessage("tool", "3 flights"),
        NewMessage("assistant", "There are three."),
    )
    assert [turn.seq for turn in restored(harness, max_history=2).messages] == [3]


def test_a_channel_finds_its_conversation_when_the_id_changed(harness: SessionHarness) -> None:
    harness.append(NewMessage("user", "one"), session="first", channel="telegram:42:7")
    answer = restored(harness, None, channel="telegram:42:7")
    assert (answer.session_id, [turn.content for turn in answer.messages]) == ("first", ["one"])
    harness.clock.ms += 1000
    harness.append(NewMessage("user", "two"), session="second", channel="telegram:42:7")
    answer = restored(harness, None, channel=" telegram:42:7 ")
    assert (answer.session_id, [turn.content for turn in answer.messages]) == ("first", ["one", "two"])


def test_a_channel_without_a_conversation_is_no_error(harness: SessionHarness) -> None:
    assert restored(harness, None, channel="telegram:42:7") == Restored()


def test_a_session_that_is_not_there_is_one(harness: SessionHarness) -> None:
    with pytest.raises(NotFoundError):
        restored(harness, "nobody")
    with pytest.raises(InputError, match="session or a channel"):
        restored(harness, None)


def test_after_condensing_it_fits(harness: SessionHarness) -> None:
    harness.append(*sized(40))
    harness.do(harness.compaction.roll("talk", "agent"))
    answer = restored(harness)
    assert answer.left_out == 0
    assert answer.tokens <= 750
    assert answer.preface.startswith(f"{PREFACE}Recent condensed turns:\n")


@given(st.text(max_size=3000), st.integers(1, 2000))
def test_a_preface_takes_at_most_half(summary: str, budget: int) -> None:
    preface = preface_of(summary, budget)
    assert estimate_tokens(preface) <= budget // 2
    if summary and estimate_tokens(PREFACE + summary) <= budget // 2:
        assert preface == PREFACE + summary
