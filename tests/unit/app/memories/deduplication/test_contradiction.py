"""Contradiction by words: numbers, names and negations on the same matter."""

import pytest

from app.memories.deduplication.contradiction import may_contradict, sentences


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("The deadline is 19 October.", "The deadline is 12 October."),
        ("Marta lives in Linz.", "Marta lives in Graz."),
        ("Marta does not drink coffee.", "Marta drinks coffee, she does drink coffee."),
        ("Rent costs 900 euros a month", "Rent costs 850 euros a month"),
        ("Marta isn't vegetarian.", "Marta is vegetarian."),
    ],
)
def test_another_number_name_or_a_negation_contradicts(new: str, old: str) -> None:
    assert may_contradict(new, old)
    assert may_contradict(old, new)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("", ""),
        ("...", "The deadline is 12 October."),
        ("Marta lives in Graz.", "Marta lives in Graz."),
        ("Marta lives in Graz with Otto.", "Marta lives in Graz."),
        ("Peter lives in Graz.", "Marta lives in Graz."),
        ("Marta lives in Linz.", "Marta drinks tea at Rosa's."),
        ("The deadline is 19 October.", "The rent is 900 euros."),
        ("🙂 🙂 🙂", "🙂"),
        ("Marta can't wait for the concert in Graz.", "Marta is going to the concert in Graz."),
    ],
)
def test_other_matters_and_more_of_the_same_do_not(new: str, old: str) -> None:
    assert not may_contradict(new, old)


def test_sentences_that_say_enough_are_taken() -> None:
    text = "# Plan\n\nMarta lives in Linz. Yes! The rent is 900 euros.\n- [x] call Otto tomorrow\n" + "word " * 200
    assert sentences(text, 10) == ["Marta lives in Linz.", "The rent is 900 euros.", "call Otto tomorrow"]
    assert sentences(text, 1) == ["Marta lives in Linz."]
    assert sentences("", 5) == []
