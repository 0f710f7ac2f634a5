"""The base class of panes that show text: links, notices and tags."""

from collections.abc import Callable, Coroutine
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QInputDialog, QWidget

from app.core.text import excerpt
from app.core.text_rules.tag_names import inline_tag, normalise_tags
from ui import operations
from ui.engine_texts import error_text
from ui.notice import Notice
from ui.panes.pane import Pane, Place
from ui.shell.navigation import link_of, place_of

if TYPE_CHECKING:
    from app.errors import KeepsakeError
    from ui.bridge import TypedReply

TITLE = 60
"""Letters of a title in what is told."""


def history_of(reply: "TypedReply[object]") -> tuple[int, ...]:
    """Return the history ids that undo what a reply tells of."""
    return reply.changes.history_ids if reply.changes is not None else ()


def copy_text(text: str) -> None:
    """Put ``text`` on the clipboard."""
    QGuiApplication.clipboard().setText(text)


class ReadingPane(Pane):
    """A pane whose text has links in it."""

    def show_notice(self, text: str, history_ids: tuple[int, ...] = ()) -> None:
        """Tell something in passing."""
        self.notice.emit(Notice(text, history_ids))

    def show_error(self, error: "KeepsakeError") -> None:
        """Tell what went wrong, in its own words."""
        self.notice.emit(Notice(error_text(error), kind="error"))

    def show_result(self, words: str, title: str, reply: "TypedReply[object]") -> None:
        """Tell what was done to the one thing called ``title``, with what undoes it.

        Args:
            words: A sentence with ``{title}`` in it.
            title: Shortened where it is long.
            reply: The answer to what was done.
        """
        self.show_notice(words.format(title=excerpt(title, TITLE)), history_of(reply))

    def do(self, work: Coroutine[Any, Any, None]) -> None:
        """Run ``work`` in the background; what goes wrong in it is told."""
        self.work.start(work, self.show_error)

    def ask_for_tags(self, question: str, then: Callable[[list[str]], object]) -> None:
        """Ask for tags.

        Args:
            question: What to write.
            then: Takes the tags; it is not called when there are none.
        """
        box = QInputDialog(self)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setWindowTitle(self.tr("Add tags"))
        box.setLabelText(question)
        box.textValueSelected.connect(partial(self._on_tags_given, then))
        box.open()

    def _on_tags_given(self, then: Callable[[list[str]], object], text: str) -> None:
        if tags := normalise_tags(map(inline_tag, text.split(","))):
            then(list(tags))

    def copy_link(self, place: Place) -> None:
        """Put the link to ``place`` on the clipboard."""
        copy_text(link_of(place))

    def follow_wiki(self, title: str) -> None:
        """Open the note called ``title``, or call ``title_missing``."""
        self.work.start(self._resolve(title))

    def follow_tag(self, tag: str) -> None:
        """Search for ``tag``."""
        words = f'"{tag}"' if " " in tag else tag
        self.navigate.emit(Place("search", extra=f"tag:{words}"))

    def follow_link(self, link: str) -> None:
        """Go where a ``keepsake://`` link leads."""
        if place := place_of(link):
            self.navigate.emit(place)

    def title_missing(self, title: str) -> None:
        """Say that no note has that title."""
        self.show_notice(self.tr("No note is called ‘{title}’ yet.").format(title=title))

    async def _resolve(self, title: str) -> None:
        note = await self.bridge.call(operations.note.resolve(title=title))
        if note:
            self.navigate.emit(Place("notes", note, title=title))
        else:
            self.title_missing(title)


def set_tab_chain(*widgets: QWidget) -> None:
    """Let Tab go from each widget to the next."""
    for before, after in pairwise(widgets):
        QWidget.setTabOrder(before, after)
