"""What panes that show written text share: following links, telling failures, taking history ids out of answers."""

from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication
from shiboken6 import isValid

from ui.navigation import link_of, place_of
from ui.panes.base import Notice, Pane, Place

if TYPE_CHECKING:
    from app.errors import KeepsakeError
    from ui.bridge import Reply


def history_of(reply: "Reply") -> tuple[int, ...]:
    """Return the history ids that undo what a reply tells of."""
    return reply.changes.history_ids if reply.changes is not None else ()


def copy_text(text: str) -> None:
    """Put ``text`` on the clipboard."""
    QGuiApplication.clipboard().setText(text)


class ReadingPane(Pane):
    """A pane whose text has links in it."""

    def tell(self, text: str, history_ids: tuple[int, ...] = (), undo_text: str = "") -> None:
        """Tell something in passing."""
        self.notice.emit(Notice(text, history_ids, undo_text=undo_text or text))

    def tell_error(self, error: "KeepsakeError") -> None:
        """Tell what went wrong, in its own words."""
        self.notice.emit(Notice(error.message, kind="error"))

    def copy_link(self, place: Place) -> None:
        """Put the link to ``place`` on the clipboard."""
        copy_text(link_of(place))

    def follow_wiki(self, title: str) -> None:
        """Open the note called ``title``, or what the pane does for one that does not exist yet."""
        self.bridge.start(self._resolve(title))

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
        self.tell(self.tr("No note is called ‘{title}’ yet.").format(title=title))

    async def _resolve(self, title: str) -> None:
        found = await self.bridge.call("note.resolve", title=title)
        if not isValid(self):
            return
        if found:
            self.navigate.emit(Place("notes", found, title=title))
        else:
            self.title_missing(title)
