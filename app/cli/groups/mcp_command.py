"""The command ``keepsake mcp``."""

from typing import Annotated

import typer

from app.errors import InputError
from app.mcp.options import McpOptions, Profile


def mcp(
    context: typer.Context,
    profile: Annotated[
        Profile,
        typer.Option(help="The tools: a few for most clients, groups of the catalogue, the reference's, or files."),
    ] = "small",
    tools: Annotated[
        str,
        typer.Option(
            metavar="GROUPS",
            help="Groups of the profile full, such as notes,facts: the subjects of the operations. Without it those for"
            " reading and writing memory. A list has at most 128 tools, as clients take.",
        ),
    ] = "",
    http: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Serve streamable HTTP there, such as 127.0.0.1:8765.")
    ] = "",
    allow_remote: Annotated[bool, typer.Option(help="Let HTTP be reached from other machines.")] = False,
) -> None:
    """Serve memory to an MCP client, over standard input and output by default.

    The agent's token comes from KEEPSAKE_TOKEN or the system's keyring; without one the person is asked to let the
    program in. Over HTTP each client sends its token as a bearer token.
    """
    from app.mcp.command import serve_mcp  # noqa: PLC0415

    if tools and profile != "full":
        raise InputError("Groups of tools are those of --profile full.", field="tools")
    groups = _groups(tools) if tools else ()
    raise typer.Exit(serve_mcp(McpOptions(context.obj, profile, http, allow_remote, groups)))


def _groups(tools: str) -> tuple[str, ...]:
    # The catalogue loads slowly, and only who names groups waits for it.
    from app.api.catalogue import declared  # noqa: PLC0415
    from app.mcp.tools.tool_groups import parse_groups  # noqa: PLC0415

    return parse_groups(tools, [item.name for item in declared() if not item.owner_only])
