"""Colours for Markdown source, one cheap pass per line."""

import re
from enum import IntEnum

from PySide6.QtCore import QTimer
from PySide6.QtGui import QColor, QFont, QFontDatabase, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from ui import theme
from ui.models.markup import PLAIN_STEP

HEAVY_LIMIT = PLAIN_STEP
LINE_LIMIT = 5000
SLICE = 150


class _State(IntEnum):
    """The state that a line leaves open for the next."""

    PLAIN = 0
    FENCE = 1
    MATTER = 2


_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]")
_QUOTE = re.compile(r"^ {0,3}>")
_LIST = re.compile(r"^(\s*)([-*+]|\d{1,9}[.)])( \[[ xX]\])?[ \t]")
_RULE = re.compile(r"^ {0,3}([-*_])([ \t]*\1){2,}[ \t]*$")
_INLINE: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("strong", re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")),
    ("emphasis", re.compile(r"(?<![*\w])\*(?=[^\s*])([^*]+?)\*(?!\*)|(?<![_\w])_(?=[^\s_])([^_]+?)_(?!\w)")),
    ("struck", re.compile(r"~~(?=\S).+?~~")),
    ("link", re.compile(r"!?\[[^\]\n]*\]\([^)\n]*\)|<https?://[^>\s]+>|\bhttps?://[^\s<>)]+")),
    ("wiki", re.compile(r"\[\[[^\[\]\n]+\]\]")),
    ("tag", re.compile(r"(?:(?<=\s)|^)#[^\W\d_][\w/-]*")),
    ("code", re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")),
)


class MarkdownHighlighter(QSyntaxHighlighter):
    """Marks headings, emphasis, code, links, wiki links, tags, lists, quotes and front matter.

    Rules within a line are left out where the document is long enough to make typing slow.
    """

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._later = False
        self._next = 0
        self.is_colouring = False
        """Whether what the document reports as a change now is colour, not words."""
        self._slices = QTimer(self, interval=0)
        self._slices.timeout.connect(self._on_slices_timeout)
        self._forms: dict[str, QTextCharFormat] = {}
        self._make_forms()
        theme.current().changed.connect(self._on_theme_changed)

    def put_off(self, later: bool) -> None:
        """Postpone highlighting of a long text to slices of the event loop."""
        self._later = later
        if not later:
            self._next = 0
            self._slices.start()

    def _on_slices_timeout(self) -> None:
        document: QTextDocument | None = self.document()
        block = document.findBlockByNumber(self._next) if document is not None else None
        if block is None or not block.isValid():
            self._slices.stop()
            return
        self.is_colouring = True
        for _ in range(SLICE):
            if not block.isValid():
                break
            self.rehighlightBlock(block)
            block = block.next()
        self.is_colouring = False
        self._next += SLICE

    def _make_forms(self) -> None:
        tokens = theme.current().tokens
        mono = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).families()
        self._forms = {
            name: _form(colour)
            for name, colour in (
                ("heading", tokens.text),
                ("mark", tokens.muted),
                ("quote", tokens.muted),
                ("list", tokens.accent),
                ("link", tokens.link),
                ("wiki", tokens.link),
                ("tag", tokens.accent),
                ("code", tokens.text),
                ("matter", tokens.muted),
                ("strong", tokens.text),
                ("emphasis", tokens.text),
                ("struck", tokens.muted),
            )
        }
        self._forms["heading"].setFontWeight(QFont.Weight.Bold)
        self._forms["strong"].setFontWeight(QFont.Weight.Bold)
        self._forms["emphasis"].setFontItalic(True)
        self._forms["struck"].setFontStrikeOut(True)
        self._forms["wiki"].setFontWeight(QFont.Weight.DemiBold)
        for name in ("code", "matter"):
            self._forms[name].setFontFamilies(mono)
        self._forms["code"].setBackground(QColor(tokens.code))

    def highlightBlock(self, text: str) -> None:
        """Colour one line."""
        state = self.previousBlockState()
        if state == _State.FENCE:
            self._fill(text, "code")
            self.setCurrentBlockState(_State.PLAIN if _FENCE.match(text) else _State.FENCE)
        elif self._in_matter(text, state):
            self._fill(text, "matter")
        elif _FENCE.match(text):
            self._fill(text, "code")
            self.setCurrentBlockState(_State.FENCE)
        else:
            self.setCurrentBlockState(_State.PLAIN)
            self._line(text)

    def _in_matter(self, text: str, state: int) -> bool:
        """Return whether the line is front matter, which opens on line one."""
        first = self.currentBlock().blockNumber() == 0
        bar = text.rstrip() in ("---", "...")
        if first and text.rstrip() == "---":
            self.setCurrentBlockState(_State.MATTER)
            return True
        if state == _State.MATTER:
            self.setCurrentBlockState(_State.PLAIN if bar else _State.MATTER)
            return True
        return False

    def _line(self, text: str) -> None:
        if self._later:
            return
        if match := _HEADING.match(text):
            self._fill(text, "heading")
            self.setFormat(match.start(1), len(match[1]), self._forms["mark"])
        elif _RULE.match(text):
            self._fill(text, "mark")
            return
        elif _QUOTE.match(text):
            self._fill(text, "quote")
        elif match := _LIST.match(text):
            self.setFormat(match.start(2), match.end() - match.start(2), self._forms["list"])
        if len(text) <= LINE_LIMIT and self.document().characterCount() <= HEAVY_LIMIT:
            self._inline(text)

    def _inline(self, text: str) -> None:
        for name, rule in _INLINE:
            for match in rule.finditer(text):
                self._merge(match.start(), match.end(), name)

    def _merge(self, start: int, end: int, name: str) -> None:
        """Merge a format into the line, so that bold in a quotation stays dim."""
        form = QTextCharFormat(self.format(start))
        form.merge(self._forms[name])
        self.setFormat(start, end - start, form)

    def _fill(self, text: str, name: str) -> None:
        self.setFormat(0, len(text), self._forms[name])

    def _on_theme_changed(self) -> None:
        self._make_forms()
        self.is_colouring = True
        self.rehighlight()
        self.is_colouring = False


def _form(colour: str) -> QTextCharFormat:
    form = QTextCharFormat()
    form.setForeground(QColor(colour))
    return form
