import io
import json
import re
import sys
from contextlib import redirect_stderr, redirect_stdout

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.cli import terminal
from app.core.text import has_controls


@given(st.text())
def test_nothing_printable_steers_a_terminal(text: str) -> None:
    shown = terminal.printable(text)
    assert "\x1b" not in shown
    assert "\r" not in shown
    assert "\u202e" not in shown
    assert terminal.printable(shown) == shown
    assert "\n" not in terminal.one_line(text)


@given(st.text())
def test_nothing_said_steers_a_terminal(text: str) -> None:
    raw, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(raw), redirect_stderr(errors):
        terminal.say(text)
        terminal.tell(text)
        terminal.show_line(text)
    assert not has_controls(re.sub(r"[\n\t]", "", raw.getvalue() + errors.getvalue()))


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_json_has_controls_as_escapes(encoding: str, text: str) -> None:
    raw = io.BytesIO()
    with redirect_stdout(io.TextIOWrapper(raw, encoding, newline="\n")):
        terminal.say_json({text: ["\x7f\x9b\u202e", text]})
        terminal.flush()
        said = raw.getvalue().decode(encoding)
    assert not has_controls(said.replace("\n", ""))
    assert json.loads(said) == {text: ["\x7f\x9b\u202e", text]}


def test_scripts_and_emoji_stay_as_they_are() -> None:
    for text in ("مرحبا", "流氷", "👩‍👩‍👧", "กำลัง", "a\tb\nc"):
        assert terminal.printable(text) == text


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
def test_any_text_can_be_written_in_any_encoding(encoding: str, naughty: str, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
    terminal.prepare()
    terminal.say(terminal.printable(naughty))
    terminal.say("\udcff")
    terminal.flush()
    assert raw.getvalue().endswith(b"\\udcff\n")


def test_without_streams_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    terminal.prepare()
    terminal.say("hello")
    terminal.tell("hello")
    terminal.flush()
    assert not terminal.is_styled()


def test_arguments_that_are_no_text_become_text() -> None:
    assert terminal.given("a\udcffb") == "a\ufffdb"
    assert terminal.given("流氷") == "流氷"


def test_json_for_every_encoding() -> None:
    value = {"text": "流氷 \U0001f600"}
    assert terminal.ascii_json(value).isascii()
    assert json.loads(terminal.ascii_json(value)) == value


def test_bold_is_only_for_those_who_see_it() -> None:
    assert terminal.bold("a", styled=False) == "a"
    assert terminal.bold("a", styled=True) != "a"
    assert terminal.bold("", styled=True) == ""
