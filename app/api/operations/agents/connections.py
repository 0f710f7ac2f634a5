"""Operations on connections: the entry of Keepsake in other programs' configurations."""

from collections.abc import Mapping

from app.agents.model import Trust
from app.agents.service import AREA
from app.api.caller import Caller
from app.api.registry import operation
from app.changes import Changed, ChangeSet
from app.connections.model import ClientState, ConnectionPreview, ConnectionRequest, ConnectionResult
from app.connections.service import own_variables
from app.engine import Engine


@operation("connection.list", owner_only=True)
async def list_clients(
    engine: Engine,
    caller: Caller,
    variables: dict[str, str] = {},  # noqa: B006
) -> list[ClientState]:
    """Return the programs that can be connected, and the state of each.

    It says which are on this machine, and which are connected.

    Args:
        variables: Variables such as HOME and CODEX_HOME, where they are others than those of Keepsake.
    """
    return await engine.connections.clients(_variables(variables))


@operation("connection.preview", owner_only=True)
async def preview(
    engine: Engine,
    caller: Caller,
    client: str,
    agent: str = "",
    trust: Trust = "inner",
    hooks: bool = False,
    removal: bool = False,
    variables: dict[str, str] = {},  # noqa: B006
) -> ConnectionPreview:
    """Return what a connection, or its end, would change in a program's configuration; changes nothing.

    The answer holds a digest of the files as they are now; connection.write and connection.remove take it.

    Args:
        client: The program, as connection.list has it.
        agent: The name of the agent that it becomes; the program's own by default.
        trust: The trust that it gets.
        hooks: Install its hooks too, where it has them.
        removal: Show the end of its connection instead.
        variables: See connection.list.
    """
    entries = _variables(variables)
    if removal:
        return await engine.connections.preview_removal(client, entries)
    return await engine.connections.preview(ConnectionRequest(client, agent, trust, hooks=hooks), entries)


@operation("connection.write", access="write", owner_only=True, review="refused", kind="settings", undo="operation")
async def write(
    engine: Engine,
    caller: Caller,
    client: str,
    seen: str,
    agent: str = "",
    trust: Trust = "inner",
    review: bool = False,
    hooks: bool = False,
    variables: dict[str, str] = {},  # noqa: B006
) -> Changed[ConnectionResult]:
    """Connect a program: add an agent for it, and Keepsake to its configuration.

    The configuration is copied first, and replaced as a whole. A file that changed since it was shown is refused.

    Args:
        client: The program, as connection.list has it.
        seen: The digest of connection.preview.
        agent: The name of the agent that it becomes; the program's own by default.
        trust: The trust that it gets.
        review: Let its writes wait in the inbox until the person accepts them.
        hooks: Install its hooks too, where it has them.
        variables: See connection.list.
    """
    request = ConnectionRequest(client, agent, trust, review, hooks)
    result = await engine.connections.write(request, seen, _variables(variables), actor=caller.name)
    return Changed(result, ChangeSet(frozenset({AREA}), (result.agent_id,), caller.name))


@operation(
    "connection.remove",
    access="write",
    owner_only=True,
    destructive=True,
    review="refused",
    kind="settings",
    undo="none",
)
async def remove(
    engine: Engine,
    caller: Caller,
    client: str,
    seen: str,
    variables: dict[str, str] = {},  # noqa: B006
) -> Changed[ConnectionResult]:
    """End the connection of a program, and the access of its agent.

    The entry is taken out of its configuration. Only what Keepsake wrote goes. A file that changed since it was shown
    is refused.

    Args:
        client: The program, as connection.list has it.
        seen: The digest of connection.preview with its argument removal.
        variables: See connection.list.
    """
    ended = await engine.connections.remove(client, seen, _variables(variables), actor=caller.name)
    ids = (ended.agent_id,) if ended.agent_id else ()
    return Changed(ended, ChangeSet(frozenset({AREA}), ids, caller.name))


def _variables(given: Mapping[str, str]) -> Mapping[str, str]:
    return given or own_variables()
