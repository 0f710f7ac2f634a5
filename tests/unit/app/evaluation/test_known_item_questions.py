"""Questions made from texts, in every script, the same for the same seed."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.text_rules.recall_fence import fence_text
from app.evaluation.known_item_questions import (
    Frequencies,
    KnownItem,
    distinctive,
    frequencies,
    question_of,
    questions,
    script_of,
)
from app.retrieval.query.match_expression import has_token
from app.retrieval.query.parser import parse

TEXTS = {
    "latin": "The grey heron caught a frog beside the crooked lock gate yesterday evening.",
    "han": "我们今天去植物园看梨树和苹果树，然后喝了两杯绿茶。",
    "kana": "春に接ぎ木したりんごの木は元気ですか。お部屋のこと、ありがとうございます。",
    "hangul": "오늘은 정원에서 배나무와 사과나무를 심었습니다",
    "thai": "วันนี้เราไปดูต้นไม้ในสวนและดื่มชาเขียวสองถ้วย",
    "cyrillic": "Вчера учительница показала первую позицию левой руки на альте.",
}
NONE = Frequencies({}, 0)
ITEMS = [KnownItem(f"{name}#{number}", f"{text} {number * 7919}") for name, text in TEXTS.items() for number in (1, 2)]


def test_questions_use_the_script_of_their_text() -> None:
    for name, text in TEXTS.items():
        assert script_of(text) == name
        for seed in range(20):
            question = question_of(KnownItem("x", text), NONE, Random(seed))
            assert question is not None
            assert question.script == name
            assert all(part in text for part in question.query.split())
            assert question.query != text


def test_the_same_seed_asks_the_same_and_few_change_when_others_come() -> None:
    many = [KnownItem(f"s#{number}", f"alder{number} birch{number} cedar{number} elm{number}") for number in range(40)]
    query_text = questions(many, 10, 7)
    assert query_text == questions(list(reversed(many)), 10, 7)
    assert query_text != questions(many, 10, 8)
    more = questions([*many, KnownItem("t#1", "walnut hazel chestnut oak")], 10, 7)
    assert len({one.target for one in query_text} & {one.target for one in more}) >= 9


def test_short_and_repeated_texts_make_no_questions() -> None:
    assert questions([], 5, 1) == []
    assert questions([KnownItem("a", "Yes."), KnownItem("b", "🦩"), KnownItem("c", "")], 5, 1) == []
    same = "heron frog lock gate evening"
    assert questions([KnownItem("a", same), KnownItem("b", f" {same.upper()} ")], 5, 1) == []


def test_words_that_many_texts_have_tell_nothing_apart() -> None:
    assert distinctive("The heron and the frog ate, the heron 2024 left") == ["heron", "frog", "ate", "left"]
    many = [KnownItem(f"s#{number}", f"common alder{number} birch{number} cedar{number}") for number in range(30)]
    query_text = questions(many, 30, 1)
    assert len(query_text) == 30
    assert all("common" not in question.query for question in query_text)


def test_rare_words_are_avoided_where_others_do() -> None:
    woods = ("alder", "birch", "cedar", "elm", "hazel", "larch", "maple")
    many = [
        KnownItem(
            f"note-{number}", " ".join((*woods[number % 7 :], *woods[: number % 7][:-2], f"rare{number}", "seldom"))
        )
        for number in range(5)
    ]
    many += [KnownItem(f"note-{number}", f"filler{number} filling{number} filled{number}") for number in range(10, 50)]
    known = frequencies(many)
    assert known.telling("alder rare1 birch cedar") == ["alder", "birch", "cedar"]
    assert known.telling("alder rare1 birch") == ["alder", "rare1", "birch"]
    query_text = [question for question in questions(many, 50, 1) if int(question.target[5:]) < 10]
    assert len(query_text) == 5
    assert not any("rare" in question.query for question in query_text if question.shape == "words")


def test_a_question_is_the_query_for_its_answer() -> None:
    item = KnownItem("s#8", "In the shed beside the weir", "Fine weather. Where does the grey heron sleep? I wonder.")
    question = question_of(item, NONE, Random(1))
    assert question is not None
    assert (question.query, question.shape) == ("Where does the grey heron sleep", "asked")
    assert (question.target, question.neighbours, question.excluded_id) == ("s#8", ("s#9",), "s#7")


@pytest.mark.parametrize("before", ["Really?", "What?? " + "x" * 300 + "?", "They sleep by the weir.", ""])
def test_a_question_that_says_too_little_is_none(before: str) -> None:
    question = question_of(KnownItem("s#8", "In the shed beside the weir", before), NONE, Random(1))
    assert question is not None
    assert question.shape == "words"
    assert question.neighbours == ("s#7", "s#9")


def test_what_was_said_before_is_remembered_too() -> None:
    item = KnownItem("s#8", "shed weir elder poplar", "heron frog umbrella")
    for seed in range(20):
        question = question_of(item, NONE, Random(seed))
        assert question is not None
        query_text = set(question.query.split())
        assert query_text & {"heron", "frog", "umbrella"}
        assert query_text & {"shed", "weir", "elder", "poplar"}


def test_a_run_is_combined_with_one_of_the_previous_message() -> None:
    question = question_of(KnownItem("s#2", TEXTS["han"], "苹果树很好"), NONE, Random(1))
    assert question is not None
    own, said = question.query.split()
    assert own in TEXTS["han"]
    assert said in "苹果树很好"
    question = question_of(KnownItem("s#2", TEXTS["han"], "你今天去哪里看苹果树？"), NONE, Random(1))
    assert question is not None
    assert (question.query, question.shape) == ("你今天去哪里看苹果树", "asked")


def test_a_memory_has_no_neighbours() -> None:
    question = question_of(KnownItem("note-1", "shed weir elder poplar"), NONE, Random(1))
    assert question is not None
    assert (question.neighbours, question.excluded_id) == ((), "")


def test_recalled_text_makes_no_questions() -> None:
    reported, _ = fence_text("heron frog lock gate evening")
    assert questions([KnownItem("a", reported)], 1, 1) == []


@given(st.text(max_size=300), st.integers(0, 1_000))
def test_any_text_makes_a_plain_query_or_none(text: str, seed: int) -> None:
    question = question_of(KnownItem("x", text), NONE, Random(seed))
    if question is None:
        return
    parsed = parse(question.query, 0)
    assert has_token(question.query)
    assert parsed.terms
    assert not any(term.excluded or term.phrase for term in parsed.terms)
    assert (parsed.kinds, parsed.tags, parsed.hints, parsed.since) == ((), (), (), None)
