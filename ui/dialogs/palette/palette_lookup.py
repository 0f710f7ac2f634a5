"""Palette lookup: asks the vault for titles, tags and names, without ever blocking the window."""

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, get_args

from PySide6.QtCore import QObject, QTimer, Signal

from app.entities.model import EntityFilter
from app.errors import KeepsakeError
from app.memories.model import Kind, MemoryFilter
from app.sessions.model import SessionFilter
from ui import operations
from ui.models.fuzzy_match import has_near_words, pieces
from ui.panes.labels import kind_icon, kind_label
from ui.panes.search.query_text import term_of
from ui.shell.navigation import Place
from ui.shell.pane_stack import PANES
from ui.translation import translate
from ui.work import Work

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.core.facets import Facet
    from app.entities.model import EntityRow
    from app.memories.model import Link, MemoryRow
    from app.sessions.model import Session
    from ui.bridge import Bridge

DEBOUNCE_MS = 60
LIMIT = 30
ENTITY_LIMIT = 10
OTHER_LIMIT = 10
"""Facts, observations and the like, which are found by their text."""
OTHER_KINDS = tuple(kind for kind in get_args(Kind) if kind != "note")
FEW = 3
"""Titles with the typed letters below which misspelt ones are looked for too."""
NEAR_LIMIT = 200
"""Titles with a piece of a misspelt word that are looked through."""
HASHTAG = "hashtag"
"""Type of the entities that are listed as tags."""
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
        also: Further words it is found by.
    """

    key: str
    title: str
    place: Place
    detail: str
    icon: str
    also: str = ""


def target_of(place: Place) -> Target:
    """Return a note, conversation or name as the palette offers it."""
    if place.pane == "graph":
        return Target(f"graph/{place.id}", place.title, place, translate("Palette", "Name"), "waypoints")
    key = f"{place.pane}/{place.id}"
    if place.pane == "notes" and place.kind in OTHER_KINDS:
        return Target(key, place.title, place, kind_label(place.kind), kind_icon(place.kind))
    if place.pane == "notes":
        return Target(key, place.title, place, translate("Palette", "Note"), "notebook-pen")
    pane = next((pane for pane in PANES if pane.name == place.pane), None)
    if place.pane == "sessions" or pane is None:
        return Target(key, place.title, place, translate("Palette", "Conversation"), "message-square")
    return Target(key, place.title, place, pane.shown_title, pane.icon)


class PaletteLookup(QObject):
    """Lookup of one text at a time; answers to older texts are dropped."""

    found = Signal(object)  # list[Target]
    settled = Signal()
    """Nothing runs or waits any more, whether something was found or not."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._work: Work | None = None
        self._wanted: tuple[str, bool] | None = None
        self._is_running = False
        self._timer = QTimer(self, singleShot=True, interval=DEBOUNCE_MS)
        self._timer.timeout.connect(self._start)

    def set_bridge(self, bridge: "Bridge") -> None:
        """Ask through ``bridge`` from now on."""
        self._work = Work(self, bridge)

    def request(self, text: str, *, titles_only: bool, at_once: bool = False) -> None:
        """Look up ``text``, by default after a short pause in typing.

        Args:
            text: The typed letters.
            titles_only: Whether tags and names are left out.
            at_once: Whether to skip the pause.
        """
        self._wanted = (text, titles_only)
        self._timer.start(0 if at_once else DEBOUNCE_MS)

    def hurry(self) -> None:
        """Look up now what waits for a pause in typing."""
        if self._timer.isActive():
            self._timer.start(0)

    def cancel(self) -> None:
        """Drop the answers that are still to come."""
        self._wanted = None
        self._timer.stop()

    @property
    def is_idle(self) -> bool:
        """True when no lookup runs or waits."""
        return not self._is_running and not self._timer.isActive()

    def _start(self) -> None:
        if self._work is not None and self._wanted is not None and not self._is_running:
            self._is_running = True
            self._work.refresh(self._run(self._work.bridge, *self._wanted))
        if self.is_idle:
            self.settled.emit()

    async def _run(self, bridge: "Bridge", text: str, titles_only: bool) -> None:
        wanted = (text, titles_only)
        try:
            targets = await _titles(bridge, text)
            if text and not titles_only and self._wanted == wanted:
                targets += await _tags_and_names(bridge, text)
            if text and self._wanted == wanted and _count_named(targets, text) < FEW:
                targets += await _misspelt(bridge, text, titles_only=titles_only)
        except KeepsakeError:
            self._is_running = False
            self._finish(wanted, [])
            raise
        finally:
            self._is_running = False
        self._finish(wanted, targets)

    def _finish(self, wanted: tuple[str, bool], targets: list[Target]) -> None:
        if self._wanted == wanted:
            self.found.emit(targets)
        elif not self._timer.isActive():
            self._start()
            return
        if self.is_idle:
            self.settled.emit()


async def _titles(bridge: "Bridge", text: str) -> list[Target]:
    """Return memories and conversations with ``text`` in title or statement."""
    links: list[Link]
    rows: list[MemoryRow]
    others: list[MemoryRow]
    sessions: list[Session]
    links, rows, others, sessions = await asyncio.gather(
        bridge.call(operations.note.titles(contains=text, limit=LIMIT)),
        bridge.call(operations.note.list(filter=MemoryFilter(text=text, kinds=("note",)), order="recent", limit=LIMIT)),
        bridge.call(
            operations.note.list(filter=MemoryFilter(text=text, kinds=OTHER_KINDS), order="recent", limit=OTHER_LIMIT)
        ),
        bridge.call(operations.session.list(filter=SessionFilter(text=text), order="recent", limit=LIMIT)),
    )
    known = [*rows, *others]
    places = await _titled(bridge, links, known)
    targets = [target_of(place) for place in [*map(_place_of_row, rows), *places, *map(_place_of_session, sessions)]]
    # What they say has the text, which may stand behind the words shown.
    targets += [replace(target_of(_place_of_row(row)), also=text) for row in others]
    return [target for target in targets if target.title]


async def _titled(bridge: "Bridge", links: "Sequence[Link]", known: "Sequence[MemoryRow]" = ()) -> list[Place]:
    """Return the places of titled memories that are not among ``known``, each with its kind."""
    wanted = [link.memory_id for link in links if link.memory_id not in {row.id for row in known}]
    rows: list[MemoryRow] = await bridge.call(operations.note.rows(ids=wanted)) if wanted else []
    kinds = {row.id: row.kind for row in rows}
    return [
        Place("notes", link.memory_id, title=link.title, kind=kinds.get(link.memory_id, ""))
        for link in links
        if link.memory_id in wanted
    ]


def _place_of_row(row: "MemoryRow") -> Place:
    return Place("notes", row.id, title=row.title or row.preview, kind=row.kind)


def _place_of_session(session: "Session") -> Place:
    return Place("sessions", session.id, title=session.label)


def _count_named(targets: "Sequence[Target]", text: str) -> int:
    """Return how many titles have all typed words."""
    words = text.casefold().split()
    return sum(all(word in target.title.casefold() for word in words) for target in targets)


async def _misspelt(bridge: "Bridge", text: str, *, titles_only: bool) -> list[Target]:
    """Return titles and names that have nearly these words."""
    wanted = pieces(text)
    limit, session, entity = NEAR_LIMIT, operations.session, operations.entity
    notes = [operations.note.titles(contains=piece, limit=limit) for piece in wanted]
    talks = [session.list(filter=SessionFilter(text=piece), limit=limit) for piece in wanted]
    names = [] if titles_only else [entity.list(filter=EntityFilter(text=piece), limit=limit) for piece in wanted]
    linked, held, named = await asyncio.gather(
        asyncio.gather(*map(bridge.call, notes)),
        asyncio.gather(*map(bridge.call, talks)),
        asyncio.gather(*map(bridge.call, names)),
    )
    links = {row.memory_id: row for rows in linked for row in rows}
    sessions = {row.id: row for rows in held for row in rows}
    entities = {row.id: row for rows in named for row in rows}
    titles = {
        **{key: link.title for key, link in links.items()},
        **{key: session.label for key, session in sessions.items()},
        **{key: entity.name for key, entity in entities.items()},
    }
    near = await asyncio.to_thread(_near, text, titles)
    places = await _titled(bridge, [link for key, link in links.items() if key in near])
    places += [_place_of_session(session) for key, session in sessions.items() if key in near]
    targets = [target_of(place) for place in places]
    targets += [_entity_target(entity) for key, entity in entities.items() if key in near and entity.type != HASHTAG]
    return [replace(target, also=text) for target in targets if target.title]


def _near(text: str, titles: dict[str, str]) -> set[str]:
    """Return the keys of the titles that go by nearly the typed words."""
    return {key for key, title in titles.items() if has_near_words(text, title)}


async def _tags_and_names(bridge: "Bridge", text: str) -> list[Target]:
    tags: list[Facet]
    entities: list[EntityRow]
    tags, entities = await asyncio.gather(
        bridge.call(operations.tag.list(prefix=text.removeprefix("#").casefold(), limit=LIMIT)),
        bridge.call(operations.entity.list(filter=EntityFilter(text=text), limit=ENTITY_LIMIT)),
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
    return targets + [_entity_target(entity) for entity in entities if entity.type != HASHTAG]


def _entity_target(entity: "EntityRow") -> Target:
    return Target(
        f"entity/{entity.id}",
        entity.name,
        Place("search", extra=term_of("entity", entity.name)),
        _kind(entity.type),
        ENTITY_ICONS.get(entity.type, "waypoints"),
    )


def _kind(entity_type: str) -> str:
    """Return the type of an entity as people call it."""
    return {
        "person": translate("Palette", "Person"),
        "organization": translate("Palette", "Organization"),
        "location": translate("Palette", "Place"),
        "project": translate("Palette", "Project"),
    }.get(entity_type, translate("Palette", "Name"))
