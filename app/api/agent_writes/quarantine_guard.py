"""Guard of quarantine: only the person brings back what the person hid."""

from collections.abc import Sequence

from app.api.caller import Caller
from app.engine import Engine
from app.errors import AccessDeniedError


async def refuse_release(
    engine: Engine, caller: Caller, *, memory: str = "", history_ids: Sequence[int] = (), run_id: str = ""
) -> None:
    """Refuse an agent that would bring back something in quarantine.

    Args:
        engine: The engine of the vault.
        caller: Who calls; the person may.
        memory: A memory that it would bring back; one that it may not read is no matter of this guard.
        history_ids: Entries of the history that it would undo.
        run_id: A run that it would undo.

    Raises:
        AccessDeniedError: It is in quarantine.
    """
    if caller.is_owner:
        return
    if memory:
        is_hidden = await engine.undo.quarantine.holds_memory(caller.access, memory)
    else:
        is_hidden = await engine.undo.quarantine.holds_entries(history_ids, run_id)
    if is_hidden:
        raise AccessDeniedError("The person put this into quarantine, and only the person can release it.")
