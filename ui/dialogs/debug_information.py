"""Debug information: what a bug report needs, never the content of the vault."""

import platform
from importlib import metadata
from typing import TYPE_CHECKING

from PySide6.QtCore import qVersion
from PySide6.QtGui import QGuiApplication

from app.errors import KeepsakeError
from ui import operations, theme

if TYPE_CHECKING:
    from ui.bridge import Bridge
    from ui.process.error_reporter import ErrorReporter


def version() -> str:
    """Return Keepsake's version."""
    try:
        return metadata.version("keepsake")
    except metadata.PackageNotFoundError:
        return "0.1.0"


def program_lines() -> list[str]:
    """Return facts about program and machine, one a line."""
    look = theme.current()
    return [
        f"Keepsake {version()}",
        f"Python {platform.python_version()} · Qt {qVersion()} · {QGuiApplication.platformName()}",
        f"{platform.system()} {platform.release()} {platform.machine()}",
        f"theme {look.tokens.name} ({look.scheme}) · scale {look.scale:.2f}",
    ]


async def debug_lines(bridge: "Bridge", errors: "ErrorReporter | None" = None) -> list[str]:
    """Return facts about program, machine and vault, and the last errors, one a line."""
    lines = program_lines()
    try:
        status = await bridge.call(operations.vault.status())
        stats = await bridge.call(operations.memory.stats())
    except KeepsakeError as error:
        lines.append(f"vault: {error.code}: {error.message}")
    else:
        lines += [f"{name}: {getattr(status, name)}" for name in ("embedder", "pending_vectors", "total_chunks")]
        lines += [f"{name}: {getattr(stats, name)}" for name in ("sessions", "messages", "memories", "disk_bytes")]
    if errors is not None and errors.details:
        lines += ["", errors.details]
    return lines
