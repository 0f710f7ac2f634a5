"""Keys that the person chose come back from the setting; nonsense gives the usual keys."""

import pytest

from ui.style.own_keys import read_keys, write_keys


@pytest.mark.parametrize("text", ["", " ", "{", "[]", "3", '"a"', "null", '{"a": 3}'])
def test_nonsense_is_no_keys(text: str) -> None:
    assert read_keys(text) == {}


def test_round_trip() -> None:
    keys = {"notes.new": "Ctrl+Alt+N", "edit.redo": "", "go.find": "Ctrl+|"}
    assert read_keys(write_keys(keys)) == keys
    assert write_keys({}) == ""
