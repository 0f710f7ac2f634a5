"""Pictures of every pane, light and dark, drawn offscreen."""

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.memories.model import MemoryFilter
from ui import operations, theme
from ui.actions import Actions
from ui.app import make_application
from ui.bridge import Bridge
from ui.process import runtime_check
from ui.process.error_reporter import ErrorReporter
from ui.process.event_loop import EventLoop
from ui.shell.navigation import Place
from ui.shell.pane_stack import PANES
from ui.theme import Scheme
from ui.window import Window
from ui.window_state import WindowState

if TYPE_CHECKING:
    from ui.bridge import Backend

SETTLE_ROUNDS = 16
TURN_S = 0.05
_MOST_SCHEDULES = 100
NAMES = tuple(pane.name for pane in PANES)
LOOKS = (Scheme.LIGHT, Scheme.DARK)


def render_vault(backend: "Backend", out_dir: Path, search: str = "") -> list[Path]:
    """Draw every pane of an open vault, without event loop or screen.

    Args:
        backend: Answers for the vault.
        out_dir: Where the pictures go, made when missing.
        search: A search to draw the answer of.

    Returns:
        The files written.
    """
    runtime_check.check()
    os.environ["QT_QPA_PLATFORM"] = os.environ.get("QT_QPA_PLATFORM") or "offscreen"
    with EventLoop(make_application()) as loop:
        written: list[Path] = loop.run_until_complete(_draw(backend, out_dir, search))
    return written


async def _draw(backend: "Backend", out_dir: Path, search: str) -> list[Path]:
    bridge = Bridge(backend)
    try:
        places = await _open_places(bridge)
        places += [Place("search", extra=search)] if search else []
        return await render_panes(bridge, out_dir, places=tuple(places))
    finally:
        await bridge.close()


async def _open_places(bridge: Bridge) -> list[Place]:
    """Return the latest conversation and note, and a job that has run."""
    sessions = await bridge.call(operations.session.ids())
    notes = await bridge.call(operations.note.list(filter=MemoryFilter(kinds=("note",)), limit=1))
    schedules = (await bridge.call(operations.schedule.search(limit=_MOST_SCHEDULES))).schedules
    places = [Place("sessions", item) for item in sessions[:1]]
    places += [Place("notes", note.id) for note in notes]
    places += [Place("schedule", job.id) for job in schedules if job.is_built_in and job.last_run_at][:1]
    return places


async def render_panes(
    bridge: "Bridge",
    out_dir: Path,
    size: tuple[int, int] = (1440, 900),
    panes: tuple[str, ...] = NAMES,
    places: tuple[Place, ...] = (),
) -> list[Path]:
    """Draw the window with each pane in front, light and dark.

    Args:
        bridge: Leads to an open vault; its settings are left as they are.
        out_dir: Where the pictures go, made when missing.
        size: Width and height in pixels.
        panes: Names of the panes to draw.
        places: Further places to draw, named after their pane and id.

    Returns:
        The files written: ``<pane>-<look>.png``.
    """
    _make(out_dir)
    window = Window(Actions(), WindowState(out_dir), ErrorReporter())
    window.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen, QApplication.platformName() != "offscreen")
    window.resize(*size)
    window.show()
    window.attach(bridge)
    shots = [(name, Place(name)) for name in panes] + [(f"{place.pane}-open", place) for place in places]
    written = []
    before = theme.current().scheme
    try:
        for name, place in shots:
            window.go(place)
            # A focus ring is no part of the picture.
            window.setFocus()
            await settle()
            written += [await _shoot(window, look, out_dir / f"{name}-{look}.png") for look in LOOKS]
    finally:
        theme.current().set_scheme(before)
        window.shut_down()
        window.deleteLater()
    return written


def _make(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)


async def settle() -> None:
    """Give a pane the time to load and paint."""
    for _ in range(SETTLE_ROUNDS):
        await asyncio.sleep(TURN_S)


async def _shoot(window: Window, look: Scheme, path: Path) -> Path:
    theme.current().set_scheme(look)
    await asyncio.sleep(TURN_S)
    window.grab().save(str(path))
    return path
