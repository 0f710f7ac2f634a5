"""One event told twice is known by its words; two events stay two."""

import pytest

from app.upkeep.reflection.retelling import is_same_event

COOKING = (
    "I recently took a vegan cooking class at a local culinary school and learned how to make vegan lasagna and mac and"
    " cheese using a cashew-based sauce, which was amazing."
)
EXHIBITION = "Next month I'm having an art show at the harbour with my watercolours - can't wait!"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            COOKING,
            "I've been trying to adopt a more plant-based diet and I recently took a vegan cooking class at a local"
            " culinary school where I learned to make vegan lasagna and mac and cheese.",
        ),
        (EXHIBITION, "I'm putting together an art show next month at the harbour and I'm gonna show my watercolours."),
        (
            "By the way, I've been busy on Thursday evenings lately, playing basketball with my friends Tom and Alex.",
            "Speaking of Thursday evenings, I've been playing basketball with my friends Tom and Alex every week.",
        ),
        (
            "Letzten Samstag war ich mit meiner Schwester Clara im neuen Planetarium in Bern, und es war wunderbar.",
            "Ich war letzten Samstag mit meiner Schwester Clara im neuen Planetarium in Bern und habe viel gelernt.",
        ),
        (
            "El sábado fui con mi hermana al concierto de guitarra en la plaza vieja de Sevilla y me encantó.",
            "Por cierto, fui el sábado al concierto de guitarra de la plaza vieja de Sevilla con mi hermana.",
        ),
    ],
)
def test_an_event_told_twice_is_one(first: str, second: str) -> None:
    assert is_same_event(first, second)
    assert is_same_event(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (EXHIBITION, "We're putting together a talent show for the kids at the harbour next month."),
        (EXHIBITION, "Next month I'm not having an art show at the harbour with my watercolours."),
        (EXHIBITION, "Next month I'm having an art show at the harbour with my daughter's watercolours, not mine."),
        (
            "I also want to revisit my notes from the mindfulness workshop I attended on November 15th, where I learned"
            " stress reduction techniques.",
            "I also want to revisit my notes from the photography workshop I attended on January 28th, where I learned"
            " about advanced camera settings and composition techniques.",
        ),
        (
            "I've completed 4 projects since starting painting classes, and I'm feeling pretty confident about it.",
            "I've completed 5 projects since starting painting classes, and I'm feeling pretty confident about it.",
        ),
        (
            "Yesterday I took my son to the new dentist near the station and we had pancakes afterwards.",
            "Yesterday I took my daughter to the new dentist near the station and we had pancakes afterwards.",
        ),
        (
            "Yesterday I met Otto at the new café near the station and we had pancakes together.",
            "Yesterday I met Rosa at the new café near the station and we had pancakes together.",
        ),
        ("El viernes viajo a Madrid con mi padre.", "El viernes viajo a Madrid con mi madre."),
        ("I'm flying to Oslo on Friday.", "I'm flying to Bern on Friday."),
        ("下个月我要去北京看我的姐姐和她的孩子们。", "下个月我要去上海看我的姐姐和她的孩子们。"),
        ("", ""),
    ],
)
def test_two_events_that_sound_alike_are_two(first: str, second: str) -> None:
    assert not is_same_event(first, second)
    assert not is_same_event(second, first)
