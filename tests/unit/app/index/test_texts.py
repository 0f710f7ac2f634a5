"""Texts that were read last are kept, and no more than so many."""

from app.index.texts import Text, Texts


def text(letter: str) -> Text:
    return Text(letter, letter * 10, False, "")


def test_what_is_asked_for_again_stays() -> None:
    texts = Texts(most=60)
    assert texts.known([1]) == [None]
    texts.keep(1, text("a"))
    for number in range(2, 40):
        texts.keep(number, text("b"))
        assert texts.known([1, number]) == [text("a"), text("b")]
    assert sum(one is not None for one in texts.known(range(40))) <= 8
