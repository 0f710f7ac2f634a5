"""Batches of texts for a transformer."""

from app.embed.batching import CHARACTERS, MAX_TEXTS, batches


def test_nothing_to_read() -> None:
    assert [*batches([], [])] == []
    assert [*batches(["a"], [])] == []


def test_all_of_them_once_the_longest_first() -> None:
    texts = ["x" * (number * 131 % 700) for number in range(300)]
    made = [*batches(texts, range(300))]
    assert sorted(place for batch in made for place in batch) == [*range(300)]
    lengths = [len(texts[place]) for batch in made for place in batch]
    assert lengths == sorted(lengths, reverse=True)
    assert all(len(batch) <= MAX_TEXTS and len(batch) * len(texts[batch[0]]) <= CHARACTERS for batch in made)
    # None of them could have taken another one.
    assert all(len(batch) == MAX_TEXTS or (len(batch) + 1) * len(texts[batch[0]]) > CHARACTERS for batch in made[:-1])


def test_a_text_too_long_for_any_is_read_alone() -> None:
    assert [*batches(["x", "y" * CHARACTERS * 3, "z"], range(3))] == [[1], [0, 2]]
