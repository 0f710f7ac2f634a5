"""Word search in documents: the places of whole words, to be marked."""

import re
from collections.abc import Iterable

from PySide6.QtGui import QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

from ui import theme

MOST = 500
"""Places marked in one text."""
_WITHOUT_BLANKS = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Scripts that set words side by side: Thai, Lao, Burmese, Khmer, Chinese, Japanese, Korean."""


def find_text(
    document: QTextDocument, text: str, most: int, *, whole_words: bool = False, match_case: bool = False
) -> list[QTextCursor]:
    """Return the places of ``text``, ``most`` at most.

    Args:
        document: Where to look.
        text: What to look for, not empty.
        most: How many places are enough.
        whole_words: Leave out places inside longer words, in scripts that have blanks between words.
        match_case: Whether capitals count.
    """
    flags = QTextDocument.FindFlag(0)
    if whole_words and not _WITHOUT_BLANKS.search(text):
        flags |= QTextDocument.FindFlag.FindWholeWords
    if match_case:
        flags |= QTextDocument.FindFlag.FindCaseSensitively
    cursors: list[QTextCursor] = []
    cursor = document.find(text, 0, flags)
    while not cursor.isNull() and len(cursors) < most:
        cursors.append(cursor)
        cursor = document.find(text, cursor, flags)
    return cursors


def find_words(document: QTextDocument, words: Iterable[str], most: int) -> list[QTextCursor]:
    """Return matches of whole words in reading order, at most ``most``."""
    cursors: list[QTextCursor] = []
    for word in words:
        if word:
            cursors += find_text(document, word, most - len(cursors), whole_words=True)
    return sorted(cursors, key=QTextCursor.selectionStart)


def has_word(text: str, words: Iterable[str]) -> bool:
    """Return whether a text has one of the ``words``, not only its letters inside others."""
    return any(re.search(_pattern(word), text, re.IGNORECASE) for word in words if word)


def _pattern(word: str) -> str:
    return re.escape(word) if _WITHOUT_BLANKS.search(word) else rf"(?<!\w){re.escape(word)}(?!\w)"


def word_selections(document: QTextDocument, words: Iterable[str]) -> list[QTextEdit.ExtraSelection]:
    """Return the places of all ``words`` in reading order, in the colours of marked words."""
    form = QTextCharFormat()
    form.setBackground(theme.current().colour("mark"))
    form.setForeground(theme.current().colour("on_mark"))
    marks = []
    for cursor in find_words(document, words, MOST):
        mark = QTextEdit.ExtraSelection()
        mark.cursor, mark.format = cursor, form
        marks.append(mark)
    return marks


def go_to_selection(view: QTextEdit | QPlainTextEdit, step: int) -> None:
    """Put the cursor at the next marked word, backwards if ``step`` is negative.

    After the last one comes the first.
    """
    here, cursor = view.textCursor().position(), view.textCursor()
    places = [mark.cursor.selectionStart() for mark in view.extraSelections()]
    if step < 0:
        places = [-place for place in reversed(places)]
    if places:
        cursor.setPosition(abs(next((place for place in places if place > (here if step > 0 else -here)), places[0])))
        view.setTextCursor(cursor)
