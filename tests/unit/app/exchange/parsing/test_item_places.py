"""Places of imported items."""

from typing import get_args

import pytest

from app.exchange.parsing import item_places
from app.exchange.parsing.item_places import ItemNoun, after, moved, noun_for, numbered, part, renumbered


@pytest.mark.parametrize("noun", get_args(ItemNoun))
def test_every_kind_of_item_has_a_place(noun: ItemNoun) -> None:
    assert numbered("a.json", noun, 3) == f"a.json, {noun} 3"
    assert after("a.json", noun, 3) == f"a.json, after {noun} 3"
    assert renumbered(numbered("a.json", noun, 3), 1200) == f"a.json, {noun} 1200"


def test_a_place_in_a_part_names_the_part() -> None:
    place = part(numbered("a.json", "message", 3), "rose.png")
    assert moved(place, "a.json", "chats/a.json") == "chats/a.json, message 3, rose.png"
    assert moved("a.json", "a.json", "chats/a.json") == "chats/a.json"
    assert moved(place, "b.json", "chats/b.json") is None


def test_nouns_follow_their_number() -> None:
    assert (noun_for("entity", 1), noun_for("entity", 2), noun_for("key", 2)) == ("entity", "entities", "keys")
    assert all(noun_for(noun, 2) == many for noun, (_, many) in item_places._NOUNS.items())
