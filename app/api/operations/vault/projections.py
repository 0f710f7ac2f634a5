"""Operations on the tables of a database that agents on servers query."""

from functools import partial

from app.api.caller import Caller
from app.api.registry import operation
from app.changes import Changed, ChangeSet
from app.engine import Engine
from app.errors import AccessDeniedError, InputError
from app.projection.model import ProjectionState
from app.projection.projection_loop import ProjectionLoop

_change = partial(operation, access="write", owner_only=True, review="refused", kind="settings")


@operation("projection.state", owner_only=True)
async def state(engine: Engine, caller: Caller) -> ProjectionState:
    """Return into which database the store ``shared`` is projected."""
    return await _projection(engine).service.state()


@_change("projection.begin", undo="operation", positional=("place",))
async def begin(
    engine: Engine, caller: Caller, place: str, *, in_plain_text: bool = False, schema: str = "keepsake"
) -> Changed[ProjectionState]:
    """Project the store ``shared`` into tables of a PostgreSQL database, for agents on servers.

    The server, and who may read its tables, reads those memories. Nothing of the other stores goes there, and no
    conversation. What leaves the store, is deleted or forgotten leaves the tables too.

    Args:
        place: The address of the database, such as ``postgresql://name@server/database``.
        in_plain_text: The server may read these memories. Nothing is projected without.
        schema: The schema of the tables, made where there is none.
    """
    if not in_plain_text:
        raise InputError(
            "The server could read your shared memories: they go there as plain text. Say 'in_plain_text' if you want"
            " that.",
            field="in_plain_text",
        )
    projection = _projection(engine)
    changed = _changed(await projection.service.begin(place, schema), caller)
    projection.wake()
    return changed


@_change("projection.end", undo="operation")
async def end(engine: Engine, caller: Caller, *, keep_rows: bool = False) -> Changed[ProjectionState]:
    """Stop projecting the store ``shared``, and empty the tables.

    Args:
        keep_rows: Leave in the database what is there, also where it cannot be reached.
    """
    return _changed(await _projection(engine).service.end(keeps_rows=keep_rows), caller)


def _projection(engine: Engine) -> ProjectionLoop:
    if engine.isolated is None:
        raise AccessDeniedError("The vault of an isolated agent stays on this machine.")
    return engine.projection


def _changed(state: ProjectionState, caller: Caller) -> Changed[ProjectionState]:
    return Changed(state, ChangeSet(frozenset({"devices"}), (), caller.name))
