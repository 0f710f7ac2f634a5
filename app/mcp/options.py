"""Command-line options of ``keepsake mcp``, read without loading the command line's library."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, get_args

Profile = Literal["small", "full", "reference", "files"]
PROFILES: Final[tuple[Profile, ...]] = get_args(Profile)
COMMAND: Final = "mcp"


@dataclass(frozen=True, slots=True)
class McpOptions:
    """Options of an MCP server.

    Args:
        vault: The vault's folder, ``None`` for the default one.
        profile: The set of tools.
        http: ``host:port`` to serve HTTP at; standard input and output when empty.
        is_remote_allowed: Whether HTTP may be served to other machines.
        groups: The groups of tools in the profile ``full``; those by default when empty.
    """

    vault: Path | None = None
    profile: Profile = "small"
    http: str = ""
    is_remote_allowed: bool = False
    groups: tuple[str, ...] = ()


def quick_options(arguments: Sequence[str]) -> McpOptions | None:
    """Return the options in a plain ``[--vault FOLDER] mcp [--profile NAME]``, ``None`` for anything else."""
    rest, vault = list(arguments), None
    if rest[:1] == ["--vault"] and len(rest) > 1 and rest[1].strip():
        vault, rest = Path(rest[1]).expanduser().absolute(), rest[2:]
    if rest[:1] != [COMMAND]:
        return None
    match rest[1:]:
        case []:
            return McpOptions(vault)
        case ["--profile", name] if name in PROFILES:
            return McpOptions(vault, name)
    return None
