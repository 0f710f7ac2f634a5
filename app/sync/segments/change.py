"""One change as all machines of a person know it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.store.lanes import ChangePlace

State = Mapping[str, Any]
"""The whole of a row as JSON holds it, without what is derived or of one machine."""
Seen = Mapping[int, int]
"""For each lane, up to which number its changes were known."""

ERASE: Final = "ERASE"
"""The event of a change by which a row is forgotten for ever; such a change has no states."""


@dataclass(frozen=True, slots=True)
class Change:
    """One recorded intent; it never changes but by forgetting for ever.

    Args:
        place: Its place among all changes: clock, lane and number. Lane and number name it on every machine.
        seen: What its writer knew of the other lanes; of its own, all before it.
        at_ms: The wall time, milliseconds since 1970 UTC; for people, it orders nothing.
        actor: Who made it.
        run_id: The run that it belongs to, ``None`` for none.
        target_kind: The kind of row: ``memory``, ``session``, ``message`` and so on.
        target: The row's id, the same on every machine.
        event: What was done: ``create``, ``update``, ``delete`` and so on.
        before: The row as its writer saw it, ``None`` where there was none.
        after: The row as its writer left it, ``None`` where it is gone.
        undoes: Lane and number of the change that it takes back.
    """

    place: ChangePlace
    seen: Seen
    at_ms: int
    actor: str
    run_id: str | None
    target_kind: str
    target: str
    event: str
    before: State | None
    after: State | None
    undoes: tuple[int, int] | None = None

    def saw(self, place: ChangePlace) -> bool:
        """Return whether its writer knew the change at a place."""
        if place.lane == self.place.lane:
            return place.n < self.place.n
        return self.seen.get(place.lane, 0) >= place.n
