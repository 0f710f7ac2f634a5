"""Searches as text."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.retrieval.model import Hit, Query, Span, Term, Why
from ui.panes.search.query_text import (
    group_by_day,
    group_by_session,
    plain_snippet,
    significant_terms,
    terms_of,
    with_month,
    with_operator,
    without_operators,
)


def hit(identity: str, session: str | None = None, **known: object) -> Hit:
    target = "message" if session else "memory"
    base: dict[str, object] = {"kind": "note", "title": "T", "snippet": "a\nb", "highlights": (), "score": 1.0}
    when = datetime(2026, 1, 1, tzinfo=UTC)
    return Hit(id=identity, target=target, why=Why(), created_at=when, session_id=session, **{**base, **known})  # type: ignore[arg-type]


def test_operators_go_in_and_out() -> None:
    assert with_operator("rose", "tag", "garden", on=True) == "rose tag:garden"
    assert with_operator("rose tag:garden", "tag", "garden", on=True) == "rose tag:garden"
    assert with_operator("rose tag:Garden x", "tag", "garden", on=False) == "rose x"
    assert with_operator('"two words" agent:"Claude Code"', "agent", "Claude Code", on=False) == '"two words"'
    assert with_operator("", "agent", "Claude Code", on=True) == 'agent:"Claude Code"'


def test_a_search_without_its_operators() -> None:
    terms = (Term("rose"), Term("north wall", phrase=True), Term("mulch", prefix=True), Term("straw", excluded=True))
    assert without_operators(Query("", terms, kinds=("note",), tags=("garden",))) == 'rose "north wall" mulch*'
    assert without_operators(Query("kind:note", kinds=("note",))) == ""


def test_hits_gather_below_their_conversation() -> None:
    hits = [hit("s1#1", "s1"), hit("n1"), hit("s2#1", "s2"), hit("s1#2", "s1")]
    assert [(session, [one.id for one in many]) for session, many in group_by_session(hits)] == [
        ("s1", ["s1#1", "s1#2"]),
        ("", ["n1"]),
        ("s2", ["s2#1"]),
    ]


def test_hits_gather_below_their_day_the_newest_first() -> None:
    later = datetime(2026, 3, 5, 12, tzinfo=UTC)
    hits = [hit("a"), replace(hit("b"), created_at=later), hit("c")]
    assert [[one.id for one in many] for _, many in group_by_day(hits)] == [["b"], ["a", "c"]]


@pytest.mark.parametrize(
    ("text", "month", "limited"),
    [
        ("", "2026-03", "on:2026-03"),
        ("rose", "2026-03", "rose on:2026-03"),
        ("rose after:2020 on:2021-01 before:may", "2026-03", "rose on:2026-03"),
        ('on "on:" rose after:"last week"', "", 'on "on:" rose'),
        ("rose tag:on", "", "rose tag:on"),
    ],
)
def test_a_month_takes_the_place_of_other_dates(text: str, month: str, limited: str) -> None:
    assert with_month(text, month) == limited


def test_marks_follow_when_signs_go() -> None:
    text, spans = plain_snippet("Plan **rose** and [[Rose list]]", (Span(7, 11), Span(20, 24)))
    assert text == "Plan rose and Rose list"
    assert [text[span.start : span.end] for span in spans] == ["rose", "Rose"]


def test_marks_stay_on_the_words_of_links_and_leave_their_addresses() -> None:
    snippet = "All [Rust RFCs](https://rust-lang.org/rfcs), rust"
    found = [Span(at, at + 4) for at in (5, 24, 45)]
    assert [snippet[one.start : one.end].lower() for one in found] == ["rust"] * 3
    text, spans = plain_snippet(snippet, found)
    assert text == "All Rust RFCs, rust"
    assert spans == (Span(4, 8), Span(15, 19))


@pytest.mark.parametrize(
    ("snippet", "plain"),
    [
        ("it was --- he said --- true", "it was --- he said --- true"),
        ("one | two", "one | two"),
        ("952 + 1,540 = 2,492 - or 5 > 3 * 1, in C # minor", "952 + 1,540 = 2,492 - or 5 > 3 * 1, in C # minor"),
        ("| Strip | pH | | S1 | 6.4 |", "Strip · pH · S1 · 6.4"),
        ("cat x | grep y", "cat x | grep y"),
        ("# 1 - [x] is `so` __much__", "# 1 - [x] is so much"),
        ("see [Rust RFCs](https://rust-lang.org/rfcs_(old)) now", "see Rust RFCs now"),
        ('[**Bold** link](a.md "A title"), [[Rose list|the roses]]', "Bold link, the roses"),
        ("![A rose](rose.png) and [![badge](b.svg)](https://ci.org)", "A rose and badge"),
        ("a fact[^1] and [^note]: its source", "a fact and its source"),
        ("… RFCs](https://a.org/x) and [the next …", "… RFCs and the next …"),
        ("<https://a.org> if a < b", "https://a.org if a < b"),
        ("`calls[i](event)` stays", "calls[i](event) stays"),
        ("Strip | pH |---|:-:| S1 | 6.4", "Strip · pH · S1 · 6.4"),
    ],
)
def test_signs_go_where_they_are_signs(snippet: str, plain: str) -> None:
    assert plain_snippet(snippet, ())[0] == plain


@given(st.text(alphabet="ab |*_#`[]()!^<>\n-", max_size=60), st.integers(0, 60), st.integers(0, 60))
def test_marks_stay_within_the_text(snippet: str, start: int, end: int) -> None:
    text, spans = plain_snippet(snippet, (Span(min(start, end), max(start, end)),))
    assert all(0 <= span.start < span.end <= len(text) for span in spans)


def test_stop_words_do_not_count_beside_others() -> None:
    requested = [Term(word) for word in ("what", "did", "Brennan", "find", "in", "the", "soil")]
    assert [term.text for term in significant_terms(requested)] == ["Brennan", "find", "soil"]
    assert [term.text for term in significant_terms([Term("the"), Term("who", phrase=True)])] == ["who"]
    only = [Term("to"), Term("be"), Term("rain", excluded=True)]
    assert significant_terms(only) == only


def test_the_words_to_mark_are_those_a_hit_was_found_by() -> None:
    query = Query("ta rose", (Term("ta"), Term("rose")))
    assert terms_of(query, replace(hit("a"), why=Why(terms=("Rose",)))) == ("Rose",)
    assert terms_of(query, replace(hit("a"), why=Why(terms=("roses",)))) == ("roses", "rose")
    assert terms_of(query, replace(hit("a"), why=Why())) == ()
    assert terms_of(query) == ("ta", "rose")
