"""Sections, budgets and the fence of a context, from values alone."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.context.context_text import allot, assemble, deduplicate, render_item, shorten
from app.context.model import SECTIONS, ContextItem, SectionName
from app.core.text_rules.recall_fence import without_recalled
from app.core.text_rules.token_estimate import estimate_served_tokens

BUDGETS: dict[SectionName, int] = dict.fromkeys(SECTIONS, 500)
AT = datetime(2024, 3, 1, tzinfo=UTC)


def item(item_id: str, text: str = "A heron stood by the lock.", **fields: bool) -> ContextItem:
    return ContextItem(item_id, "message", text, "2024-03-01, user", AT, **fields)


def test_empty_sections_make_an_empty_context() -> None:
    made = assemble({}, BUDGETS, 1_000)
    assert (made.text, made.mark, made.tokens, made.sections) == ("", "", 0, ())
    assert assemble({"facts": []}, BUDGETS, 1_000).text == ""


def test_each_item_appears_once_in_its_first_section() -> None:
    made = assemble({"index": [item("a"), item("b")], "facts": [item("a")]}, BUDGETS, 1_000)
    assert [(section.name, [item.id for item in section.items]) for section in made.sections] == [
        ("facts", ["a"]),
        ("index", ["b"]),
    ]
    assert made.text.index("## Relevant memory") < made.text.index("## Memory index")


def test_what_was_said_in_the_same_words_is_found_once() -> None:
    found: dict[SectionName, list[ContextItem]] = {
        "recent": [item("s#1"), item("s#2")],
        "facts": [item("a"), item("b", "A  HERON stood by\nthe lock.")],
        "turns": [item("t#1", "Another."), item("t#2", "another.")],
        "index": [item("c"), item("d")],
    }
    distinct = deduplicate(found)
    assert {name: [item.id for item in items] for name, items in distinct.items()} == {
        "recent": ["s#1", "s#2"],
        "turns": ["t#1"],
        "index": ["c", "d"],
    }


@given(st.text(max_size=60), st.integers(1, 60))
def test_a_text_is_cut_between_words_and_never_inside_a_character(text: str, length: int) -> None:
    cut = shorten(text, length)
    assert len(cut) <= max(length, 0) + 1 or cut == text
    if cut != text:
        assert text.startswith(cut[:-1])
        assert cut.endswith("…")


@pytest.mark.parametrize(
    ("text", "length", "shown"),
    [
        ("one two three", 20, "one two three"),
        ("one two three", 9, "one two…"),
        ("one two three", 7, "one two…"),
        ("unbroken" * 3, 10, "unbrokenun…"),
        ("👩‍👩‍👧👩‍👩‍👧", 7, "👩‍👩‍👧…"),
    ],
)
def test_a_text_is_cut_at_a_word(text: str, length: int, shown: str) -> None:
    assert shorten(text, length) == shown


def test_recent_messages_keep_the_newest_in_order_of_time() -> None:
    newest_first = [item(f"s#{number}", "word " * 40) for number in range(9, 0, -1)]
    made = assemble({"recent": newest_first}, BUDGETS | {"recent": 200}, 1_000)
    [section] = made.sections
    ids = [item.id for item in section.items]
    assert ids == sorted(ids)
    assert ids[-1] == "s#9"
    assert made.left_out_count == len(newest_first) - len(ids) + sum(item.is_cut for item in section.items)


def test_what_does_not_fit_is_cut_and_named() -> None:
    made = assemble({"facts": [item("long", "heron " * 2_000), item("next")]}, BUDGETS | {"facts": 100}, 1_000)
    [section] = made.sections
    assert [item.id for item in section.items] == ["long"]
    assert section.items[0].is_cut
    assert section.tokens <= 100
    assert [left.id for left in made.left_out] == ["long", "next"]


@given(
    st.dictionaries(
        st.sampled_from(SECTIONS),
        st.lists(st.tuples(st.text(max_size=400), st.booleans()), max_size=6),
        max_size=7,
    ),
    st.integers(0, 600),
)
def test_any_context_keeps_its_budget(found: dict[SectionName, list[tuple[str, bool]]], most: int) -> None:
    parts = {
        name: [item(f"{name}-{number}", text, whole_lines=lines) for number, (text, lines) in enumerate(texts)]
        for name, texts in found.items()
    }
    made = assemble(parts, BUDGETS | {"index": 60}, most)
    assert estimate_served_tokens(made.text) == made.tokens <= most
    assert without_recalled(made.text) == ""
    included = {item.id for section in made.sections for item in section.items}
    left = {one.id for one in made.left_out}
    assert included | left == {item.id for items in deduplicate(parts).values() for item in items}
    for section in made.sections:
        assert section.tokens <= section.budget
        assert all(render_item(item) in made.text for item in section.items)


@given(
    st.dictionaries(st.sampled_from(SECTIONS), st.integers(0, 5_000), max_size=7),
    st.integers(-10, 10_000),
)
def test_shares_never_exceed_the_whole_or_the_wish(wanted: dict[SectionName, int], total: int) -> None:
    given_out = allot(wanted, BUDGETS, total)
    assert given_out.keys() == wanted.keys()
    assert sum(given_out.values()) <= max(total, 0)
    assert all(0 <= given_out[name] <= wanted[name] for name in wanted)
    if sum(wanted.values()) <= total:
        assert given_out == wanted


@pytest.mark.parametrize(("total", "facts"), [(150, 50), (90, 40)])
def test_what_one_section_leaves_goes_to_the_others(total: int, facts: int) -> None:
    given_out = allot({"recent": 1_000, "facts": facts}, BUDGETS, total)
    assert given_out == {"recent": total - facts, "facts": facts}
