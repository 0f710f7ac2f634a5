"""Texts that were read last are kept, and no more than so many."""

from app.index.columns.text_cache import TextCache


def test_what_is_asked_for_again_stays() -> None:
    texts = TextCache(most=60)
    assert texts.known([1]) == [None]
    texts.keep({1: "a" * 10})
    for number in range(2, 40):
        texts.keep({number: "b" * 10})
        assert texts.known([1, number, 0]) == ["a" * 10, "b" * 10, None]
    assert sum(one is not None for one in texts.known(range(40))) <= 8


def test_an_empty_text_is_known() -> None:
    texts = TextCache()
    texts.keep({7: ""})
    assert texts.known([7, 8]) == ["", None]
