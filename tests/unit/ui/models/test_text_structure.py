"""Headings and number of words of texts, odd ones included."""

import pytest

from ui.models.text_structure import MAX_HEADINGS, Heading, structure_of


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("", []),
        ("#", []),
        ("# ", []),
        ("#tag", []),
        ("    # code", []),
        ("####### seven", []),
        ("# One\n## Two ##\n### *Th* [r](e) [[E|e]]", ["One", "Two", "Th r e"]),
        ("```\n# no\n```\n# yes", ["yes"]),
        ("~~~\n# no\n```\n# no\n~~~\n# yes", ["yes"]),
        ("````\n```\n# no\n````\n# yes", ["yes"]),
        ("---\n# no\n---\n# yes", ["yes"]),
        ("---\n# yes", ["yes"]),
        ("# One\r\n# Two\r\n", ["One", "Two"]),
        ("# " + "x" * 500, ["x" * 200]),
    ],
)
def test_headings_are_those_that_readers_see(text: str, titles: list[str]) -> None:
    assert [heading.title for heading in structure_of(text).headings] == titles


def test_headings_know_their_line_and_level() -> None:
    assert structure_of("a\n\n## B\n").headings == (Heading(2, "B", 2),)


def test_headings_are_limited() -> None:
    assert len(structure_of("# x\n" * (MAX_HEADINGS + 5)).headings) == MAX_HEADINGS


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("- * --- ' ''", 0),
        ("One two-three it's", 3),
        ("- [x] done\n1. [ ] open", 2),
        ("[plan](attachments/plan.pdf) ![](a.png)", 1),
        ("---\na: b c\n---\nd", 1),
        ("東京 is 2", 4),
        ("Straße café", 2),
    ],
)
def test_words_are_those_that_people_count(text: str, words: int) -> None:
    assert structure_of(text).words == words
