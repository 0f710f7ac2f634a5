"""Completions of ids and names: in the addresses of resources and the arguments of prompts."""

from typing import Any, Final

from app.core.text_rules.recall_fence import neutralise
from app.errors import AccessDeniedError
from app.mcp.tools.toolbox import CallContext

MOST: Final = 100
"""Values in one answer, the most that the protocol allows."""


async def complete(target: str, argument: str, typed: str, call: CallContext) -> dict[str, Any]:
    """Return the values that what was typed may become.

    The most mentioned or last changed ones come first.

    Args:
        target: The address with a gap, such as ``memory://note/{id}``, or the name of a prompt.
        argument: The gap or the argument.
        typed: What stands there; letters of a title or an id.
        call: The client's context.

    Raises:
        KeepsakeError: What the host reports.
    """
    wanted: dict[str, Any] = {"limit": MOST + 1}
    try:
        if (target, argument) == ("memory://entity/{name}", "name"):
            rows = await call.read("entity.list", filter={"prefix": typed} if typed else {}, **wanted)
            values = [str(row["name"]) for row in rows]
        elif (target, argument) == ("memory://note/{id}", "id"):
            values = await _ids("note.list", "note.ids", typed, call)
        elif (target, argument) in (("memory://session/{id}", "id"), ("consolidate-session", "session")):
            values = await _ids("session.list", "session.ids", typed, call)
        else:
            values = []
    except AccessDeniedError:
        # Lists of conversations are for programs with full trust.
        values = []
    shown = [neutralise(value) for value in values[:MOST]]
    return {"completion": {"values": shown, "hasMore": len(values) > MOST}}


async def _ids(rows: str, ids: str, typed: str, call: CallContext) -> list[str]:
    """Return the ids that begin with what was typed, else of texts with it."""
    if typed:
        beginning = [str(identity) for identity in await call.read(ids) if str(identity).startswith(typed)]
        if beginning:
            return beginning[: MOST + 1]
    matching = await call.read(rows, filter={"text": typed} if typed else {}, limit=MOST + 1)
    return [str(row["id"]) for row in matching]
