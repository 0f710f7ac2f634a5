"""The real window on a real desktop: keys, focus, menus, closing, second starts, geometry and dropped files."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.desktop import WAIT_S, Desktop, missing_tools, wait_for
from tests.helpers.sample_data import ROOT
from ui.process.program import WELCOMED
from ui.window_state import WindowState

pytestmark = pytest.mark.skipif(
    bool(missing_tools()), reason=f"this machine has no {', '.join(missing_tools())} to make a desktop with"
)


@pytest.fixture(scope="module")
def desktop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desktop]:
    with Desktop(tmp_path_factory.mktemp("desktop")) as made:
        yield made


class DesktopWindow:
    """The program in a process of its own, with its window on the desktop."""

    def __init__(self, desktop: Desktop, vault: Path) -> None:
        self._log = desktop.log
        self.process = desktop.start_python("-m", "tests.e2e.window_answers", "--vault", str(vault))
        self.until(lambda state: "Idle" in state.get("status", ""), "the vault opens")
        self.id = wait_for(lambda: desktop.window_of(self.process.pid), "the window is shown")

    def state(self) -> dict[str, Any]:
        """Return how the window stands."""
        pipes = self.process
        assert pipes.stdin is not None
        assert pipes.stdout is not None
        pipes.stdin.write(b"?\n")
        pipes.stdin.flush()
        line = pipes.stdout.readline()
        assert line, f"the program has ended: {self._log.read_text('utf-8', 'replace')[-2000:]}"
        return dict(json.loads(line))

    def until(self, done: Callable[[dict[str, Any]], object], what: str) -> dict[str, Any]:
        """Return the first state of which something is true."""
        last: dict[str, Any] = {}

        def look() -> bool:
            last.clear()
            last.update(self.state())
            return bool(done(last))

        try:
            wait_for(look, what)
        except AssertionError as error:
            raise AssertionError(f"{error}; the window stands so: {last}") from None
        return last

    def end(self) -> int:
        """Wait until the program has ended and return its status."""
        return self.process.wait(WAIT_S)


@pytest.fixture
def opened(desktop: Desktop, tmp_path: Path) -> Iterator[Callable[[], DesktopWindow]]:
    vault = tmp_path / "v"
    vault.mkdir()
    kept = WindowState(vault)
    kept.keep(WELCOMED, "yes")
    kept.keep("window/pane", "graph")
    kept.write()
    windows: list[DesktopWindow] = []

    def start() -> DesktopWindow:
        windows.append(DesktopWindow(desktop, vault))
        window = windows[-1]
        desktop.run("windowactivate", "--sync", window.id)
        window.until(lambda state: state["active"], "the window takes the keyboard")
        return window

    yield start
    for window in windows:
        if window.process.poll() is None:
            window.process.terminate()
            window.end()
        for pipe in (window.process.stdin, window.process.stdout):
            if pipe is not None:
                pipe.close()


def test_keys_reach_the_panes_and_the_fields(desktop: Desktop, opened: Callable[[], DesktopWindow]) -> None:
    window = opened()
    for key, pane in (("ctrl+2", "notes"), ("ctrl+4", "schedule"), ("ctrl+5", "search")):
        desktop.press(key)
        window.until(lambda state, pane=pane: state["pane"] == pane, f"{key} shows {pane}")  # type: ignore[misc]
    window.until(lambda state: "SearchBox" in state["focus"], "the search field has the keyboard")
    desktop.type("frost")
    window.until(lambda state: state["typed"] == "frost", "what is typed is in the field")


def test_tab_goes_on_and_shift_tab_comes_back(desktop: Desktop, opened: Callable[[], DesktopWindow]) -> None:
    window = opened()
    desktop.press("ctrl+5")
    first = window.until(lambda state: "SearchBox" in state["focus"], "the search field has the keyboard")["focus"]
    desktop.press("Tab")
    second = window.until(lambda state: state["focus"] not in {"", first}, "Tab moves on")["focus"]
    desktop.press("shift+Tab")
    window.until(lambda state: state["focus"] == first, f"Shift+Tab comes back from {second}")


def test_escape_leaves_the_settings(desktop: Desktop, opened: Callable[[], DesktopWindow]) -> None:
    window = opened()
    desktop.press("ctrl+comma")
    window.until(lambda state: state["sheet"] == "SettingsDialog" and state["focus"], "the settings open")
    desktop.press("Escape")
    window.until(lambda state: not state["sheet"] and state["pane"] == "graph", "Escape closes them")


def test_the_menu_opens_by_its_key_and_closes(desktop: Desktop, opened: Callable[[], DesktopWindow]) -> None:
    window = opened()
    desktop.press("F10")
    window.until(lambda state: state["menu"], "F10 opens the menu")
    desktop.press("Escape")
    window.until(lambda state: not state["popup"], "Escape closes it")


def test_the_right_button_opens_a_menu_where_it_is_pressed(
    desktop: Desktop, opened: Callable[[], DesktopWindow]
) -> None:
    window = opened()
    desktop.press("ctrl+5")
    place = window.until(lambda state: state["pane"] == "search", "the search opens")["field"]
    desktop.click(*place, button=3)
    window.until(lambda state: state["popup"] == "QMenu", "a menu pops up")
    desktop.press("Escape")
    window.until(lambda state: not state["popup"], "Escape closes it")


def test_a_second_start_brings_the_first_window_back(
    desktop: Desktop, opened: Callable[[], DesktopWindow], tmp_path: Path
) -> None:
    window = opened()
    desktop.press("alt+F9")
    window.until(lambda state: not state["shown"], "it is minimised")
    again = subprocess.run(
        [sys.executable, "-m", "ui", "--vault", str(tmp_path / "v")],
        cwd=ROOT,
        env=desktop.environment,
        capture_output=True,
        timeout=WAIT_S,
        check=False,
    )
    assert again.returncode == 0, again.stderr
    window.until(lambda state: state["shown"], "the first window is shown again")
    assert window.process.poll() is None


def test_closing_asks_and_the_hidden_program_comes_back(
    desktop: Desktop, opened: Callable[[], DesktopWindow], tmp_path: Path
) -> None:
    window = opened()
    desktop.press("alt+F4")
    window.until(lambda state: state["question"] and state["focus"], "closing asks")
    desktop.press("Return")
    window.until(lambda state: not state["shown"], "it keeps running, hidden")
    subprocess.run(
        [sys.executable, "-m", "ui", "--vault", str(tmp_path / "v")],
        cwd=ROOT,
        env=desktop.environment,
        capture_output=True,
        timeout=WAIT_S,
        check=True,
    )
    window.until(lambda state: state["shown"], "a second start shows it")


def test_the_window_comes_back_where_it_was(desktop: Desktop, opened: Callable[[], DesktopWindow]) -> None:
    first = opened()
    desktop.run("windowsize", first.id, "1010", "707")
    first.until(lambda state: state["geometry"][2:] == [1010, 707], "it has another size")
    desktop.run("windowmove", first.id, "120", "90")
    kept = first.until(lambda state: state["geometry"][0] >= 100, "it stands elsewhere")["geometry"]
    desktop.press("ctrl+q")
    assert first.end() == 0
    second = opened()
    back = second.until(lambda state: state["geometry"][2:] == kept[2:], "its size comes back")["geometry"]
    # The frame of the window manager may count or not.
    assert all(abs(now - before) <= 40 for now, before in zip(back[:2], kept[:2], strict=True))


def test_a_file_dropped_on_the_window_is_offered_for_import(
    desktop: Desktop, opened: Callable[[], DesktopWindow], tmp_path: Path
) -> None:
    note = tmp_path / "rose.md"
    note.write_text("# Roses\n\nPrune them in March.\n", "utf-8")
    window = opened()
    desktop.run("windowsize", window.id, "1000", "700")
    desktop.run("windowmove", window.id, "20", "40")
    window.until(lambda state: state["geometry"][2:] == [1000, 700], "there is room beside it")
    source = desktop.start_python("-m", "tests.e2e.drag_source", str(note), "1300", "500")
    try:
        wait_for(lambda: desktop.window_of(source.pid), "the file is on the desktop")
        x, y = window.state()["centre"]
        desktop.drag((1350, 530), (x, y))
        window.until(lambda state: state["sheet"] == "ImportDialog", "the import opens")
    finally:
        source.terminate()
        source.wait(WAIT_S)
        for pipe in (source.stdin, source.stdout):
            if pipe is not None:
                pipe.close()
