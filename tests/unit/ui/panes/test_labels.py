"""What things are called, and a pane's state as bytes."""

import json
from typing import get_args

from app.core.paths import resources
from app.core.stores import STORES
from app.history.model import Event
from app.memories.model import KINDS
from app.retrieval.historical_search import FROM_HISTORY
from ui.panes import labels
from ui.panes.labels import display_title, kind_icon, kind_label, kind_plural, source_label, store_label
from ui.panes.pane_state import bytes_of, pack, unpack
from ui.style.icons import exists


def test_every_kind_and_store_has_words_and_an_icon() -> None:
    for kind in (*KINDS, "message"):
        assert kind_label(kind) != kind_plural(kind)
        assert exists(kind_icon(kind))
    assert [store_label(store) for store in STORES] == ["Private", "Shared", "Social"]


def test_every_event_of_the_history_has_a_word() -> None:
    said = {event: labels.event_label(event) for event in get_args(Event)}
    assert [event for event, word in said.items() if word == event] == []
    assert said.pop("FORGET") == said["DELETE"], "deleting a conversation is called as deleting a note"
    assert len(set(said.values())) == len(said)


def test_sources_are_said_as_a_person_says_them() -> None:
    assert source_label("person") == "You"
    assert source_label("import:chatgpt") == "Import (chatgpt)"
    assert source_label("claude") == "claude"


def test_what_has_no_title_is_called_by_its_first_words() -> None:
    assert display_title("T", "content", "none") == "T"
    assert display_title("", "# Head\nmore", "none") == "Head more"
    assert display_title("", "", "none") == "none"


def test_state_comes_back() -> None:
    values = unpack(pack({"split": b"\x00\xff", "order": "title"}))
    assert bytes_of(values, "split") == b"\x00\xff"
    assert values["order"] == "title"
    assert unpack(b"\xff\xfe") == {}


def test_every_feature_of_the_learned_recipe_has_words() -> None:
    weights = json.loads((resources() / "models" / "ranker" / "weights.json").read_text("utf-8"))
    for name in weights["with_vectors"]:
        assert labels.feature_label(name) != name.replace("_", " ")
    assert labels.feature_label(FROM_HISTORY) != FROM_HISTORY.replace("_", " ")
    assert labels.feature_label("something_new") == "something new"
