"""Ids name their kind and sort by time."""

import re
import threading

import pytest

from app.core.ids import PREFIXES, new_id, uuid7

SHAPE = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


def test_shape_and_order() -> None:
    made = [uuid7() for _ in range(10_000)]
    assert all(SHAPE.fullmatch(one) for one in made)
    assert made == sorted(set(made))


def test_threads_get_different_ones() -> None:
    made: list[str] = []
    threads = [threading.Thread(target=lambda: made.extend(uuid7() for _ in range(2_000))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 8_000


@pytest.mark.parametrize("kind", sorted(PREFIXES))
def test_the_kind_leads(kind: str) -> None:
    assert new_id(kind).startswith(PREFIXES[kind] + "-")
