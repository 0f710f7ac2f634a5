"""Events that a caller may hear of."""

from app.api.caller import Caller
from app.changes import Event


def visible(event: Event, caller: Caller) -> Event | None:
    """Return what a caller may know of an event, ``None`` for nothing."""
    return event if caller.is_owner else None
