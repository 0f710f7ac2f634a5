"""Items that calls of agents were about, and where they are shown."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from app.agents.ledger.model import PROPOSED
from app.core.ids import PREFIXES
from app.core.text import excerpt
from ui import operations
from ui.panes.pane import Place

if TYPE_CHECKING:
    from app.agents.ledger.model import LedgerCall
    from ui.bridge import Bridge

MOST_OF_A_CALL = 12
_MOST_IDS = 500
_TITLE = 60
_TITLED = 2
_SESSION, _ENTITY = f"{PREFIXES['session']}-", f"{PREFIXES['entity']}-"


async def load_items(bridge: "Bridge", calls: "Iterable[LedgerCall]") -> dict[str, Place]:
    """Return places of the items of calls by id, with titles; those gone have none."""
    ids = list(dict.fromkeys(item for call in calls for item in _items(call)))[:_MOST_IDS]
    sessions = [identity for identity in ids if identity.startswith(_SESSION)]
    entities = [identity for identity in ids if identity.startswith(_ENTITY)]
    memories = [identity for identity in ids if not identity.startswith((_SESSION, _ENTITY))]
    places: dict[str, Place] = {}
    if memories:
        for row in await bridge.call(operations.note.rows(ids=memories)):
            places[row.id] = Place("notes", row.id, title=row.title or row.preview, kind=row.kind)
    if sessions:
        for session in await bridge.call(operations.session.rows(ids=sessions)):
            places[session.id] = Place("sessions", session.id, title=session.label)
    if entities:
        for entity in await bridge.call(operations.entity.rows(ids=entities)):
            places[entity.id] = Place("graph", entity.id, title=entity.name)
    return places


def places_of(call: "LedgerCall", known: Mapping[str, Place]) -> list[Place]:
    """Return the places of a call: its proposal, or its search and its items."""
    if call.outcome == PROPOSED:
        title = QCoreApplication.translate("Agents", "Its proposal in the inbox")
        return [Place("inbox", identity, title=title) for identity in call.written[:1] if call.became == "waiting"]
    searched = [Place("search", extra=call.query, title=f"“{excerpt(call.query, _TITLE)}”")] if call.query else []
    return searched + [known[item] for item in _items(call) if item in known]


def titles_of(call: "LedgerCall", known: Mapping[str, Place]) -> list[str]:
    """Return titles of a call: what was searched for, and the first items."""
    return [excerpt(place.title, _TITLE) for place in places_of(call, known) if place.pane != "inbox"][:_TITLED]


def _items(call: "LedgerCall") -> Iterator[str]:
    if call.outcome != PROPOSED:
        yield from (*call.written, *call.read)[:MOST_OF_A_CALL]
