"""Palette lookup: asks the vault for titles, tags and names, without ever blocking the window."""

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.entities.model import EntityFilter
from app.memories.model import MemoryFilter
from app.sessions.model import SessionFilter
from ui.panes.search.query_text import term_of
from ui.shell.navigation import Place
from ui.shell.pane_stack import PANES
from ui.translation import translate

if TYPE_CHECKING:
    from app.core.facets import Facet
    from app.entities.model import EntityRow
    from app.memories.model import Link, MemoryRow
    from app.sessions.model import Session
    from ui.bridge import Bridge

DEBOUNCE_MS = 60
LIMIT = 30
ENTITY_LIMIT = 10
ENTITY_ICONS = {"person": "user", "organization": "users", "location": "map-pin"}


@dataclass(frozen=True, slots=True)
class Target:
    """A place that the palette offers.

    Args:
        key: Identifies it among the recent ones.
        title: The text that is matched and shown.
        place: Where choosing it leads.
        detail: The kind of thing it is, for people.
        icon: Name of its icon.
    """

    key: str
    title: str
    place: Place
    detail: str
    icon: str


def target_of(place: Place) -> Target:
    """Return a note, conversation or name as the palette offers it."""
    if place.pane == "graph":
        return Target(f"graph/{place.id}", place.title, place, translate("Palette", "Name"), "waypoints")
    key = f"{place.pane}/{place.id}"
    if place.pane == "notes":
        return Target(key, place.title, place, translate("Palette", "Note"), "notebook-pen")
    pane = next((pane for pane in PANES if pane.name == place.pane), None)
    if place.pane == "sessions" or pane is None:
        return Target(key, place.title, place, translate("Palette", "Conversation"), "message-square")
    return Target(key, place.title, place, pane.shown_title, pane.icon)


class PaletteLookup(QObject):
    """Lookup of one text at a time; answers to older texts are dropped."""

    found = Signal(object)  # list[Target]

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge: Bridge | None = None
        self._wanted: tuple[str, bool] | None = None
        self._is_running = False
        self._timer = QTimer(self, singleShot=True, interval=DEBOUNCE_MS)
        self._timer.timeout.connect(self._start)

    def set_bridge(self, bridge: "Bridge") -> None:
        """Ask through ``bridge`` from now on."""
        self._bridge = bridge

    def request(self, text: str, *, titles_only: bool, at_once: bool = False) -> None:
        """Look up ``text``, by default after a short pause in typing.

        Args:
            text: The typed letters.
            titles_only: Whether tags and names are left out.
            at_once: Whether to skip the pause.
        """
        self._wanted = (text, titles_only)
        self._timer.start(0 if at_once else DEBOUNCE_MS)

    def cancel(self) -> None:
        """Drop the answers that are still to come."""
        self._wanted = None
        self._timer.stop()

    @property
    def is_idle(self) -> bool:
        """True when no lookup runs or waits."""
        return not self._is_running and not self._timer.isActive()

    def _start(self) -> None:
        if self._bridge is not None and self._wanted is not None and not self._is_running:
            self._is_running = True
            self._bridge.start(self._run(self._bridge, *self._wanted))

    async def _run(self, bridge: "Bridge", text: str, titles_only: bool) -> None:
        try:
            targets = await _titles(bridge, text)
            if text and not titles_only and self._wanted == (text, titles_only):
                targets += await _tags_and_names(bridge, text)
        finally:
            self._is_running = False
        if self._wanted == (text, titles_only):
            self.found.emit(targets)
        elif not self._timer.isActive():
            self._start()


async def _titles(bridge: "Bridge", text: str) -> list[Target]:
    links: list[Link]
    rows: list[MemoryRow]
    sessions: list[Session]
    links, rows, sessions = await asyncio.gather(
        bridge.call("note.titles", contains=text, limit=LIMIT),
        bridge.call("note.list", filter=MemoryFilter(text=text, kinds=("note",)), order="recent", limit=LIMIT),
        bridge.call("session.list", filter=SessionFilter(text=text), order="recent", limit=LIMIT),
    )
    places = [Place("notes", row.id, title=row.title or row.preview) for row in rows]
    places += [Place("notes", link.memory_id, title=link.title) for link in links]
    places += [Place("sessions", session.id, title=session.label) for session in sessions]
    return [target_of(place) for place in places if place.title]


async def _tags_and_names(bridge: "Bridge", text: str) -> list[Target]:
    tags: list[Facet]
    entities: list[EntityRow]
    tags, entities = await asyncio.gather(
        bridge.call("tag.list", prefix=text.removeprefix("#").casefold(), limit=LIMIT),
        bridge.call("entity.list", filter=EntityFilter(text=text), limit=ENTITY_LIMIT),
    )
    targets = [
        Target(
            f"tag/{tag.name}",
            f"#{tag.name}",
            Place("search", extra=term_of("tag", tag.name)),
            translate("Palette", "Tag"),
            "tag",
        )
        for tag in tags
    ]
    targets += [
        Target(
            f"entity/{entity.id}",
            entity.name,
            Place("search", extra=term_of("entity", entity.name)),
            _kind(entity.type),
            ENTITY_ICONS.get(entity.type, "waypoints"),
        )
        for entity in entities
        if entity.type != "hashtag"  # listed as a tag
    ]
    return targets


def _kind(entity_type: str) -> str:
    """Return the type of an entity as people call it."""
    return {
        "person": translate("Palette", "Person"),
        "organization": translate("Palette", "Organization"),
        "location": translate("Palette", "Place"),
        "project": translate("Palette", "Project"),
        "email": translate("Palette", "Email address"),
        "url": translate("Palette", "Web address"),
    }.get(entity_type, translate("Palette", "Name"))
