"""One message of a conversation: laid out, measured and painted without being a widget."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QPainter,
    QPalette,
    QTextCharFormat,
    QTextCursor,
)

from app.core.text import excerpt
from app.sessions.model import Message
from ui import theme
from ui.models.dates import clock_time, format_number
from ui.models.markup import is_rich, unfenced
from ui.panes.sessions.transcript.block_documents import call_parts, find_matches, plain_document, rich_document
from ui.panes.sessions.transcript.block_metrics import lengths, line_metrics
from ui.panes.sessions.transcript.speakers import Speakers
from ui.style.design_tokens import Radius, Space
from ui.style.icons import pixmap
from ui.widgets.text.markdown_view import SealedDocument
from ui.widgets.text.name_links import DocumentLink, link_names, links_of

if TYPE_CHECKING:
    from app.entities.model import MentionedEntity
    from ui.widgets.text.picture_cache import PictureCache

DAY = 44
BUBBLE = 10
FIRST_LIMIT = 6000
NEXT_FACTOR = 8
RESULT_LIMIT = 20_000
IMPORTANT = 0.8

PartKind = Literal["body", "fold", "result", "more"]


@dataclass(slots=True)
class BlockPart:
    """A part of a message: text, folded call, opened result, or "show more"."""

    kind: PartKind
    top: int
    height: int
    document: SealedDocument | None = None
    label: str = ""
    detail: str = ""
    key: str = ""
    opened: bool = False
    matches: list[QTextCursor] = field(default_factory=list)


@dataclass(slots=True)
class ReadingState:
    """The reading state of a message: what is unfolded, and how much is shown."""

    opened: set[str] = field(default_factory=set)
    limit: int = FIRST_LIMIT


@dataclass(frozen=True, slots=True)
class TranscriptLabels:
    """Labels of messages, translated."""

    more: str
    called: str
    result: str
    roles: dict[str, str]
    important: str


class MessageBlock:
    """A message as it stands in the transcript; heights are estimates until ``lay_out``."""

    def __init__(
        self,
        message: Message,
        words: TranscriptLabels,
        reading: ReadingState,
        width: int,
        speakers: Speakers | None = None,
    ) -> None:
        self.message = message
        self.mirrored = False
        self.day = ""
        self.term: str | tuple[str, ...] = ""
        self.flash = 0.0
        self.names: tuple[MentionedEntity, ...] = ()
        self.pictures: PictureCache | None = None
        self.speakers = speakers or Speakers()
        self._words = words
        self._reading = reading
        self._width = width
        self.parts: list[BlockPart] = []
        self._height = self._estimate()

    @property
    def laid_out(self) -> bool:
        """True when the height is exact."""
        return bool(self.parts)

    @property
    def height(self) -> int:
        """Height in pixels, with the day above it where one begins."""
        return self._height + (DAY if self.day else 0)

    @property
    def speaker(self) -> str:
        """The name of the speaker."""
        message = self.message
        return (
            message.author or (message.tool_name if message.role == "tool" else "") or self._words.roles[message.role]
        )

    @property
    def speech(self) -> str:
        """The message for a screen reader."""
        words = f"{self.speaker}, {clock_time(self.message.created_at)}: {excerpt(self.message.content, 400)}"
        return f"{words} ({self._words.important})" if self.is_important else words

    @property
    def is_important(self) -> bool:
        """True when the message counts more than others."""
        return self.message.importance >= IMPORTANT

    @property
    def _folds(self) -> bool:
        return self.message.role in ("tool", "system")

    @property
    def _boxed(self) -> bool:
        return self.speakers.is_own(self.message)

    @property
    def _inset(self) -> int:
        return BUBBLE if self._boxed else 0

    def _estimate(self) -> int:
        line, char = line_metrics(theme.current().points)
        if self._folds:
            return lengths().row + Space.XS
        text = self.message.content[: self._reading.limit]
        columns = max(8, int((self._width - lengths().gutter - 2 * self._inset) / char))
        lines = sum(1 + len(part) // columns for part in text.split("\n"))
        folds = len(self.message.tool_calls or ()) * lengths().row
        return lengths().header + lines * line + 2 * self._inset + Space.L + folds

    def lay_out(self) -> None:
        """Build its documents and measure them."""
        self.parts = []
        top = lengths().header if not self._folds else 0
        message = self.message
        if self._folds:
            top = self._add_fold(top, "result", self._fold_label(), message.content)
        elif message.content:
            top = self._add_body(top, message.content)
        for place, call in enumerate(message.tool_calls or ()):
            name, arguments = call_parts(call)
            label = self._words.called.format(name=name)
            top = self._add_fold(top, f"call{place}", label, arguments)
        if not self.parts:
            self.parts.append(BlockPart("body", top, 0))
        self._height = top + (Space.XS if self._folds else Space.L)
        self._link_names()
        self.mark(self.term)

    def set_names(self, names: "tuple[MentionedEntity, ...]") -> None:
        """Make names in the message links; its height stays."""
        if names != self.names:
            self.names = names
            self._link_names()

    def links(self) -> list[tuple[BlockPart, DocumentLink]]:
        """Return the links of the message in reading order, with the part they stand in."""
        parts = [(part, part.document) for part in self.parts if part.kind == "body"]
        return [(part, link) for part, document in parts if document is not None for link in links_of(document)]

    def _link_names(self) -> None:
        for part in self.parts:
            if part.kind == "body" and part.document is not None and self.names:
                link_names(part.document, self.names)

    def forget_layout(self, width: int) -> None:
        """Drop documents, for another width or theme; the height becomes an estimate again."""
        self._width = width
        self.parts = []
        self._height = self._estimate()

    def release(self) -> None:
        """Drop documents but keep the measured height: it left the screen."""
        for part in self.parts:
            part.document = None
            part.matches = []
        self.parts = []

    def _fold_label(self) -> str:
        if self.message.role == "tool":
            return self._words.result.format(name=self.speaker)
        return self.speaker

    def _add_body(self, top: int, content: str) -> int:
        shown = content[: self._reading.limit]
        inset = self._inset
        width = self._width - lengths().gutter - 2 * inset
        document = (
            rich_document(shown, width, self.pictures) if is_rich(shown) else plain_document(shown, width, mono=False)
        )
        height = round(document.size().height()) + 2 * inset
        self.parts.append(BlockPart("body", top, height, document))
        top += height
        if len(shown) < len(content):
            label = self._words.more.format(count=format_number(len(content) - len(shown)))
            self.parts.append(BlockPart("more", top, lengths().row, label=label, key="more"))
            top += lengths().row
        return top

    def _add_fold(self, top: int, key: str, label: str, content: str) -> int:
        opened = key in self._reading.opened
        content = unfenced(content)
        detail = "" if opened else excerpt(content, 160)
        self.parts.append(BlockPart("fold", top, lengths().row, label=label, detail=detail, key=key, opened=opened))
        top += lengths().row
        if opened:
            document = plain_document(content[:RESULT_LIMIT], self._width - lengths().gutter - 2 * BUBBLE, mono=True)
            height = round(document.size().height()) + 2 * BUBBLE
            self.parts.append(BlockPart("result", top, height, document))
            top += height + Space.XS
        return top

    def toggle(self, key: str) -> None:
        """Unfold or fold a part, or show more of a long text."""
        if key == "more":
            self._reading.limit *= NEXT_FACTOR
        else:
            self._reading.opened ^= {key}
        self.lay_out()

    def mark(self, term: str | tuple[str, ...]) -> None:
        """Mark every match of a text, or of several whole words.

        An empty text marks nothing.
        """
        self.term = term
        for part in self.parts:
            part.matches = find_matches(part.document, term) if part.document is not None and term else []

    # --- where things are ---

    def part_at(self, y: int) -> BlockPart | None:
        """Return the part at height ``y`` of the block."""
        inner = y - (DAY if self.day else 0)
        return next((part for part in self.parts if part.top <= inner < part.top + part.height), None)

    def origin(self, part: BlockPart) -> QPointF:
        """Return where a part's document begins, from the block's upper left corner."""
        inset = BUBBLE if part.kind == "result" else self._inset
        return QPointF((0 if self.mirrored else lengths().gutter) + inset, part.top + inset + (DAY if self.day else 0))

    def match_top(self) -> int:
        """Return the height of the first marked place, from the block's top."""
        for part in self.parts:
            if part.matches and part.document is not None:
                layout = part.document.documentLayout()
                line = layout.blockBoundingRect(part.matches[0].block())
                return round(self.origin(part).y() + line.top())
        return DAY if self.day else 0

    # --- painting ---

    def paint(
        self, painter: QPainter, selection: QTextCursor | None, current: bool, link: QTextCursor | None = None
    ) -> None:
        """Paint it with its upper left corner at the painter's origin.

        Args:
            painter: Paints.
            selection: Selected text, of this message or another.
            current: Whether it holds the keyboard.
            link: The link that holds the keyboard.
        """
        if self.day:
            self._paint_day(painter)
            painter.translate(0, DAY)
        self._paint_flash(painter, current)
        if not self._folds:
            self._paint_head(painter)
        for part in self.parts:
            self._paint_part(painter, part, selection, link)
        if self.day:
            painter.translate(0, -DAY)

    def _paint_day(self, painter: QPainter) -> None:
        look = theme.current()
        painter.setFont(look.font("small"))
        width = painter.fontMetrics().horizontalAdvance(self.day) + 2 * Space.M
        middle = DAY // 2 + 2
        painter.setPen(look.colour("line"))
        painter.drawLine(0, middle, (self._width - width) // 2, middle)
        painter.drawLine((self._width + width) // 2, middle, self._width, middle)
        painter.setPen(look.colour("muted"))
        painter.drawText(QRect(0, 0, self._width, DAY + 4), int(Qt.AlignmentFlag.AlignCenter), self.day)

    def _paint_flash(self, painter: QPainter, current: bool) -> None:
        look = theme.current()
        box = QRectF(-Space.S, -Space.S + 2, self._width + 2 * Space.S, self._height - Space.XS)
        if self.flash > 0:
            glow = look.colour("mark")
            glow.setAlphaF(min(1.0, self.flash) * 0.5)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(glow)
            painter.drawRoundedRect(box, Radius.MEDIUM, Radius.MEDIUM)
        if current:
            painter.setPen(look.colour("accent"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box, Radius.MEDIUM, Radius.MEDIUM)

    def _box(self, left: int, top: int, width: int, height: int) -> QRect:
        """Return a box counted from the reading side."""
        return QRect(self._width - left - width if self.mirrored else left, top, width, height)

    def _write(self, painter: QPainter, line: QRect, words: str, ink_name: str) -> None:
        """Write at the reading side of ``line`` and shorten it by what was written."""
        side = Qt.AlignmentFlag.AlignRight if self.mirrored else Qt.AlignmentFlag.AlignLeft
        flags = side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter
        shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, max(0, line.width()))
        painter.setPen(theme.current().colour(ink_name))
        painter.drawText(line, int(flags) | int(Qt.TextFlag.TextSingleLine), shown)
        self._advance(line, painter.fontMetrics().horizontalAdvance(shown) + Space.S)

    def _sign(self, painter: QPainter, line: QRect, name: str, colour: str) -> None:
        """Draw a small icon at the reading side of ``line`` and shorten it."""
        size = lengths().icon
        left = line.right() - size + 1 if self.mirrored else line.left()
        ratio = painter.device().devicePixelRatioF()
        painter.drawPixmap(left, line.center().y() - size // 2 + 1, pixmap(name, size, colour, ratio))
        self._advance(line, size + Space.XS)

    def _advance(self, line: QRect, by: int) -> None:
        if self.mirrored:
            line.setRight(line.right() - by)
        else:
            line.setLeft(line.left() + by)

    def _paint_head(self, painter: QPainter) -> None:
        look = theme.current()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.speakers.colour(self.message, self.speaker)))
        face = self._box(0, 0, lengths().face, lengths().face)
        painter.drawEllipse(face)
        painter.setPen(look.colour("surface"))
        painter.setFont(look.font("strong"))
        initial = next((sign for sign in self.speaker if sign.isalnum()), "·").upper()
        painter.drawText(face, int(Qt.AlignmentFlag.AlignCenter), initial)
        line = self._box(lengths().gutter, 0, self._width - lengths().gutter, lengths().header - 4)
        self._write(painter, line, self.speaker, "text")
        painter.setFont(look.font("small"))
        self._write(painter, line, clock_time(self.message.created_at), "muted")
        if self.is_important:
            self._sign(painter, line, "star", look.tokens.warning)
            self._write(painter, line, self._words.important, "warning")

    def _paint_part(
        self, painter: QPainter, part: BlockPart, selection: QTextCursor | None, link: QTextCursor | None
    ) -> None:
        if part.kind == "fold":
            self._paint_fold(painter, part)
        elif part.kind == "more":
            painter.setFont(theme.current().font("small"))
            inset = lengths().gutter + self._inset
            self._write(painter, self._box(inset, part.top, self._width - inset, part.height), part.label, "link")
        elif part.document is not None:
            marks = [_painted(cursor, "mark", "on_mark") for cursor in part.matches]
            marks += [
                _painted(cursor, "accent", "on_accent")
                for cursor in (selection, link)
                if cursor is not None and cursor.document() is part.document and cursor.hasSelection()
            ]
            self._paint_document(painter, part, part.document, marks)

    def _paint_document(
        self,
        painter: QPainter,
        part: BlockPart,
        document: SealedDocument,
        marks: list[QAbstractTextDocumentLayout.Selection],
    ) -> None:
        look = theme.current()
        if part.kind == "result" or self._boxed:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.colour("code" if part.kind == "result" else "accent_soft"))
            box = self._box(lengths().gutter, part.top, self._width - lengths().gutter, part.height)
            painter.drawRoundedRect(box, Radius.MEDIUM, Radius.MEDIUM)
        spot = self.origin(part) - QPointF(0, DAY if self.day else 0)
        painter.translate(spot)
        context = QAbstractTextDocumentLayout.PaintContext()
        context.palette.setColor(QPalette.ColorRole.Text, look.colour("text"))
        context.selections = marks
        document.documentLayout().draw(painter, context)
        painter.translate(-spot)

    def _paint_fold(self, painter: QPainter, part: BlockPart) -> None:
        look = theme.current()
        box = self._box(lengths().gutter, part.top + 1, self._width - lengths().gutter, part.height - 3)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colour("canvas"))
        painter.drawRoundedRect(box, Radius.SMALL, Radius.SMALL)
        line = box.adjusted(Space.S, 0, -Space.S, 0)
        closed = "chevron-left" if self.mirrored else "chevron-right"
        self._sign(painter, line, "chevron-down" if part.opened else closed, look.tokens.muted)
        self._sign(painter, line, "info" if self.message.role == "system" else "wrench", look.tokens.muted)
        strong = QFont(look.font("small"))
        strong.setWeight(QFont.Weight.DemiBold)
        painter.setFont(strong)
        self._write(painter, line, part.label, "text")
        painter.setFont(look.font("small"))
        self._write(painter, line, part.detail, "muted")


def _painted(cursor: QTextCursor, ground: str, words: str) -> QAbstractTextDocumentLayout.Selection:
    look = theme.current()
    form = QTextCharFormat()
    form.setBackground(look.colour(ground))
    form.setForeground(look.colour(words))
    selection = QAbstractTextDocumentLayout.Selection()
    selection.cursor, selection.format = cursor, form
    return selection
