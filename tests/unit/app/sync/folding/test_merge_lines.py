"""Three-way merge: both sides are there, and nothing is lost where they overlap."""

from hypothesis import given
from hypothesis import strategies as st

from app.sync.folding.merge_lines import MergedText, merge_lines

TEXTS = st.lists(st.sampled_from(["", "a", "b", "c", "d", "<<<<<<<"]), max_size=9).map("\n".join)


def added(base: str, side: str) -> set[str]:
    return set(side.split("\n")) - set(base.split("\n"))


@given(TEXTS, TEXTS)
def test_a_side_that_changed_nothing_gives_way(base: str, side: str) -> None:
    assert merge_lines(base, base, side) == merge_lines(base, side, base) == MergedText(side)


@given(TEXTS, TEXTS)
def test_two_sides_that_agree_do_not_overlap(base: str, side: str) -> None:
    assert merge_lines(base, side, side) == MergedText(side)


@given(TEXTS, TEXTS, TEXTS)
def test_every_line_is_in_the_text_or_kept(base: str, earlier: str, later: str) -> None:
    merged = merge_lines(base, earlier, later)
    lines = set(merged.text.split("\n"))
    assert added(base, later) <= lines
    assert added(base, earlier) <= lines | set((merged.kept or "").split("\n"))
    assert merged.kept in (None, earlier)
    assert lines <= {line for text in (base, earlier, later) for line in text.split("\n")}


@given(st.lists(st.sampled_from("abc"), min_size=3, max_size=12), st.data())
def test_edits_of_different_lines_are_both_there(base: list[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(base) - 3))
    second = data.draw(st.integers(first + 1, len(base) - 1))
    numbered = [f"{line}{number}" for number, line in enumerate(base)]
    one, other, both = list(numbered), list(numbered), list(numbered)
    one[first] = both[first] = "first"
    other[second] = both[second] = "second"
    texts = ["\n".join(lines) for lines in (numbered, one, other, both)]
    assert merge_lines(texts[0], texts[1], texts[2]) == MergedText(texts[3])
    assert merge_lines(texts[0], texts[2], texts[1]) == MergedText(texts[3])


def test_lines_added_at_the_end_stand_in_order() -> None:
    assert merge_lines("a", "a\nb", "a\nc").text == "a\nb\nc"
    assert merge_lines("a\n", "a\nb\n", "a\nc\n") == MergedText("a\nb\nc\n")


def test_what_two_insertions_share_is_there_once() -> None:
    assert merge_lines("a\n", "a\n# Friday\nb\n", "a\n# Friday\nc\n") == MergedText("a\n# Friday\nb\nc\n")


def test_of_one_line_changed_twice_the_later_stands_and_the_earlier_is_kept() -> None:
    merged = merge_lines("title\nold\nend", "title\nmine\nend\nmore", "title\nyours\nend")
    assert merged == MergedText("title\nyours\nend\nmore", "title\nmine\nend\nmore")


def test_a_line_changed_here_and_deleted_there_is_kept() -> None:
    assert merge_lines("a\nb\nc", "a\nB\nc", "a\nc") == MergedText("a\nc", "a\nB\nc")
    assert merge_lines("a\nb\nc", "a\nc", "a\nB\nc") == MergedText("a\nB\nc", "a\nc")


def test_a_deletion_stays_where_the_other_side_changed_other_lines() -> None:
    assert merge_lines("a\nb\nc\nd", "a\nc\nd", "a\nb\nc\nD") == MergedText("a\nc\nD")


def test_line_ends_stay_as_they_are() -> None:
    assert merge_lines("a\r\nb\r\n", "A\r\nb\r\n", "a\r\nb\r\nc\r\n").text == "A\r\nb\r\nc\r\n"


def test_long_texts_of_equal_lines_are_merged() -> None:
    base = "\n" * 50_000
    merged = merge_lines(base, "x" + base, base + "y")
    assert merged == MergedText("x" + base + "y")
