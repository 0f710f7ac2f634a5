"""The command ``keepsake mcp``."""

from typing import Annotated

import typer

from app.mcp.options import McpOptions, Profile


def mcp(
    context: typer.Context,
    profile: Annotated[
        Profile, typer.Option(help="The tools: ten for most clients, the whole catalogue, or the reference server's.")
    ] = "small",
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

    raise typer.Exit(serve_mcp(McpOptions(context.obj, profile, http, allow_remote)))
