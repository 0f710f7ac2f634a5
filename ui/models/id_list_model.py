"""A list model that knows every id and fetches rows by pages.

It fetches the pages around the rows in sight.
"""

from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from enum import IntEnum
from itertools import islice
from typing import Any, Protocol

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer, Signal
from shiboken6 import isValid

from app.errors import KeepsakeError
from ui.models.cards import Card

PAGE = 100
IN_FLIGHT = 3
WANTED = 6
KEPT_ROWS = 20_000

Index = QModelIndex | QPersistentModelIndex
Fetch = Callable[[list[str]], Awaitable[Sequence[Any]]]
Start = Callable[[Coroutine[Any, Any, Any]], object]


class Role(IntEnum):
    """Item roles beyond Qt's own."""

    ID = Qt.ItemDataRole.UserRole + 1
    ROW = Qt.ItemDataRole.UserRole + 2
    CARD = Qt.ItemDataRole.UserRole + 3


class Identified(Protocol):
    """Anything with an id."""

    @property
    def id(self) -> str:
        """Its id."""


class IdListModel(QAbstractListModel):
    """Ordered ids and a cache of their rows.

    ``data`` never fetches: asking for an unknown row's card notes its page, and one timer of the event loop asks for
    the noted pages together. Rows known from before stay visible, also over a new list, until fresher ones arrive.

    Args:
        fetch: Answers rows for ids, in any order; ids it does not answer are gone.
        start: Runs a coroutine in the background.
        present: Makes the card of a row.
        parent: Owner.
    """

    filled = Signal(object)
    """Ids whose rows arrived."""
    failed = Signal(object)
    """A ``KeepsakeError`` instead of rows; the pages are missing for again after ``retry``."""

    def __init__(
        self, fetch: Fetch, start: Start, present: Callable[[Any], Card], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._fetch = fetch
        self._start = start
        self._present = present
        self._ids: list[str] = []
        self._places: dict[str, int] | None = None
        self._rows: dict[str, tuple[Any, Card]] = {}
        self._stale: set[str] = set()
        self._gone: set[str] = set()
        self._overtaken: set[str] = set()
        self._wanted: dict[int, None] = {}
        self._flying: set[int] = set()
        self._broken: set[int] = set()
        self._generation = 0
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._on_timer_timeout)

    @property
    def ids(self) -> Sequence[str]:
        """All ids, in order."""
        return self._ids

    @property
    def generation(self) -> int:
        """Counts the lists it had."""
        return self._generation

    def set_ids(self, ids: Iterable[str]) -> None:
        """Show another list; a list equal to the present one only refreshes rows."""
        fresh = list(ids)
        self._stale.update(self._rows)
        self._gone.clear()
        self._forget_requests()
        if fresh == self._ids:
            self._emit(0, len(fresh) - 1)
            return
        self.beginResetModel()
        self._ids = fresh
        self._places = None
        self._trim()
        self.endResetModel()

    def invalidate(self, ids: Iterable[str]) -> None:
        """Fetch rows again when they are next shown; old ones stay until then."""
        for identity in ids:
            if identity in self._rows:
                self._stale.add(identity)
            self._gone.discard(identity)
            row = self.row_of(identity)
            if row >= 0:
                if row // PAGE in self._flying:
                    self._overtaken.add(identity)
                self._emit(row, row)

    def put(self, rows: Iterable[Identified]) -> None:
        """Take fresh rows that came from elsewhere, such as the answer of a save."""
        for row in rows:
            if (place := self.row_of(row.id)) >= 0:
                self._keep(row)
                self._emit(place, place)

    def retry(self) -> None:
        """Ask again for pages that failed."""
        self._broken.clear()
        self._emit(0, len(self._ids) - 1)

    def row_of(self, identity: str) -> int:
        """Return where ``identity`` stands, -1 when it is not in the list."""
        if self._places is None:
            self._places = {known: row for row, known in enumerate(self._ids)}
        return self._places.get(identity, -1)

    def value(self, identity: str) -> Any:
        """Return the cached row of ``identity``, ``None`` while unknown."""
        kept = self._rows.get(identity)
        return kept[0] if kept else None

    def card_of(self, identity: str) -> Card | None:
        """Return the cached card of ``identity`` without asking for it."""
        kept = self._rows.get(identity)
        return kept[1] if kept else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  (Qt's own default)
        """Return how many ids there are."""
        return 0 if parent.isValid() else len(self._ids)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what is cached; for cards and rows also note that they are looked at."""
        if not index.isValid() or index.row() >= len(self._ids):
            return None
        identity = self._ids[index.row()]
        if role == Role.ID:
            return identity
        if role in (Role.CARD, Role.ROW):
            self._want(index.row(), identity)
        kept = self._rows.get(identity)
        return self._of_kept(kept, role) if kept else None

    @staticmethod
    def _of_kept(kept: tuple[Any, Card], role: int) -> Any:
        if role == Role.CARD:
            return kept[1]
        if role == Role.ROW:
            return kept[0]
        if role == Qt.ItemDataRole.DisplayRole:
            return kept[1].title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return kept[1].speech
        return None

    def _want(self, row: int, identity: str) -> None:
        page = row // PAGE
        known = (identity in self._rows and identity not in self._stale) or identity in self._gone
        if known or page in self._flying or page in self._broken:
            return
        self._wanted.pop(page, None)
        self._wanted[page] = None
        if not self._timer.isActive():
            self._timer.start()

    def _on_timer_timeout(self) -> None:
        """Ask for the pages looked at last; what scrolled past long ago is dropped."""
        latest = list(self._wanted)[-WANTED:]
        self._wanted = dict.fromkeys(latest)
        while latest and len(self._flying) < IN_FLIGHT:
            page = latest.pop()
            del self._wanted[page]
            self._flying.add(page)
            self._start(self._load(page, self._generation))

    async def _load(self, page: int, generation: int) -> None:
        missing = [i for i in self._ids[page * PAGE : (page + 1) * PAGE] if i not in self._rows or i in self._stale]
        rows: Sequence[Any] = ()
        error: KeepsakeError | None = None
        try:
            rows = await self._fetch(missing)
        except KeepsakeError as caught:
            error = caught
        if not isValid(self) or generation != self._generation:
            return
        self._flying.discard(page)
        if error is not None:
            self._broken.add(page)
            self.failed.emit(error)
        else:
            self._take(page, missing, rows)
        if self._wanted and not self._timer.isActive():
            self._timer.start()

    def _take(self, page: int, missing: list[str], rows: Sequence[Any]) -> None:
        for row in rows:
            self._keep(row)
        answered = {row.id for row in rows}
        for identity in missing:
            if identity not in answered:
                self._gone.add(identity)
                self._rows.pop(identity, None)
        self._stale |= self._overtaken.intersection(missing)
        self._overtaken.difference_update(missing)
        self._emit(page * PAGE, min((page + 1) * PAGE, len(self._ids)) - 1)
        self.filled.emit(missing)

    def _keep(self, row: Any) -> None:
        self._rows[row.id] = (row, self._present(row))
        self._stale.discard(row.id)
        self._gone.discard(row.id)

    def _forget_requests(self) -> None:
        self._generation += 1
        self._wanted.clear()
        self._flying.clear()
        self._broken.clear()
        self._overtaken.clear()

    def _trim(self) -> None:
        """Drop the oldest rows beyond what is kept."""
        excess = len(self._rows) - KEPT_ROWS
        for identity in list(islice(self._rows, max(0, excess))):
            del self._rows[identity]
            self._stale.discard(identity)

    def _emit(self, first: int, last: int) -> None:
        if 0 <= first <= last:
            self.dataChanged.emit(self.index(first), self.index(last), [Role.CARD, Role.ROW])
