"""Names in documents as quietly underlined links to the pages of people and things."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from PySide6.QtGui import QTextCharFormat, QTextCursor, QTextDocument

from ui import theme
from ui.widgets.word_marks import find_text

if TYPE_CHECKING:
    from app.entities.model import MentionedEntity

MOST = 60
"""Places of one name that are linked in a document."""
LONGEST = 100_000
"""Characters of a document whose names are linked; in longer ones the search would hold the window up."""
EFFORT = 2_000_000
"""Characters to look through for all names together: about 20 ms."""
_PREFIX = "keepsake://entity/"


@dataclass(frozen=True, slots=True)
class DocumentLink:
    """A link in a document: its address and the place of its words."""

    href: str
    cursor: QTextCursor

    @property
    def words(self) -> str:
        """The words of the link."""
        return self.cursor.selectedText()


def link_names(document: QTextDocument, names: Iterable["MentionedEntity"]) -> None:
    """Make the names in a document links; nothing moves, because only the underline is new.

    Words that are links already stay what they are. Documents that are too long get no links, and those with very many
    names links for the first of them.
    """
    length = max(1, document.characterCount())
    if length > LONGEST:
        return
    form = QTextCharFormat()
    form.setAnchor(True)
    form.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
    form.setUnderlineColor(theme.current().colour("muted"))
    group = QTextCursor(document)
    group.beginEditBlock()
    # The longest first: "Anna Keller" is one link and not that of another Anna.
    few = islice({(name.entity_id, name.text): name for name in names}.values(), EFFORT // length)
    for name in sorted(few, key=lambda mention: len(mention.text), reverse=True):
        form.setAnchorHref(_PREFIX + quote(name.entity_id))
        is_exact = name.text != name.text.casefold()
        for place in find_text(document, name.text, MOST, whole_words=True, match_case=is_exact) if name.text else ():
            if not place.charFormat().isAnchor() and not _begins_in_link(place):
                place.mergeCharFormat(form)
    group.endEditBlock()


def entity_of(href: str) -> str:
    """Return the id of the entity that a link leads to, ``""`` for other links."""
    return unquote(href[len(_PREFIX) :]) if href.startswith(_PREFIX) else ""


def links_of(document: QTextDocument) -> list[DocumentLink]:
    """Return the links of a document in reading order."""
    links: list[DocumentLink] = []
    block = document.begin()
    while block.isValid():
        parts = block.begin()
        while not parts.atEnd():
            part = parts.fragment()
            href = part.charFormat().anchorHref() if part.charFormat().isAnchor() else ""
            if href:
                _add(links, document, href, part.position(), part.length())
            parts += 1
        block = block.next()
    return links


def _add(links: list[DocumentLink], document: QTextDocument, href: str, start: int, length: int) -> None:
    """Add a fragment, or lengthen the link that it goes on with."""
    if links and links[-1].href == href and links[-1].cursor.selectionEnd() == start:
        start, length = links[-1].cursor.selectionStart(), length + start - links[-1].cursor.selectionStart()
        links.pop()
    cursor = QTextCursor(document)
    cursor.setPosition(start)
    cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
    links.append(DocumentLink(href, cursor))


def _begins_in_link(place: QTextCursor) -> bool:
    first = QTextCursor(place.document())
    first.setPosition(place.selectionStart() + 1)
    return first.charFormat().isAnchor()
