"""Batches: all items, in order, in lists of one size."""

from hypothesis import given
from hypothesis import strategies as st

from app.core.item_batches import batched


@given(st.lists(st.integers(), max_size=50), st.integers(1, 12))
def test_batches_hold_all_items_in_order(items: list[int], size: int) -> None:
    found = list(batched(iter(items), size))
    assert [one for batch in found for one in batch] == items
    assert all(len(batch) == size for batch in found[:-1])
    assert all(1 <= len(batch) <= size for batch in found)
