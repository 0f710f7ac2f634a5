"""Questions made from texts, in every script, the same for the same seed."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from app.core.recalled import fenced
from app.retrieval.fts import has_token
from app.retrieval.known_items import KnownItem, distinctive, question_of, questions, script_of
from app.retrieval.query import parse

TEXTS = {
    "latin": "The grey heron caught a frog beside the crooked lock gate yesterday evening.",
    "han": "我们今天去植物园看梨树和苹果树，然后喝了两杯绿茶。",
    "kana": "春に接ぎ木したりんごの木は元気ですか。お部屋のこと、ありがとうございます。",
    "hangul": "오늘은 정원에서 배나무와 사과나무를 심었습니다",
    "thai": "วันนี้เราไปดูต้นไม้ในสวนและดื่มชาเขียวสองถ้วย",
    "cyrillic": "Вчера учительница показала первую позицию левой руки на альте.",
}
ITEMS = [KnownItem(f"{name}#{number}", f"{text} {number * 7919}") for name, text in TEXTS.items() for number in (1, 2)]


def test_every_script_is_asked_in_words_of_its_own() -> None:
    for name, text in TEXTS.items():
        assert script_of(text) == name
        for seed in range(20):
            question = question_of(KnownItem("x", text), frozenset(), Random(seed))
            assert question is not None
            assert question.script == name
            assert all(part in text for part in question.query.split())
            assert question.query != text


def test_the_same_seed_asks_the_same_and_few_change_when_others_come() -> None:
    many = [KnownItem(f"s#{number}", f"alder{number} birch{number} cedar{number} elm{number}") for number in range(40)]
    asked = questions(many, 10, 7)
    assert asked == questions(list(reversed(many)), 10, 7)
    assert asked != questions(many, 10, 8)
    more = questions([*many, KnownItem("t#1", "walnut hazel chestnut oak")], 10, 7)
    assert len({one.target for one in asked} & {one.target for one in more}) >= 9


def test_what_says_too_little_or_the_same_as_another_is_not_asked() -> None:
    assert questions([], 5, 1) == []
    assert questions([KnownItem("a", "Yes."), KnownItem("b", "🦩"), KnownItem("c", "")], 5, 1) == []
    same = "heron frog lock gate evening"
    assert questions([KnownItem("a", same), KnownItem("b", f" {same.upper()} ")], 5, 1) == []


def test_words_that_many_texts_have_tell_nothing_apart() -> None:
    assert distinctive("The heron and the frog ate, the heron 2024 left", {"frog"}) == ["heron", "ate", "left"]
    many = [KnownItem(f"s#{number}", f"common alder{number} birch{number} cedar{number}") for number in range(30)]
    assert all("common" not in question.query for question in questions(many, 30, 1) if question.shape == "words")


def test_what_keepsake_told_is_not_asked_about() -> None:
    told, _ = fenced("heron frog lock gate evening")
    assert questions([KnownItem("a", told)], 1, 1) == []


@given(st.text(max_size=300), st.integers(0, 1_000))
def test_any_text_makes_a_plain_query_or_none(text: str, seed: int) -> None:
    question = question_of(KnownItem("x", text), frozenset(), Random(seed))
    if question is None:
        return
    parsed = parse(question.query, 0)
    assert has_token(question.query)
    assert parsed.terms
    assert not any(term.excluded or term.phrase for term in parsed.terms)
    assert (parsed.kinds, parsed.tags, parsed.hints, parsed.since) == ((), (), (), None)
