"""Whole words are found in documents, letters inside words are not."""

from typing import Any

import pytest
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from ui.widgets.word_marks import find_text, find_words, go_to_selection, has_word, word_selections


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [
        ("tard restants ta Ta.", ("ta",), ["ta", "Ta"]),
        ("soil and compost", ("compost", "soil"), ["soil", "compost"]),
        ("花园里的玫瑰", ("玫瑰",), ["玫瑰"]),
        ("ดอกกุหลาบสวย", ("กุหลาบ",), ["กุหลาบ"]),
        ("C++ and C", ("C++",), ["C++"]),
        ("anything", ("",), []),
        ("anything", (), []),
    ],
)
def test_words(qapp: Any, text: str, words: tuple[str, ...], found: list[str]) -> None:
    document = QTextDocument(text)
    assert [cursor.selectedText() for cursor in find_words(document, words, 10)] == found
    assert has_word(text, words) is bool(found)


def test_a_search_within_a_text_finds_parts_of_words(qapp: Any) -> None:
    assert len(find_text(QTextDocument("tard restants ta"), "ta", 10)) == 3
    assert len(find_words(QTextDocument("a " * 100), ("a", "b"), 7)) == 7


def test_going_round(qtbot: QtBot) -> None:
    view = QPlainTextEdit("ta no ta no ta")
    qtbot.addWidget(view)
    view.setExtraSelections(word_selections(view.document(), ("ta",)))
    places = []
    for step in (1, 1, 1, -1, -1):
        go_to_selection(view, step)
        places.append(view.textCursor().position())
    assert places == [6, 12, 0, 12, 6]
