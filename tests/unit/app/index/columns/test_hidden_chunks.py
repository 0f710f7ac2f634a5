"""The mask of chunks that are not hidden agrees with a comparison of each owner."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.index.columns.hidden_chunks import HiddenChunks

NUMBERS = st.integers(-3, 3)


@given(
    st.lists(NUMBERS, max_size=30),
    st.lists(st.tuples(st.frozensets(NUMBERS, max_size=3), st.integers(0, 30)), max_size=8),
)
def test_each_answer_agrees_whatever_was_asked_before(
    owners: list[int], requests: list[tuple[frozenset[int], int]]
) -> None:
    kept, owner = HiddenChunks(), np.array(owners, dtype=np.int32)
    for hidden, size in requests:
        shown = kept.shown(owner[:size], hidden)
        assert shown.tolist() == [number not in hidden for number in owners[:size]]
