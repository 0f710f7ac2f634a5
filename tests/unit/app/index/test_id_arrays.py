"""Arrays of chunk ids: reading joined ids, and growth within the same memory."""

import numpy as np
import pytest

from app.index.id_arrays import grown, parse_ids


@pytest.mark.parametrize(
    ("text", "ids"), [(None, []), ("", []), ("7", [7]), ("3 -1 9000000000", [3, -1, 9_000_000_000])]
)
def test_joined_ids(text: str | None, ids: list[int]) -> None:
    assert parse_ids(text).tolist() == ids


@pytest.mark.parametrize("shape", [(1,), (1, 3)])
def test_growth_keeps_rows_and_adds_zeros(shape: tuple[int, ...]) -> None:
    array = np.ones(shape, dtype=np.uint16)
    for size in range(2, 100):
        array = grown(array, size)
        assert (len(array), array.dtype, array.shape[1:]) == (size, np.uint16, shape[1:])
        assert (array[:-1] == 1).all()
        assert (array[-1] == 0).all()
        array[-1] = 1


def test_growth_rarely_copies() -> None:
    array, copies = np.zeros(1), 0
    for size in range(2, 10_000):
        larger = grown(array, size)
        copies += not np.shares_memory(array, larger)
        array = larger
    assert copies < 200
