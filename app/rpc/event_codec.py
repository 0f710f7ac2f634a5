"""Changes and progress as messages of the socket."""

from dataclasses import replace
from typing import Any

import msgspec

from app.changes import AREAS, ChangeSet, Event, Progress
from app.rpc.framing import payload_of
from app.rpc.messages import CHANGED, PROGRESSED, notification

_MAX_IDS = 10_000  # beyond, a change set means everything in its areas


def changes_to_wire(changes: ChangeSet | None) -> dict[str, Any] | None:
    """Return the members of a change set that clients see, and no more."""
    if changes is None:
        return None
    return {
        "areas": sorted(changes.areas),
        "ids": changes.ids,
        "actor": changes.actor,
        "operation": changes.operation,
        "history_ids": changes.history_ids,
    }


def changes_from_wire(members: dict[str, Any]) -> ChangeSet:
    """Return the change set with these members; areas of a newer version are left out."""
    return msgspec.convert({**members, "areas": [name for name in members["areas"] if name in AREAS]}, ChangeSet)


def event_from_wire(kind: str, members: dict[str, Any]) -> Event | None:
    """Return the event that a subscriber was told of, ``None`` for any other kind."""
    if kind == CHANGED:
        return changes_from_wire(members)
    return msgspec.convert(members, Progress) if kind == PROGRESSED else None


def event_payload(event: Event) -> bytes:
    """Return the message that tells a subscriber of an event."""
    if not isinstance(event, ChangeSet):
        return payload_of(notification(PROGRESSED, event))
    shown = replace(event, ids=()) if len(event.ids) > _MAX_IDS else event
    return payload_of(notification(CHANGED, changes_to_wire(shown)))
