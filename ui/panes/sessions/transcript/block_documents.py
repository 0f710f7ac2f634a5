"""Documents of messages: Markdown or plain text, laid out, and matches in it."""

import json
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

from PySide6.QtCore import QSizeF, QUrl
from PySide6.QtGui import QFont, QTextCursor, QTextDocument, QTextOption

from app.attachments.model import FOLDER
from ui import theme
from ui.models.markup import PICTURE, NoteParts, Picture, breakable, render
from ui.widgets.text.markdown_view import INDENT, LEAST_PICTURE, SealedDocument, ink, style_sheet
from ui.widgets.word_marks import find_text, find_words

if TYPE_CHECKING:
    from ui.widgets.text.picture_cache import PictureCache

MATCH_LIMIT = 200


def call_parts(call: dict[str, object]) -> tuple[str, str]:
    """Return name and arguments of a tool call in either of the two common shapes."""
    inner = call.get("function")
    source = inner if isinstance(inner, dict) else call
    arguments = source.get("arguments", source.get("input", ""))
    words = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False, indent=2)
    return str(source.get("name", "?")), words


def _empty_document(width: int) -> SealedDocument:
    document = SealedDocument()
    document.setUndoRedoEnabled(False)
    document.setDocumentMargin(0)
    document.setIndentWidth(INDENT)
    document.setDefaultFont(theme.current().font("body"))
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    document.setDefaultTextOption(option)
    document.setPageSize(QSizeF(max(40, width), -1))
    return document


def rich_document(source: str, width: int, pictures: "PictureCache | None" = None) -> SealedDocument:
    """Return Markdown laid out at a width in pixels.

    Args:
        source: The Markdown.
        width: Of the text.
        pictures: Where pictures of the attachments folder come from; they are named when it is ``None``.
    """
    document = _empty_document(width)
    document.setDefaultStyleSheet(style_sheet())
    if pictures is None or not shows_attachment(source):
        document.setHtml(render(source, ink()))
    else:
        parts = NoteParts(partial(_fitted, pictures, max(LEAST_PICTURE, width)), line=None)
        html = render(source, ink(), parts)
        for name in parts.shown:
            address = QUrl(PICTURE + quote(name, safe=""))
            document.addResource(QTextDocument.ResourceType.ImageResource.value, address, pictures.image(name))
        document.setHtml(html)
    end = QTextCursor(document)
    end.movePosition(QTextCursor.MoveOperation.End)
    form = end.blockFormat()
    form.setBottomMargin(0)
    end.setBlockFormat(form)
    document.setTextWidth(max(40, width))
    return document


def shows_attachment(source: str) -> bool:
    """Return whether a message shows a file of the attachments folder, or leads to one."""
    return f"]({FOLDER}/" in source


def _fitted(pictures: "PictureCache", width: int, name: str) -> Picture:
    """Return a picture, no wider than the text."""
    picture = pictures.picture(name)
    if picture.width <= width:
        return picture
    return Picture(width, max(1, round(picture.height * width / picture.width)))


def plain_document(text: str, width: int, *, mono: bool) -> SealedDocument:
    """Return plain text laid out at a width in pixels.

    ``mono`` chooses a font of fixed width.
    """
    document = _empty_document(width)
    if mono:
        font = QFont(ink().mono)
        font.setPointSizeF(theme.current().points * 0.92)
        document.setDefaultFont(font)
    document.setPlainText(breakable(text))
    document.setTextWidth(max(40, width))
    return document


def find_matches(document: SealedDocument, term: str | tuple[str, ...]) -> list[QTextCursor]:
    """Return the places of a text, or of several whole words, in a document."""
    if isinstance(term, str):
        return find_text(document, term, MATCH_LIMIT)
    return find_words(document, term, MATCH_LIMIT)
