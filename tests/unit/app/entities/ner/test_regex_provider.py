"""Mentions, hashtags and dates are found whole; lookalikes, addresses, colours and code are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.entities.ner import regex_provider
from app.entities.ner.provider import MAX_SPANS, NOTHING_KNOWN
from app.entities.ner.regex_provider import RegexProvider


def found(text: str) -> list[tuple[str, str]]:
    return sorted((span.type, span.text) for span in RegexProvider().extract(text, NOTHING_KNOWN))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("ask @alice_b or @bob.", [("mention", "@alice_b"), ("mention", "@bob")]),
        ("#garden and #été-2 but not #123 or a#b", [("hashtag", "#garden"), ("hashtag", "#été-2")]),
        ("mail a.b+c@mail.example.org, please", []),
        ("see (https://x.org/a_(b)?c=1#d) and www.example.com/@bob/2024-05-03", []),
        ("the colours #fff, #C0FFEE and #rrggbb", []),
        ("`#include` and `@bob`, npm @types/node", []),
        ("on 2024-05-03 and 3/5/2024", [("date", "2024-05-03"), ("date", "3/5/2024")]),
        ("May 3rd, 2024 or 3 May 2024", [("date", "3 May 2024"), ("date", "May 3rd, 2024")]),
        ("March 2024 and 3. Oktober", [("date", "March 2024")]),
        ("2024年5月3日出发", [("date", "2024年5月3日")]),
        ("you may 3 times, version 1.2.3, 192.168.1.1, 2024-13-40", [("date", "may 3")]),
        ("no@where and @ alone, # alone", []),
    ],
)
def test_forms(text: str, wanted: list[tuple[str, str]]) -> None:
    assert found(text) == wanted


def test_spans_say_where() -> None:
    text = "x " * 10 + "@bob"
    (span,) = RegexProvider().extract(text, NOTHING_KNOWN)
    assert text[span.start : span.end] == span.text == "@bob"


def test_a_flood_is_cut_off() -> None:
    assert len(RegexProvider().extract("@a " * 20_000, NOTHING_KNOWN)) <= MAX_SPANS


_SIGNS = [*"0159 .,/-_:x", "  ", "年", "月", "日"]
_PIECES = st.sampled_from(
    [*_SIGNS, "2024", "12", "31", "may", "May", "sept", "september", "Jan.", "ſept", "August", "nd"]
)


@given(st.lists(_PIECES, max_size=14).map("".join))
def test_dates_are_those_that_the_pattern_finds_anywhere(text: str) -> None:
    expected = [(found.start(), found[0]) for found in regex_provider._DATE.finditer(text)]
    assert [(found.start(), found[0]) for found in regex_provider._dates(text)] == expected
