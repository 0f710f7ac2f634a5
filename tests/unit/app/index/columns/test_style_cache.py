"""Style features are computed once for each chunk and kept when later chunks arrive."""

from collections.abc import Sequence

import numpy as np

from app.index.columns.style_cache import StyleFeatureCache

TEXTS = {1: "I met Ana in May", 2: "you have 3 hens", 70_000: "nothing"}


class Reader:
    """Gives the texts and knows which were asked for."""

    def __init__(self) -> None:
        self.read: list[int] = []

    def __call__(self, ids: Sequence[int]) -> list[str]:
        self.read += ids
        return [TEXTS[chunk] for chunk in ids]


def test_what_was_read_is_not_read_again() -> None:
    style_features, reader = StyleFeatureCache(), Reader()
    first, every = np.array([2, 1]), np.array([70_000, 1, 2])
    assert style_features.persons(first, reader).tolist() == [[0, 1 / 9], [1 / 10, 0]]
    assert reader.read == [2, 1]
    assert style_features.persons(every, reader).tolist() == [[0, 0], [1 / 10, 0], [0, 1 / 9]]
    assert reader.read == [2, 1, 70_000]
    assert style_features.persons(every, reader).tolist() == [[0, 0], [1 / 10, 0], [0, 1 / 9]]
    assert reader.read == [2, 1, 70_000]


def test_numbers_names_and_times_are_kept_apart() -> None:
    style_features, reader, ids = StyleFeatureCache(), Reader(), np.array([1, 2])
    for _ in range(2):
        assert style_features.numbers(ids, reader).tolist() == [0, 1]
        assert style_features.names(ids, reader).tolist() == [2, 0]
        assert style_features.time_words(ids, ["on monday", "never"]).tolist() == [1, 0]
    assert reader.read == [1, 2, 1, 2]
    assert style_features.time_words(ids[:0], []).tolist() == []


def test_authors_are_known_or_not() -> None:
    style_features = StyleFeatureCache()
    assert style_features.authors_of(np.array([5, 1])).tolist() == [-1, -1]
    style_features.keep_authors(np.array([5, 2, 9]), ["Ana", "", "Ana"])
    style_features.keep_authors(np.array([100_000]), ["Ben"])
    found = style_features.authors_of(np.array([9, 2, 1, 5, 100_000])).tolist()
    assert [None if number < 0 else style_features.authors[number] for number in found] == [
        "Ana",
        "",
        None,
        "Ana",
        "Ben",
    ]
