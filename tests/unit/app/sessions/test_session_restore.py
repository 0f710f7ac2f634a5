from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.tokens import estimate_tokens
from app.errors import InputError, NotFoundError
from app.sessions.model import NewMessage
from app.sessions.session_restore import PREFACE, Restored, preface_of
from tests.unit.app.sessions.session_harness import Desk, open_desk, sized


@pytest.fixture
def desk(vault: Path) -> Iterator[Desk]:
    with open_desk(vault, budget=1000) as made:
        yield made


def restored(desk: Desk, session: str | None = "talk", **given: object) -> Restored:
    return desk.do(desk.restoring.restore(session, **given))  # type: ignore[arg-type]


def test_a_short_conversation_comes_back_whole(desk: Desk) -> None:
    desk.append(*sized(5))
    answer = restored(desk)
    assert list(answer.messages) == desk.all()
    assert (answer.preface, answer.tokens, answer.left_out) == ("", 500, 0)


def test_the_summary_comes_ahead_of_the_turns_after_it(desk: Desk) -> None:
    desk.append(*sized(10))
    desk.do(desk.summaries.set("talk", "Ana moved to Lisbon.", "agent", upper_seq=7))
    answer = restored(desk)
    assert answer.preface == "Rolling session summary: Ana moved to Lisbon."
    assert [turn.seq for turn in answer.messages] == [8, 9, 10]
    assert (answer.epoch, answer.upper_seq, answer.left_out) == (1, 7, 0)
    assert answer.tokens == 300 + estimate_tokens(answer.preface)


def test_turns_beyond_the_budget_are_left_out_and_counted(desk: Desk) -> None:
    desk.append(*sized(15))
    answer = restored(desk)
    assert [turn.seq for turn in answer.messages] == list(range(6, 16))
    assert (answer.tokens, answer.left_out) == (1000, 5)


def test_max_history_trims_what_is_given_and_nothing_else(desk: Desk) -> None:
    desk.append(*sized(130, tokens=2))
    assert [turn.seq for turn in restored(desk).messages] == list(range(31, 131))
    assert restored(desk).left_out == 30
    assert [turn.seq for turn in restored(desk, max_history=2).messages] == [129, 130]
    assert restored(desk, max_history=0).left_out == 130
    assert len(desk.all()) == 130


def test_tool_calls_count_and_answers_stay_with_them(desk: Desk) -> None:
    call = [{"name": "search", "input": {"to": "x" * 1900}}]
    desk.append(
        NewMessage("user", "Find me a flight."),
        NewMessage("assistant", "", tool_calls=call),
        NewMessage("tool", "3 flights", tool_call_id="1", tool_name="search"),
        NewMessage("assistant", "There are three."),
    )
    assert [turn.seq for turn in restored(desk, budget=400).messages] == [4]
    answer = restored(desk, budget=1000)
    assert [turn.seq for turn in answer.messages] == [1, 2, 3, 4]
    assert answer.messages[1].tool_calls == call
    assert (answer.messages[2].tool_call_id, answer.messages[2].tool_name) == ("1", "search")


def test_trimming_does_not_part_an_answer_from_its_call(desk: Desk) -> None:
    desk.append(
        NewMessage("assistant", "", tool_calls=[{"name": "search"}]),
        NewMessage("tool", "3 flights"),
        NewMessage("assistant", "There are three."),
    )
    assert [turn.seq for turn in restored(desk, max_history=2).messages] == [3]


def test_a_channel_finds_its_conversation_when_the_id_changed(desk: Desk) -> None:
    desk.append(NewMessage("user", "one"), session="first", channel="telegram:42:7")
    answer = restored(desk, None, channel="telegram:42:7")
    assert (answer.session_id, [turn.content for turn in answer.messages]) == ("first", ["one"])
    desk.clock.ms += 1000
    desk.append(NewMessage("user", "two"), session="second", channel="telegram:42:7")
    answer = restored(desk, None, channel=" telegram:42:7 ")
    assert (answer.session_id, [turn.content for turn in answer.messages]) == ("first", ["one", "two"])


def test_a_channel_without_a_conversation_is_no_error(desk: Desk) -> None:
    assert restored(desk, None, channel="telegram:42:7") == Restored()


def test_a_session_that_is_not_there_is_one(desk: Desk) -> None:
    with pytest.raises(NotFoundError):
        restored(desk, "nobody")
    with pytest.raises(InputError, match="session or a channel"):
        restored(desk, None)


def test_after_condensing_it_fits(desk: Desk) -> None:
    desk.append(*sized(40))
    desk.do(desk.compaction.roll("talk", "agent"))
    answer = restored(desk)
    assert answer.left_out == 0
    assert answer.tokens <= 750
    assert answer.preface.startswith(f"{PREFACE}Recent condensed turns:\n")


@given(st.text(max_size=3000), st.integers(1, 2000))
def test_a_preface_takes_at_most_half(summary: str, budget: int) -> None:
    preface = preface_of(summary, budget)
    assert estimate_tokens(preface) <= budget // 2
    if summary and estimate_tokens(PREFACE + summary) <= budget // 2:
        assert preface == PREFACE + summary
