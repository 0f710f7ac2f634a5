"""Stored text reads letter for letter in labels, tooltips, buttons and notices, and nothing goes around that."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6 import QtGui
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

import ui
from ui.widgets.elided_label import ElidedLabel
from ui.widgets.plain_text import PlainLabel, PlainMessageBox, caption, tooltip, without_markup

HOSTILE = '<img src="/dev/zero"> <b>x</b>'
SOURCES = sorted(Path(ui.__file__).parent.rglob("*.py"))


def read(text: str) -> str:
    """Return what a person reads where Qt guesses whether a text is rich."""
    if not QtGui.Qt.mightBeRichText(text):
        return text
    document = QTextDocument()
    document.setHtml(text)
    return document.toPlainText()


@pytest.mark.parametrize("text", ["", "plain", "a & b", HOSTILE, "a &lt; b", f"first\n  {HOSTILE}", "5 < 6 > 4"])
def test_a_tooltip_reads_as_its_text(qapp: object, text: str) -> None:
    assert read(tooltip(text)) == text


def test_labels_and_boxes_are_plain(qtbot: QtBot) -> None:
    box = PlainMessageBox(HOSTILE, HOSTILE, HOSTILE)
    qtbot.addWidget(box)
    shown = [label for label in box.findChildren(QLabel) if label.text()]
    assert len(shown) == 2
    for label in (PlainLabel(HOSTILE), ElidedLabel(HOSTILE), *shown):
        assert label.textFormat() == Qt.TextFormat.PlainText


def test_an_ampersand_stays_in_a_caption() -> None:
    assert caption("Salt & pepper") == "Salt && pepper"


def test_the_desktop_is_given_no_markup() -> None:
    assert without_markup("<b>Trip</b>") == "‹b›Trip‹/b›"


def is_safe_tip(text: ast.expr) -> bool:
    """Return whether a tooltip is a constant of ours or went through ``tooltip``."""
    if isinstance(text, ast.IfExp):
        return is_safe_tip(text.body) and is_safe_tip(text.orelse)
    if isinstance(text, ast.Constant):
        return True
    if not isinstance(text, ast.Call):
        return False
    if isinstance(text.func, ast.Name):
        return text.func.id == "tooltip"
    return isinstance(text.func, ast.Attribute) and text.func.attr == "tr"


def offences(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in {"QLabel", "QMessageBox"} or (name == "setToolTip" and not is_safe_tip(node.args[-1])):
            yield f"{path.name}:{node.lineno} {name}"


def test_labels_and_tooltips_are_made_through_plaintext() -> None:
    # The tray's tooltip is the desktop's: it is not HTML everywhere, so it has no markup at all.
    exempt = {"plaintext.py", "tray.py"}
    assert [offence for path in SOURCES if path.name not in exempt for offence in offences(path)] == []
