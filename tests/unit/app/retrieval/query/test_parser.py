"""The query language: what is understood, what is text, and what is hinted."""

from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.retrieval.model import Query, Term
from app.retrieval.operators import STATES
from app.retrieval.query.parser import MAX_LENGTH, MAX_TERMS, operators, parse

NOW = round(datetime(2026, 10, 14, 15, 30, tzinfo=UTC).timestamp() * 1000)
DAY = 86_400_000


def ms(day: str) -> int:
    return round(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp() * 1000)


def understood(text: str) -> Query:
    return parse(text, NOW, UTC)


def words(query: Query) -> list[str]:
    """Return the terms as a person would write them."""
    return [
        ("-" if term.excluded else "") + (f'"{term.text}"' if term.phrase else term.text) + ("*" if term.prefix else "")
        for term in query.terms
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("red bicycle", ["red", "bicycle"]),
        ('"red bicycle" shop', ['"red bicycle"', "shop"]),
        ("“red bicycle”", ['"red bicycle"']),
        ('-cake -"apple pie" tart', ["-cake", '-"apple pie"', "tart"]),
        ("begin* -end*", ["begin*", "-end*"]),
        ('"one word"*', ["one word*"]),
        ('"unclosed phrase', ["unclosed", "phrase"]),
        ('a "b" "c', ["a", '"b"', "c"]),
        ('"a""b"', ['"a"', '"b"']),
        ('5" pipe', ["5", "pipe"]),
        ('foo"bar', ['foo"bar']),
        ("what is this?", ["what", "is", "this"]),
        ("C++ foo_bar don't a@b.example", ["C++", "foo_bar", "don't", "a@b.example"]),
        ("NEAR(a b, 2) AND ^x col:", ["NEAR(a", "b", "2", "AND", "^x", "col"]),
        ("--force -x- a-b", ["--force", "-x-", "a-b"]),
        ("我们 今天*", ["我们", "今天*"]),
        ("😀 «quoted» …", ["😀", "«quoted»"]),
        ("https://example.org/a?b=c", ["https://example.org/a?b=c"]),
        ("std::vector C:\\temp 10:30", ["std::vector", "C:\\temp", "10:30"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    query = understood(text)
    assert words(query) == expected
    assert query.hints == ()
    assert query.text == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("red bicycle", "red bicycle"),
        ('-cake "apple pie" tart*', "apple pie tart"),
        ("-cake kind:note", ""),
        ("", ""),
    ],
)
def test_what_is_excluded_is_not_among_the_words(text: str, expected: str) -> None:
    query = understood(text)
    assert query.words == expected
    assert query.has_words == bool(expected)


@pytest.mark.parametrize(
    ("text", "field", "expected"),
    [
        ("kind:note", "kinds", ("note",)),
        ("kind:note,fact", "kinds", ("note", "fact")),
        ("KIND:Episode kind:messages", "kinds", ("message",)),
        ("tag:Garden,#work", "tags", ("garden", "work")),
        ('tag:"two words"', "tags", ("two words",)),
        ('tag:"two words",one', "tags", ("two words", "one")),
        ('tag:"still typing', "tags", ("still typing",)),
        ("store:shared", "stores", ("shared",)),
        ("session:ses-1", "sessions", ("ses-1",)),
        ('agent:"Claude Code"', "agents", ("Claude Code",)),
        ("agent:“Claude Code”", "agents", ("Claude Code",)),
        ("entity:Anna", "entities", ("Anna",)),
        ("role:user,assistant", "roles", ("user", "assistant")),
        ("is:pinned is:archived is:superseded is:pending", "states", STATES),
        ("tag:a tag:A tag:b", "tags", ("a", "b")),
        ("-tag:x -kind:note,fact", "excluded", (("tag", "x"), ("kind", "note"), ("kind", "fact"))),
        ("type:Decision", "types", ("Decision",)),
        ("-is:archived", "excluded", (("is", "archived"),)),
    ],
)
def test_operators(text: str, field: str, expected: object) -> None:
    query = understood(text)
    assert getattr(query, field) == expected
    assert query.terms == ()
    assert query.hints == ()


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("after:2026-10-12", "2026-10-12", None),
        ("before:2026-10-12", None, "2026-10-12"),
        ("on:2026-10-12", "2026-10-12", "2026-10-13"),
        ("on:2026-10", "2026-10-01", "2026-11-01"),
        ('after:"last week"', "2026-10-05", None),
        ("after:yesterday before:today", "2026-10-13", "2026-10-14"),
        ("-before:2026", "2026-01-01", None),
        ("-after:2026", None, "2026-01-01"),
        ("after:2020 after:2024 before:2026 before:2025", "2024-01-01", "2025-01-01"),
        ("on:2026 on:2026-10", "2026-10-01", "2026-11-01"),
    ],
)
def test_times(text: str, since: str | None, until: str | None) -> None:
    query = understood(text)
    assert (query.since, query.until) == (since and ms(since), until and ms(until))
    assert query.hints == ()


@pytest.mark.parametrize(
    ("text", "hint", "left"),
    [
        ("knid:note pie", "Did you mean kind:", ["knid:note", "pie"]),
        ("colour:red", "There are kind:, tag:", ["colour:red"]),
        ('colour:"deep red"', "not an operator", ['"colour: deep red"']),
        (
            "kind:banana pie",
            "kind: does not know “banana”. Nothing matches that. It takes message, note",
            ["pie"],
        ),
        ("is:happy", "It takes pinned, archived, superseded, pending", []),
        ("before:someday pie", "before: does not know the time “someday”. Nothing matches that. Try today", ["pie"]),
        ("-on:2026", "use before: or after:", []),
        ("tag: pie", "tag: needs a value right after the colon", ["pie"]),
        ('tag:"" pie', "tag: needs a value", ["pie"]),
        ("after:2026 before:2025", "nothing can match", []),
    ],
)
def test_hints(text: str, hint: str, left: list[str]) -> None:
    query = understood(text)
    assert len(query.hints) == 1
    assert hint in query.hints[0]
    assert words(query) == left


@pytest.mark.parametrize("text", ["-", "()*&^%", '* - -- ( ) [] " , & ...', '"" " "', '""'])
def test_signs_alone_are_nothing_to_search_for(text: str) -> None:
    query = understood(text)
    assert query.terms == ()
    assert query.matches_nothing
    assert query.hints == ("There is nothing to search for: type a word, or an operator such as kind:note.",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("kind:zzz", True),
        ("pie kind:zzz", True),
        ("kind:zzz,note", False),
        ("kind:note role:zzz", True),
        ("-kind:zzz", False),
        ("is:zzz", True),
        ("is:pinned,zzz", True),
        ("store:zzz", True),
        ("before:notadate", True),
        ("on:", True),
        ("on: is:pinned", True),
        ("-on:2026", True),
        ("tag:", True),
        ("knid:note", False),
        ("", False),
        ("   ", False),
        ("-pie", False),
        ("after:2020", False),
        ("I was sure that the kind:of house is:that one", False),
    ],
)
def test_a_condition_that_nothing_meets(text: str, expected: bool) -> None:
    assert understood(text).matches_nothing is expected


def test_what_is_left_of_a_bad_operator_still_searches() -> None:
    query = understood("kind:note,banana before:someday tag:x pie")
    assert (query.kinds, query.tags, query.since, query.until) == (("note",), ("x",), None, None)
    assert words(query) == ["pie"]
    assert len(query.hints) == 2


def test_very_long_queries_are_cut() -> None:
    query = understood("word " * 3000)
    assert len(query.terms) == MAX_TERMS
    assert len(query.text) == MAX_LENGTH
    assert len(query.hints) == 2
    assert understood("word " * MAX_TERMS).hints == ()
    assert understood("x" * 100_000).terms == (Term("x" * MAX_LENGTH),)


def test_each_operator_has_help() -> None:
    assert [operator.name for operator in operators()] == [
        *("kind", "tag", "store", "session", "agent", "entity", "role", "project", "type", "file"),
        *("before", "after", "on", "is"),
    ]
    assert all(operator.help for operator in operators())


@pytest.mark.parametrize("operator", operators(), ids=lambda operator: operator.name)
def test_each_shown_value_is_understood(operator) -> None:
    for value in operator.values:
        assert understood(f"{operator.name}:{value}").hints == ()


# Sentences --------------------------------------------------------------------------------------------------------

SENTENCE = "What did we say about the house and the garden?"
PASSAGE = f"{SENTENCE} I would like to know it all again.\nWe spoke of it when you were here last, in the spring."


@pytest.mark.parametrize(
    ("text", "demanded"),
    [
        ('"weep holes"', ["weep holes"]),
        ('who said "weep holes" about it?', ["weep holes"]),
        ('wall "weep holes" gravel drain pipe clay slope spring', ["weep holes"]),
        (f'{SENTENCE} "weep holes"', []),
        (f'tag:garden {SENTENCE} "weep holes" "dry stone"', []),
        ('Remind me again: the "weep holes" need fleece and gravel behind.', []),
        ("昨天 我们 说了 什么 关于 旅行 的事情。 “两 只 猫” 在哪里。", []),
        (f'{PASSAGE} "weep holes"', []),
    ],
)
def test_only_few_words_demand_a_phrase(text: str, demanded: list[str]) -> None:
    query = understood(text)
    assert [term.text for term in query.terms if term.phrase] == demanded
    assert [hint for hint in query.hints if "preferred" in hint] == list(query.hints)
    assert bool(query.hints) == (not demanded)


def test_a_preferred_phrase_is_there_as_words_and_side_by_side() -> None:
    query = understood(f'{SENTENCE} "weep holes." Or "fleece"?')
    assert words(query)[-5:] == ["weep", "holes", "Or", "fleece", "weep holes"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mulch -straw", ["-straw"]),
        (f"{SENTENCE} -straw", ["-straw"]),
        ('wall gravel drain pipe clay slope spring -"weep holes"', ['-"weep holes"']),
        (f"{PASSAGE} -straw", []),
        (f'{PASSAGE} -"two words"', []),
        (f"{PASSAGE} it was -5 outside", []),
        ("-eggs\n-milk\n-bread", []),
    ],
)
def test_a_hyphen_excludes_nothing_in_a_passage(text: str, expected: list[str]) -> None:
    assert [word for word in words(understood(text)) if word.startswith("-")] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a **must** now", ["a", "must", "now"]),
        ("the *whole list*, please", ["the", "whole", "list", "please"]),
        ("***both*** (*here*)", ["both", "here"]),
        ("**open and closed", ["open", "and", "closed"]),
        ("closed**", ["closed"]),
        ("begin* of *begin* again*", ["begin*", "of", "begin", "again*"]),
    ],
)
def test_stressed_words_are_no_beginnings(text: str, expected: list[str]) -> None:
    assert words(understood(text)) == expected


@pytest.mark.parametrize(
    ("added", "expected"),
    [
        ("Before: a wall.", ["Before", "a", "wall"]),
        ("It is:that, and role:gardener", ["It", "is", "that", "and", "role", "gardener"]),
        ("re: it, note:this", ["re", "it", "note:this"]),
        ('She said:"the weep holes"', ["She", "said", "the", "weep", "holes", "the weep holes"]),
    ],
)
def test_a_colon_in_a_sentence_loses_no_word(added: str, expected: list[str]) -> None:
    query = understood(f"{SENTENCE} {added}")
    assert words(query)[10:] == expected
    assert not any("needs a value" in hint or "not an operator" in hint for hint in query.hints)


def test_operators_work_in_a_passage() -> None:
    query = understood(f"tag:garden {PASSAGE} -kind:note before:2026")
    assert (query.tags, query.excluded, query.until) == (("garden",), (("kind", "note"),), ms("2026-01-01"))


PROSE = st.lists(
    st.sampled_from(
        [
            *(
                '"weep holes"',
                '"fleece',
                "-like",
                "-5",
                "*so*",
                "**very",
                "much**",
                "(in",
                "fact)",
                "don't",
                "—",
                "- one",
            ),
            *(
                "\n",
                "\n- two",
                "\n1. three",
                "note:",
                "re:",
                "PS:",
                "https://example.org/a?b=c#d",
                "😀",
                "🙂🙂",
                "`code`",
            ),
            *("a_b", "C++", "50%", "10:30", "“said”", "’tis", "…", "half-way", "#1", "[link](x)", "> quoted", "我们"),
        ]
    ),
    max_size=30,
)


@given(PROSE)
def test_nothing_in_a_pasted_passage_is_a_command(parts: list[str]) -> None:
    query = understood(" ".join([PASSAGE, *parts]))
    assert not any(term.phrase or term.excluded or term.prefix for term in query.terms)
    assert (query.since, query.until, query.excluded, query.tags, query.states) == (None, None, (), (), ())
    query_text = " ".join(term.text for term in query.terms)
    assert all(word in query_text for word in ("weep", "holes") if '"weep holes"' in parts)
    assert ("like" in query_text.split()) == ("-like" in parts or "like" in PASSAGE.split())


# Any text ---------------------------------------------------------------------------------------------------------


QUERIES = st.text(max_size=120) | st.lists(
    st.sampled_from(
        [
            "kind:",
            "tag:",
            "-",
            '"',
            "“",
            "*",
            ",",
            " ",
            "before:",
            "on:",
            "is:",
            "today",
            "note",
            "x",
            "我",
            ":",
            "2026",
            "\ud800",
        ]
    ),
    max_size=25,
).map("".join)


@given(QUERIES)
@example('-"')
@example("-:")
@example("tag:,,,")
@example('; one two three four five six seven. "; ;" "-- !" "a ,"')
def test_any_text_is_a_query(text: str) -> None:
    query = understood(text)
    assert len(query.terms) <= MAX_TERMS
    assert all(term.text.strip() for term in query.terms)
    assert all("\ud800" not in term.text for term in query.terms)
    assert query == understood(text)


PLAIN = st.text(alphabet="abcdefgh我é", min_size=1, max_size=8)


@given(st.lists(st.tuples(st.lists(PLAIN, min_size=1, max_size=3), st.booleans(), st.booleans()), max_size=8))
def test_what_is_written_is_understood(parts: list) -> None:
    written = [
        ("-" if excluded else "") + (f'"{" ".join(several)}"' if phrase else several[0])
        for several, phrase, excluded in parts
    ]
    assert words(understood(" ".join(written))) == written
