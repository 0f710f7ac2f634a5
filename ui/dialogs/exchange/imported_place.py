"""Place of what an import brought."""

from typing import TYPE_CHECKING

from ui import operations
from ui.shell.navigation import Place

if TYPE_CHECKING:
    from ui.bridge import Bridge

_LOOKED_AT = 200


async def imported_place(bridge: "Bridge", run_id: str) -> Place | None:
    """Return the place of the first conversation of an import, else of its first memory.

    It is ``None`` where nothing is left.

    Raises:
        KeepsakeError: The vault cannot tell.
    """
    report = await bridge.call(operations.upkeep.changes(run_id=run_id, limit=_LOOKED_AT))
    items = [item for item in report.items if not item.undone]
    sessions = [item for item in items if item.target_kind == "session"]
    memories = [item for item in items if item.target_kind == "memory"]
    if sessions:
        return Place("sessions", sessions[0].id)
    return Place("notes", memories[0].id) if memories else None
