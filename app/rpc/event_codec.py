"""Changes and progress as messages of the socket."""

from dataclasses import replace
from typing import Any

from app.changes import ChangeSet, Event
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


def event_payload(event: Event) -> bytes:
    """Return the message that tells a subscriber of an event."""
    if not isinstance(event, ChangeSet):
        return payload_of(notification(PROGRESSED, event))
    shown = replace(event, ids=()) if len(event.ids) > _MAX_IDS else event
    return payload_of(notification(CHANGED, changes_to_wire(shown)))
