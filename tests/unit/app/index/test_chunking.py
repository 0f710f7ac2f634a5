"""Pieces and passages: nothing is lost, nothing is taken apart, and work can be continued."""

from itertools import accumulate, pairwise

import pytest
from apsw.unicode import grapheme_iter
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.index.chunking import OVERLAP, SIZE, Passage, PassageLine, TextPiece, is_boundary, passages, pieces

CLUSTERS = (
    "a", "b", " ", "\n", ". ", "e\u0301", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪", "👍🏿", "\r\n", "각",
    "\u1100\u1161\u11a8", "กี่", "น้ำ", "क्षि", "我", "。", "☝️",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(CLUSTERS), max_size=400).map("".join) | st.text(max_size=400)
SIZES = st.tuples(st.integers(1, 80), st.integers(0, 40)).map(lambda pair: (pair[0], min(pair[1], pair[0] // 2)))


def joined(found: list[TextPiece]) -> str:
    text = ""
    for piece in found:
        text += piece.text[len(text) - piece.start :]
    return text


# Pieces -----------------------------------------------------------------------------------------------------------


def test_the_numbers() -> None:
    assert (SIZE, OVERLAP) == (640, 96)
    assert pieces("x" * SIZE) == [TextPiece("x" * SIZE, 0, SIZE)]
    two = pieces("x" * (SIZE + 1))
    assert [(piece.start, piece.end) for piece in two] == [(0, SIZE), (SIZE - OVERLAP, SIZE + 1)]
    assert pieces("") == []


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("one two three four five six", "one two three four "),
        ("One two. Three four five six seven", "One two. Three four "),
        ("One two three. Four five six", "One two three. "),
        ("One two three\nfour. five six seven", "One two three\n"),
        ("One two three\n\nfour\nfive six seven", "One two three\n\n"),
        ("一二三四五六七八九十一二三四五。六七八九十", "一二三四五六七八九十一二三四五。"),
        ("x" * 40, "x" * 20),
        ("One. " + "x" * 40, "One. " + "x" * 15),
    ],
)
def test_cuts_fall_at_the_best_place_in_the_last_third(text: str, first: str) -> None:
    assert pieces(text, 20, 4)[0].text == first


def test_overlaps_begin_at_words() -> None:
    found = pieces("alpha beta gamma delta epsilon zeta eta theta", 24, 10)
    assert [piece.text for piece in found] == ["alpha beta gamma delta ", "delta epsilon zeta eta ", "zeta eta theta"]


@pytest.mark.parametrize(("size", "overlap"), [(0, 0), (-1, 0), (10, 6), (10, -1)])
def test_sizes_that_make_no_pieces(size: int, overlap: int) -> None:
    with pytest.raises(InputError):
        pieces("text", size, overlap)


@given(TEXTS, SIZES)
def test_pieces_put_the_text_together_again(text: str, sizes: tuple[int, int]) -> None:
    size, overlap = sizes
    found = pieces(text, size, overlap)
    assert joined(found) == text
    assert all(piece.text == text[piece.start : piece.end] for piece in found)
    assert all(0 < len(piece.text) <= size for piece in found)
    for before, after in pairwise(found):
        assert before.start < after.start <= before.end < after.end
        assert before.end - after.start <= overlap


@given(st.lists(st.sampled_from(CLUSTERS), max_size=400), st.integers(0, 12))
def test_no_character_is_taken_apart(clusters: list[str], overlap: int) -> None:
    text = "".join(clusters)
    for piece in pieces(text, 24, overlap):
        assert is_boundary(text, piece.start)
        assert is_boundary(text, piece.end)


@given(st.lists(st.sampled_from([one for one in CLUSTERS if one != ". "]), min_size=1, max_size=60))
def test_characters_that_stand_alone_have_no_boundary_inside(clusters: list[str]) -> None:
    text = "".join(clusters)
    places, at = {0, len(text)}, 0
    for cluster in clusters:
        at += len(cluster)
        places.add(at)
    assert {place for place in range(len(text) + 1) if is_boundary(text, place)} <= places


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("ab", [1]),
        ("e\u0301a", [2]),
        ("\r\n\n", [2]),
        ("🇩🇪🇫🇷", [2]),
        ("x🇩🇪🇫", [1, 3]),
        ("👩\u200d👧x", [3]),
        ("👍🏿👍", [2]),
        ("☝\ufe0fx", [2]),
        ("\u1100\u1161\u11a8\u1100", [3]),
        ("가\u11a8각", [2]),
        ("1\ufe0f\u20e3", []),
        ("🏴\U000e0067\U000e007fx", [3]),
        ("ก\u0e33x", [2]),
        ("क\u094dष", []),
        ("ｶﾞｶ", [2]),
    ],
)
def test_boundaries(text: str, places: list[int]) -> None:
    assert [place for place in range(1, len(text)) if is_boundary(text, place)] == places


@given(TEXTS | st.text("🇩🇪a\u0301\u200d", max_size=400))
def test_boundaries_are_those_of_the_whole_text(text: str) -> None:
    places = list(accumulate(map(len, grapheme_iter(text)), initial=0))
    assert [place for place in range(len(text) + 1) if is_boundary(text, place)] == places


def test_one_endless_character_is_cut() -> None:
    text = "e" + "\u0301" * 5000
    found = pieces(text)
    assert joined(found) == text
    assert max(len(piece.text) for piece in found) <= SIZE


# Passages ---------------------------------------------------------------------------------------------------------


def lines(*texts: str, author: str = "a") -> list[PassageLine]:
    return [PassageLine(seq, author, text, seq * 10) for seq, text in enumerate(texts)]


def test_turns_are_joined_with_their_authors() -> None:
    found = passages(
        [PassageLine(3, "Ann", "Hello", 30), PassageLine(4, "bot", " Hi! ", 40), PassageLine(6, "", "…", 60)]
    )
    assert found == [Passage(3, 6, "Ann: Hello\nbot: Hi!\n…", closed=False, created_ms=60)]


def test_a_full_passage_is_closed_and_the_next_repeats_its_last_lines() -> None:
    found = passages(lines("one", "two", "three", "four"), size=16, overlap=7)
    assert [(p.seq_start, p.seq_end, p.text, p.closed) for p in found] == [
        (0, 1, "a: one\na: two", True),
        (2, 2, "a: two\na: three", True),
        (3, 3, "three\na: four", False),
    ]


def test_no_repetition_where_the_turn_needs_the_room() -> None:
    found = passages(lines("one", "x" * 12), size=16, overlap=7)
    assert [p.text for p in found] == ["a: one", "a: " + "x" * 12]


def test_a_long_turn_has_passages_of_its_own() -> None:
    found = passages(lines("before", "word " * 300, "after"))
    assert [(p.seq_start, p.seq_end) for p in found] == [(0, 0), (1, 1), (1, 1), (1, 1), (2, 2)]
    assert all(p.text.startswith("a: word") for p in found[1:4])
    assert all(len(p.text) <= SIZE for p in found)
    assert found[-1].text.endswith("\na: after")
    assert found[-1].text.startswith("word")


def test_turns_without_text_are_skipped() -> None:
    assert passages(lines("", " \n", "x", "")) == [Passage(2, 2, "a: x", closed=False, created_ms=20)]
    assert passages([]) == []


def test_an_endless_author_is_shortened() -> None:
    found = passages(lines("hello", author="n" * 1000))
    assert len(found[0].text) < 100


def test_the_open_tail_can_be_left_out() -> None:
    assert passages(lines("one"), open_tail=False) == []


MESSAGES = st.lists(
    st.text(alphabet="ab .\n我e\u0301", max_size=30) | st.integers(0, 90).map(lambda count: "word " * count),
    max_size=30,
).map(lambda texts: [PassageLine(2 * seq, "ab"[seq % 2], text, seq) for seq, text in enumerate(texts)])
PASSAGE_SIZES = st.tuples(st.integers(20, 120), st.integers(0, 12))


@given(MESSAGES, PASSAGE_SIZES, st.data())
def test_continuing_makes_the_same_passages(
    messages: list[PassageLine], sizes: tuple[int, int], data: st.DataObject
) -> None:
    size, overlap = sizes
    whole = passages(messages, size=size, overlap=overlap)
    known = data.draw(st.integers(0, len(messages)))
    made = passages(messages[:known], size=size, overlap=overlap, open_tail=False)
    assert whole[: len(made)] == made
    last = made[-1] if made else None
    later = [message for message in messages if last is None or message.seq > last.seq_end]
    assert made + passages(later, after=last, size=size, overlap=overlap) == whole


@given(MESSAGES, PASSAGE_SIZES)
def test_each_turn_lies_in_a_passage(messages: list[PassageLine], sizes: tuple[int, int]) -> None:
    size, overlap = sizes
    found = passages(messages, size=size, overlap=overlap)
    assert all(len(passage.text) <= size for passage in found)
    assert [passage.closed for passage in found[:-1]] == [True] * (len(found) - 1) if found else True
    for message in messages:
        body = message.text.strip()
        holding = [p for p in found if p.seq_start <= message.seq <= p.seq_end]
        if body and len(body) + 3 <= size:
            assert len(holding) == 1
            assert f"{message.author}: {body}" in holding[0].text
        elif body:
            assert len(holding) >= 1
            assert {(p.seq_start, p.seq_end) for p in holding} == {(message.seq, message.seq)}
    starts = [p.seq_start for p in found]
    assert starts == sorted(starts)


def test_turns_join_while_they_fit_to_the_last_character() -> None:
    turns = [PassageLine(1, "", "a" * 10), PassageLine(2, "", "b" * 9)]
    assert [(one.text, one.closed) for one in passages(turns, size=20, overlap=0)] == [
        (f"{'a' * 10}\n{'b' * 9}", False)
    ]
    turns[1] = PassageLine(2, "", "b" * 10)
    assert [one.text for one in passages(turns, size=20, overlap=0)] == ["a" * 10, "b" * 10]


def test_an_author_counts_with_the_turn() -> None:
    assert [one.text for one in passages([PassageLine(1, "Ana", "x" * 15)], size=20, overlap=0)] == [f"Ana: {'x' * 15}"]
    assert [one.text for one in passages([PassageLine(1, "Ana", "x" * 16)], size=20, overlap=0)] == [
        f"Ana: {'x' * 15}",
        "Ana: x",
    ]


def test_what_is_repeated_gives_way_to_a_turn_that_fits_without_it() -> None:
    def texts(length: int) -> list[str]:
        turns = [PassageLine(1, "", "one two six"), PassageLine(2, "", "b" * length)]
        return [one.text for one in passages(turns, size=20, overlap=4)]

    assert texts(8) == ["one two six\nbbbbbbbb"]
    assert texts(16) == ["one two six", f"six\n{'b' * 16}"]
    assert texts(17) == ["one two six", "b" * 17]
    assert texts(20) == ["one two six", "b" * 20]
