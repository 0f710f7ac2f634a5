"""Text as it may be stored, compared and shown."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.text import collapse, content_hash, excerpt, storable, without_markup
from app.core.text_rules.token_estimate import estimate_tokens

ANY = st.text(st.characters(categories=["L", "N", "P", "S", "Z", "C"]))


def test_what_cannot_be_stored_is_replaced_and_counted() -> None:
    assert storable("a\x00b\ud800c") == ("a␀b\ufffdc", 2)
    assert storable("\ud83d\ude00") == ("😀", 0)
    assert storable("plain") == ("plain", 0)


@given(ANY)
def test_storable_text_is_utf8_and_stays_as_it_is(text: str) -> None:
    clean, _ = storable(text)
    clean.encode("utf-8")
    assert "\x00" not in clean
    assert storable(clean) == (clean, 0)


def test_hash_is_of_what_is_read() -> None:
    assert content_hash("Rosa  canina\n") == content_hash("rosa canina")
    assert content_hash("a", "b") != content_hash("ab")
    assert content_hash("a\ud800")


@given(ANY, st.integers(2, 80))
def test_excerpts_fit(text: str, length: int) -> None:
    shown = excerpt(text, length)
    assert len(shown) <= length + 1
    assert "\n" not in shown


def test_excerpts_end_at_words() -> None:
    assert excerpt("one two three four", 9) == "one two…"
    assert excerpt("  short ", 9) == "short"
    assert collapse("e\u0301 \t x") == "é x"


def test_tokens() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("abcdefgh") == 2
    assert estimate_tokens("我们今天") == 4


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("# Soil and *compost*", "Soil and *compost*"),
        ("| Strip | pH | | --- | :-: | | 1 | 6.5 |", "Strip pH 1 6.5"),
        ("See [[Ines Duarte]] and [[Soil|the bed]]", "See Ines Duarte and the bed"),
        ("Ask **Anna** `now` [here](https://x.org)", "Ask Anna now here"),
        ("> quoted\n- [ ] buy\n- sell", "quoted buy sell"),
        ("Text ## Heading with C# and #tag", "Text Heading with C# and #tag"),
        ("cut [[Ines Dua…", "cut Ines Dua…"),
        ("a | b, 2 - 1 = 1", "a | b, 2 - 1 = 1"),
    ],
)
def test_the_words_of_markdown(markdown: str, words: str) -> None:
    assert without_markup(markdown) == words


@given(text=st.one_of(st.text(), st.text(st.sampled_from(" ab\t\n\x1f\x7f\u00a0e\u0301"), max_size=12)))
def test_collapsed_text_is_its_words_in_normal_form(text: str) -> None:
    assert collapse(text) == " ".join(unicodedata.normalize("NFC", text).split())
