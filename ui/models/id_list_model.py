"""A list model that knows every id and fetches rows by pages.

It fetches the pages around the rows in sight.
"""

from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from itertools import islice
from typing import Any, Protocol

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from shiboken6 import isValid

from app.errors import KeepsakeError
from ui.models.card_list_model import CardListModel, Index, Role
from ui.models.cards import Card

PAGE = 100
IN_FLIGHT = 3
WANTED = 6
KEPT_ROWS = 20_000

Fetch = Callable[[list[str]], Awaitable[Sequence[Any]]]
Start = Callable[[Coroutine[Any, Any, Any]], object]


class Identified(Protocol):
    """Anything with an id."""

    @property
    def id(self) -> str:
        """Its id."""


class IdListModel(CardListModel):
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
        super().__init__(present, parent)
        self._fetch = fetch
        self._start = start
        self._stale: set[str] = set()
        self._gone: set[str] = set()
        self._overtaken: set[str] = set()
        self._wanted: dict[int, None] = {}
        self._flying: set[int] = set()
        self._broken: set[int] = set()
        self._generation = 0
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._on_timer_timeout)

    def set_ids(self, ids: Iterable[str]) -> None:
        """Show another list; a list equal to the present one only refreshes rows."""
        self._stale.update(self._rows)
        self._gone.clear()
        self._forget_requests()
        self._trim()
        self._replace(list(ids), self._rows)

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

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what is cached; for cards and rows also note that they are looked at."""
        if role in (Role.CARD, Role.ROW) and index.isValid() and index.row() < len(self._ids):
            self._want(index.row(), self._ids[index.row()])
        return super().data(index, role)

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
