"""Places in the window, their history, and links to them."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from urllib.parse import quote, unquote, urlsplit

from PySide6.QtCore import QObject, Signal

SCHEME = "keepsake"
HISTORY_LIMIT = 200


@dataclass(frozen=True, slots=True)
class Place:
    """Somewhere one can be.

    Args:
        pane: The pane's name: ``sessions``, ``notes``, ``graph``, ``schedule`` or ``search``.
        id: What is open there: the id of a session, memory or entity, ``""`` for the pane itself.
        extra: Where in it: a message's ``seq``, the words of a search.
        title: What a person calls it; not part of its identity.
        words: Words to mark there, as a search found them; not part of its identity.
        kind: The kind of the memory open there, where known; not part of its identity.
    """

    pane: str
    id: str = ""
    extra: str = ""
    title: str = field(default="", compare=False)
    words: tuple[str, ...] = field(default=(), compare=False)
    kind: str = field(default="", compare=False)


def place_of(link: str) -> Place | None:
    """Return the place a link names, ``None`` when it names none.

    Understands ``keepsake://memory/<id>``, ``keepsake://session/<id>#<seq>``, ``keepsake://entity/<id>``,
    ``keepsake://search/<words>`` and ``keepsake://search``.
    """
    try:
        parts = urlsplit(link.strip())
    except ValueError:
        return None
    target = unquote(parts.path.strip("/"))
    if parts.scheme == SCHEME and parts.netloc == "search":
        return Place("search", extra=target)
    if parts.scheme != SCHEME or not target:
        return None
    if parts.netloc in ("memory", "entity"):
        return Place("notes" if parts.netloc == "memory" else "graph", target)
    if parts.netloc == "session":
        return Place("sessions", target, parts.fragment if parts.fragment.isdecimal() else "")
    return None


def link_of(place: Place) -> str:
    """Return the link that leads to ``place``, ``""`` when it has none."""
    if place.pane == "notes" and place.id:
        return f"{SCHEME}://memory/{quote(place.id)}"
    if place.pane == "sessions" and place.id:
        return f"{SCHEME}://session/{quote(place.id)}" + (f"#{place.extra}" if place.extra else "")
    if place.pane == "graph" and place.id:
        return f"{SCHEME}://entity/{quote(place.id)}"
    if place.pane == "search" and place.extra:
        return f"{SCHEME}://search/{quote(place.extra, safe='')}"
    return ""


class Navigation(QObject):
    """Places visited, in order, with a cursor: back and forward as in a browser."""

    moved = Signal(object)
    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._places: list[Place] = []
        self._at = -1

    @property
    def current(self) -> Place | None:
        """The place one is at."""
        return self._places[self._at] if self._at >= 0 else None

    @property
    def can_go_back(self) -> bool:
        """True if there is a place before the current one."""
        return self._at > 0

    @property
    def can_go_forward(self) -> bool:
        """True if there is a place after the current one."""
        return self._at + 1 < len(self._places)

    def visit(self, place: Place) -> None:
        """Remember ``place`` as the current one; what lay ahead is forgotten."""
        if place == self.current:
            return
        del self._places[self._at + 1 :]
        self._places.append(replace(place, title=""))
        del self._places[:-HISTORY_LIMIT]
        self._at = len(self._places) - 1
        self.changed.emit()

    def go_back(self) -> None:
        """Move to the place before."""
        self._move(-1)

    def go_forward(self) -> None:
        """Move to the place after."""
        self._move(1)

    def forget(self, ids: Collection[str]) -> None:
        """Drop the places of erased items, and all words of searches, which may repeat them."""
        places = [
            replace(place, words=()) if place.id not in ids and not (place.pane == "search" and place.extra) else None
            for place in self._places
        ]
        self._at -= places[: self._at + 1].count(None)
        self._places = [place for place in places if place is not None]
        self.changed.emit()

    def _move(self, step: int) -> None:
        if not 0 <= self._at + step < len(self._places):
            return
        self._at += step
        self.moved.emit(self._places[self._at])
        self.changed.emit()
