"""Clients that can be connected, and where each keeps its configuration."""

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import Final

from app.connections.model import ClientConfig

CLIENTS: Final = ("claude-desktop", "claude-code", "cursor", "vscode", "codex", "gemini", "windsurf")
# What decides where their configurations are.
VARIABLES: Final = (
    "HOME", "USERPROFILE", "APPDATA", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "GEMINI_CLI_HOME", "CODEX_HOME",
)  # fmt: skip
_PROGRAMS: Final = {
    "claude-code": "claude",
    "cursor": "cursor",
    "vscode": "code",
    "codex": "codex",
    "gemini": "gemini",
    "windsurf": "windsurf",
}
_CLAUDE_HOOKS: Final = (
    ("SessionStart", "session-start"),
    ("UserPromptSubmit", "prompt"),
    ("Stop", "stop"),
    ("PreCompact", "pre-compact"),
)
_GEMINI_HOOKS: Final = (
    ("SessionStart", "session-start"),
    ("BeforeAgent", "prompt"),
    ("AfterAgent", "stop"),
    ("PreCompress", "pre-compact"),
)


def client_config(name: str, environment: Mapping[str, str], platform: str = sys.platform) -> ClientConfig | None:
    """Return the configuration of a client on this system, ``None`` if unknown.

    Args:
        name: One of ``CLIENTS``.
        environment: Where variables such as ``APPDATA`` and ``CODEX_HOME`` are looked up.
        platform: As in ``sys.platform``.
    """
    return _all(_Places(environment, platform)).get(name)


def is_installed(client: ClientConfig, environment: Mapping[str, str]) -> bool:
    """Return whether a client seems to be installed.

    Its configuration, its folder or its program is here.
    A folder that all programs share, such as the home folder, says nothing.
    """
    places = _Places(environment, sys.platform)
    shared = {str(places.home), str(places.settings)}
    files = [Path(path) for path in (client.path, client.hooks_path) if path]
    if any(file.exists() or (str(file.parent) not in shared and file.parent.is_dir()) for file in files):
        return True
    program = _PROGRAMS.get(client.name)
    return program is not None and shutil.which(program) is not None


class _Places:
    """Folders of a person's settings on a system."""

    def __init__(self, environment: Mapping[str, str], platform: str) -> None:
        self._environment = environment
        self._path: type[PurePath] = PureWindowsPath if platform == "win32" else PurePosixPath
        self.home = self._path(environment.get("USERPROFILE" if platform == "win32" else "HOME") or "~")
        if platform == "win32":
            self.settings = self.folder("APPDATA", self.home / "AppData" / "Roaming")
        elif platform == "darwin":
            self.settings = self.home / "Library" / "Application Support"
        else:
            self.settings = self.folder("XDG_CONFIG_HOME", self.home / ".config")

    def folder(self, variable: str, default: PurePath) -> PurePath:
        named = self._environment.get(variable)
        return self._path(named) if named else default


def _all(places: _Places) -> dict[str, ClientConfig]:
    home, settings = places.home, places.settings
    claude = places.folder("CLAUDE_CONFIG_DIR", home / ".claude")
    claude_json = claude if claude != home / ".claude" else home
    gemini = places.folder("GEMINI_CLI_HOME", home) / ".gemini" / "settings.json"
    clients = (
        ClientConfig("claude-desktop", "Claude Desktop", str(settings / "Claude" / "claude_desktop_config.json")),
        ClientConfig(
            "claude-code",
            "Claude Code",
            str(claude_json / ".claude.json"),
            has_type=True,
            hooks_path=str(claude / "settings.json"),
            hooks=_CLAUDE_HOOKS,
            restart="It takes effect in the next session.",
        ),
        ClientConfig("cursor", "Cursor", str(home / ".cursor" / "mcp.json")),
        ClientConfig("vscode", "VS Code", str(settings / "Code" / "User" / "mcp.json"), ("servers",), has_type=True),
        ClientConfig(
            "codex",
            "Codex",
            str(places.folder("CODEX_HOME", home / ".codex") / "config.toml"),
            ("mcp_servers",),
            "toml",
            restart="It takes effect in the next session.",
        ),
        ClientConfig(
            "gemini", "Gemini CLI", str(gemini), hooks_path=str(gemini), hooks=_GEMINI_HOOKS, hook_timeout=30_000
        ),
        ClientConfig("windsurf", "Windsurf", str(home / ".codeium" / "windsurf" / "mcp_config.json")),
    )
    return {client.name: client for client in clients}
