"""Lookup of the people and things that texts name, in batches."""

import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.errors import KeepsakeError
from ui import operations
from ui.work import Work

if TYPE_CHECKING:
    from app.changes import ChangeSet
    from app.entities.model import MentionedEntity
    from ui.bridge import Bridge

_log = logging.getLogger(__name__)

WAIT_MS = 60
"""Requests within this time are fetched together."""
RENEW_MS = 2_000
"""Names that are recognised in a burst are fetched again once it is over."""
BATCH = 200
KEPT = 4_000


class NameLookup(QObject):
    """The names of texts, as far as they were fetched.

    Args:
        bridge: The connection to the engine.
        parent: Its parent.
    """

    found = Signal(object)
    """The owners (a set) whose names arrived."""
    renewed = Signal()
    """Names were recognised, merged or renamed: ask again for those in sight."""

    def __init__(self, bridge: "Bridge", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._known: dict[str, tuple[MentionedEntity, ...]] = {}
        self._stale: set[str] = set()
        self._wanted: dict[str, None] = {}
        self._flying: set[str] = set()
        self._wait = QTimer(self, singleShot=True, interval=WAIT_MS)
        self._wait.timeout.connect(self._on_wait_timeout)
        self._renew = QTimer(self, singleShot=True, interval=RENEW_MS)
        self._renew.timeout.connect(self._on_renew_timeout)
        bridge.changed.connect(self._on_bridge_changed)

    def names(self, owner: str) -> "tuple[MentionedEntity, ...]":
        """Return what a message (``session#number``) or memory names, nothing while that is not known."""
        return self._known.get(owner, ())

    def want(self, owners: Iterable[str]) -> None:
        """Fetch the names of texts that are not known or may have changed."""
        fresh = [
            owner
            for owner in owners
            if owner not in self._flying and (owner not in self._known or owner in self._stale)
        ]
        self._wanted |= dict.fromkeys(fresh)
        if self._wanted and not self._wait.isActive():
            self._wait.start()

    def _on_wait_timeout(self) -> None:
        # What was asked for last is in sight; the rest asks again when it is.
        owners = list(self._wanted)[-BATCH:]
        self._wanted.clear()
        self._flying |= set(owners)
        self._work.refresh(self._fetch(owners))

    async def _fetch(self, owners: list[str]) -> None:
        try:
            rows: list[MentionedEntity] = await self._bridge.call(operations.entity.named(owners=owners))
        except KeepsakeError as error:
            # Texts are read without links then; when they come into sight again, they are asked for again.
            _log.info("names of texts were not looked up: %s", error.code)
            self._flying.difference_update(owners)
            return
        self._flying.difference_update(owners)
        by_owner: dict[str, list[MentionedEntity]] = {owner: [] for owner in owners}
        for row in rows:
            by_owner[row.owner_id].append(row)
        for owner, names in by_owner.items():
            self._known.pop(owner, None)
            self._known[owner] = tuple(names)
        self._stale.difference_update(owners)
        while len(self._known) > KEPT:
            self._known.pop(next(iter(self._known)))
        self.found.emit(set(owners))

    def _on_bridge_changed(self, changes: "ChangeSet") -> None:
        if "entities" in changes.areas and not self._renew.isActive():
            self._renew.start()

    def _on_renew_timeout(self) -> None:
        self._stale |= self._known.keys()
        self.renewed.emit()
