"""Places of grouped rows against a plain count."""

from hypothesis import given
from hypothesis import strategies as st

from ui.widgets.lists.row_groups import RowGroups

HEIGHT, HEADING = 7, 3


@given(st.lists(st.integers(0, 6), max_size=8))
def test_rows_are_where_a_plain_count_puts_them(counts: list[int]) -> None:
    groups = RowGroups([(f"group {number}", count) for number, count in enumerate(counts)])
    top, row, owners = 0, 0, []
    for number, count in enumerate(counts):
        for place in range(count):
            height = HEIGHT + (0 if place else HEADING)
            assert groups.title_of(row) == ("" if place else f"group {number}")
            assert groups.top_of(row, HEIGHT, HEADING) == top
            owners += [row] * height
            top, row = top + height, row + 1
    assert groups.top_of(row, HEIGHT, HEADING) == top
    assert [groups.row_at(place, HEIGHT, HEADING) for place in range(top)] == owners
    assert groups.row_at(top, HEIGHT, HEADING) >= row
    assert groups.row_at(-1, HEIGHT, HEADING) < 0


def test_without_groups_rows_follow_each_other() -> None:
    groups = RowGroups()
    assert not groups
    assert groups.top_of(3, HEIGHT, HEADING) == 3 * HEIGHT
    assert groups.row_at(3 * HEIGHT - 1, HEIGHT, HEADING) == 2
