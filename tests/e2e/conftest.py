"""Fixtures of the running program: it is started on a vault, waited for, and quit."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from ui import theme
from ui.app import VaultFolder, start_host
from ui.process.error_reporter import ErrorReporter
from ui.process.program import Program, Relaunch, VaultOpener
from ui.process.single_instance import SingleInstance, address
from ui.window_state import WindowState

Until = Callable[[Callable[[], bool]], None]
Leave = Callable[[Program], None]


@pytest.fixture
def until(qt_loop: asyncio.AbstractEventLoop) -> Until:
    """Run the program until something is true."""

    async def wait(done: Callable[[], bool]) -> None:
        # No wait_for: its timer would outlive the loop, and qasync's timers must not die on another thread.
        end = qt_loop.time() + 60
        while not done():
            assert qt_loop.time() < end, "it did not become true in a minute"
            await asyncio.sleep(0.01)

    def run(done: Callable[[], bool]) -> None:
        qt_loop.run_until_complete(wait(done))

    return run


@pytest.fixture
def leave(until: Until) -> Leave:
    """Quit a program, and wait until it has left."""

    def run(program: Program) -> None:
        ended: list[str] = []
        program.finished.connect(lambda: ended.append("ended"))
        program.quit()
        until(lambda: bool(ended))

    return run


def _never_again(vault: Path, arguments: Sequence[str]) -> bool:
    """Start no further process: a test says itself when it wants one."""
    pytest.fail(f"the program was to be started again on {vault} with {arguments}")


@pytest.fixture
def launch(qtbot: QtBot, qapp: Any, until: Until) -> Iterator[Callable[..., Program]]:
    """Start the program on a vault, with the graph pane in front; it is quit at the end."""
    theme.current().install(qapp)
    started: list[Program] = []
    ended: set[Program] = set()

    def start(
        vault: Path,
        *,
        is_first: bool = False,
        safe_mode: bool = False,
        opener: VaultOpener = start_host,
        relaunch: Relaunch = _never_again,
        locked: bool = False,
    ) -> Program:
        if not vault.exists():
            vault.mkdir()
        if not is_first:
            state = WindowState(vault)
            state.keep("window/pane", "graph")
            state.write()
        instance = SingleInstance(address(vault))
        assert instance.listen()
        program = Program(
            vault, instance, ErrorReporter(), opener, VaultFolder(vault), safe_mode=safe_mode, relaunch=relaunch
        )
        program.finished.connect(lambda: ended.add(program))
        program.start(hidden=False, requests=[], locked=locked)
        started.append(program)
        return program

    yield start
    for program in started:
        program.quit()
        until(lambda program=program: program in ended)  # type: ignore[misc]
        # Not left to qtbot: it closes windows before this, and closing one here means quitting.
        for item in (program.window, program.capture, program):
            item.deleteLater()
