"""Character pairs: what they are, and that they make a substring search."""

import unicodedata

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.index.cjk_ngrams import between, has_cjk, ngrams_of, normal, phrase, runs_of, units

WIDE = st.text(alphabet="我们今天去東京タワーカナ한국어학교กำลังไปที่น้ำລາວខ្មែរမြန်မာ", min_size=1, max_size=30)
MIXED = st.text(alphabet="我们天カ한국กี่ abcé ,.!_-1９Ａ\u0301ｶﾞ", max_size=40)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("plain words, Ünïcode and кириллица", ""),
        ("我们今天", "我们 们今 今天 天"),
        ("我们，今天", "我们 们 今天 天"),
        ("天", "天"),
        ("見る english 見る", "見る る 見る る"),
        ("我用iPhone手机", "我用 用 iPhone 手机 机"),
        ("ﾃﾞｰﾀ", "デー ータ タ"),
        ("ＡＢＣ", "ABC"),
        ("東京ＡＢ", "東京 京 AB AB"),
        ("ที่นี่", "ที่นี่ นี่"),
        ("학교에", "학교 교에 에"),
    ],
)
def test_pairs_of_neighbours_then_the_last_alone(text: str, expected: str) -> None:
    assert ngrams_of(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我们今天", (["我们", "们今", "今天"], True)),
        ("天", (["天"], True)),
        ("用iPhone", (["用", "iPhone"], False)),
        ("我们，今天", (["我们", "们", "今天"], True)),
        ("words only", ([], False)),
        ("", ([], False)),
    ],
)
def test_a_phrase_leaves_the_last_entry_open(text: str, expected: tuple[list[str], bool]) -> None:
    assert phrase(text) == expected


def test_what_lies_between_the_runs() -> None:
    assert between("say hello, 我们 at noon") == ["say hello,", "at noon"]
    assert between("我们") == []
    assert between("hello") == ["hello"]


@pytest.mark.parametrize("text", ["我", "あ", "ｱ", "한", "ไ", "ລ", "ខ", "မ", "々", "𠀋"])
def test_scripts_without_spaces_are_seen(text: str) -> None:
    assert has_cjk(text)


@pytest.mark.parametrize("text", ["", "abc", "ünï", "кот", "हिन्दी", "مرحبا", "、。・", "😀", "ＡＢＣ", "฿"])
def test_other_scripts_are_not(text: str) -> None:
    assert not has_cjk(text)


def test_conjoined_and_composed_hangul_are_one() -> None:
    assert ngrams_of(unicodedata.normalize("NFD", "한국어")) == ngrams_of("한국어")


def test_every_character_of_the_scripts_is_a_letter_digit_or_mark() -> None:
    """Characters that the tokenizer drops would make misleading pairs."""
    odd = [
        hex(point)
        for point in [*range(0x0E00, 0x32400)]
        if not 0xD800 <= point < 0xE000 and has_cjk(chr(point)) and unicodedata.category(chr(point))[0] not in "LNMC"
    ]
    assert odd == []


@given(MIXED)
def test_pairs_are_made_alike_from_any_way_of_writing_it(text: str) -> None:
    assert phrase(normal(text)) == phrase(text)
    assert runs_of(normal(text)) == runs_of(text)


@given(WIDE)
def test_units_put_the_run_together_again(text: str) -> None:
    assert "".join(units(text)) == text


@given(MIXED)
def test_each_character_of_a_run_begins_one_entry(text: str) -> None:
    characters = [unit for run in runs_of(text) for piece, wide in run if wide for unit in units(piece)]
    entries = [entry for entry in ngrams_of(text).split(" ") if has_cjk(entry)]
    assert len(entries) == len(characters)
    assert all(entry.startswith(unit) for entry, unit in zip(entries, characters, strict=True))


@given(st.text(max_size=60))
def test_any_text_is_taken(text: str) -> None:
    assert isinstance(ngrams_of(text), str)
    assert all(entry for entry in phrase(text)[0])
    assert bool(phrase(text)[0]) == has_cjk(normal(text))


def test_sqlite_agrees_that_they_are_parts_of_words() -> None:
    """Every assigned character of the scripts, as a token of its own, survives the tokenizer."""
    connection = apsw.Connection(":memory:")
    connection.execute(
        "CREATE VIRTUAL TABLE t USING fts5 (x, tokenize = \"unicode61 remove_diacritics 2 categories 'L* N* Co M*'\")"
    )
    points = [point for point in range(0x0E00, 0x32400) if not 0xD800 <= point < 0xE000 and has_cjk(chr(point))]
    connection.executemany("INSERT INTO t (rowid, x) VALUES (?, ?)", ((point, chr(point)) for point in points))
    connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab (t, 'instance')")
    kept = {row[0] for row in connection.execute("SELECT DISTINCT doc FROM v")}
    connection.close()
    assert [hex(point) for point in points if point not in kept] == []
