import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.text_rules.token_estimate import estimate_tokens
from app.sessions.compaction.extractive_summary import (
    HEADING,
    LEFT_OUT,
    ExtractiveSummariser,
    extend_summary,
    first_sentence,
    message_line,
)
from tests.unit.app.sessions.session_harness import turn


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (turn(content="I moved to Lisbon. It is sunny."), "User: I moved to Lisbon."),
        (turn(content="Hi. I need a flight to Porto!"), "User: Hi. I need a flight to Porto!"),
        (turn(content="今日は雨です。明日は晴れ。"), "User: 今日は雨です。"),
        (turn(content="no end to this"), "User: no end to this"),
        (turn(author="Ana", content="It is me."), "Ana: It is me."),
        (turn(role="system", content="Be kind to all."), "System: Be kind to all."),
        (turn(role="tool", tool_name="search", content="3 flights"), "Tool search: 3 flights"),
        (turn(role="tool", content="3 flights"), "Tool: 3 flights"),
        (turn(content="  \n "), ""),
        (
            turn(
                role="assistant",
                tool_calls=[{"function": {"name": "search", "arguments": '{"to": "Porto", "people": 2}'}}],
            ),
            "Assistant called search(to: Porto, people: 2)",
        ),
        (
            turn(role="assistant", content="Let me look.", tool_calls=[{"name": "look", "input": {"at": ["a"]}}]),
            'Assistant called look(at: ["a"]): Let me look.',
        ),
        (turn(role="assistant", tool_calls=[{"name": "now"}, {"args": "half {"}]), None),
    ],
)
def test_a_turn_is_one_line(message: object, line: str | None) -> None:
    expected = "Assistant called now(); a tool(half {)" if line is None else line
    assert message_line(message) == expected  # type: ignore[arg-type]


def test_a_long_sentence_is_cut_at_a_word() -> None:
    cut = first_sentence("word " * 100)
    assert cut.endswith("word…")
    assert len(cut) <= 161


def test_a_table_is_read_without_its_lines() -> None:
    table = "The strips\n| Strip | pH |\n|---|:-:|\n| S1 | 6.4 |\ncat x | grep y"
    assert first_sentence(table) == "The strips Strip, pH; S1, 6.4; cat x | grep y"


def test_calls_nested_too_deep_to_read_are_shown_as_written() -> None:
    line = message_line(turn(role="assistant", tool_calls=[{"name": "f", "arguments": "[" * 4000}]))
    assert line.startswith("Assistant called f([[[")
    assert len(line) < 200


def test_the_list_without_a_model() -> None:
    turns = [turn(content="I moved to Lisbon."), turn(2, "assistant", "How do you like it?"), turn(3)]
    assert extend_summary("", turns, 200) == (
        "Recent condensed turns:\n- User: I moved to Lisbon.\n- Assistant: How do you like it?"
    )


def test_the_list_goes_on_where_it_ended() -> None:
    first = extend_summary("", [turn(content="I moved to Lisbon.")], 200)
    second = extend_summary(first, [turn(2, content="I sold the car.")], 200)
    assert second == "Recent condensed turns:\n- User: I moved to Lisbon.\n- User: I sold the car."


def test_what_an_agent_wrote_stays_ahead_of_the_list() -> None:
    whole = extend_summary("Ana plans a move.", [turn(content="I sold the car.")], 200)
    assert whole == "Ana plans a move.\n\nRecent condensed turns:\n- User: I sold the car."


def test_the_oldest_lines_are_left_out_and_it_says_so_once() -> None:
    text = ""
    for number in range(1, 60):
        text = extend_summary(text, [turn(number, content=f"This is saying number {number}.")], 120)
    lines = text.splitlines()
    assert lines[:2] == [HEADING, LEFT_OUT]
    assert lines[-1] == "- User: This is saying number 59."
    assert text.count(LEFT_OUT) == 1
    assert len(lines) > 5


def test_nothing_said_changes_nothing() -> None:
    assert extend_summary("Ana plans a move.", [turn()], 200) == "Ana plans a move."
    assert extend_summary("", [], 200) == ""


def test_the_summariser_is_the_list() -> None:
    turns = [turn(content="I moved to Lisbon.")]
    assert asyncio.run(ExtractiveSummariser().summarise("", turns, 200)) == extend_summary("", turns, 200)


@given(st.text(), st.lists(st.text(), max_size=12), st.integers(0, 300))
def test_a_summary_is_never_longer_than_its_room(earlier: str, said: list[str], room: int) -> None:
    turns = [turn(seq, content=text) for seq, text in enumerate(said, 1)]
    once = extend_summary(earlier, turns, room)
    assert estimate_tokens(once) <= room
    assert estimate_tokens(extend_summary(once, turns, room)) <= room


@given(st.text())
def test_a_sentence_is_one_line(text: str) -> None:
    assert len(first_sentence(text).splitlines()) <= 1


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_any_call_can_be_shown(value: object) -> None:
    for call in ({"name": value, "arguments": value}, {"function": value}, {"input": value}):
        assert message_line(turn(role="assistant", tool_calls=[call])).startswith("Assistant called ")
