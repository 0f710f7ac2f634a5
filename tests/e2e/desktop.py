"""A desktop of its own: an X server without a screen, a window manager, and hands on keyboard and mouse."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

TOOLS = ("Xvfb", "openbox", "xdotool")
SCREEN = "1600x1000x24"
WAIT_S = 30.0
STEP_S = 0.05

T = TypeVar("T")


def missing_tools() -> list[str]:
    """Return the programs that a desktop needs and this machine lacks."""
    return [tool for tool in TOOLS if shutil.which(tool) is None]


def wait_for(found: Callable[[], T], what: str) -> T:
    """Return the first answer that counts as true."""
    end = time.monotonic() + WAIT_S
    while not (answer := found()):
        assert time.monotonic() < end, f"{what}: it did not happen within {WAIT_S:.0f} s"
        time.sleep(STEP_S)
    return answer


class Desktop:
    """Runs the X server and the window manager; what was started in it is ended with it.

    Args:
        folder: Where the window manager finds its settings.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.log = folder / "errors.log"
        self._started: list[subprocess.Popen[bytes]] = []
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if name not in {"WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "QT_QPA_PLATFORMTHEME"}
        }

    def __enter__(self) -> Self:
        reading, writing = os.pipe()
        command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", SCREEN, "-nolisten", "tcp", "-noreset"]
        self._start(command, pass_fds=(writing,))
        os.close(writing)
        with os.fdopen(reading, encoding="ascii") as pipe:
            number = pipe.readline().strip()
        assert number, "the X server did not start"
        self.environment |= {"DISPLAY": f":{number}", "QT_QPA_PLATFORM": "xcb"}
        settings = self._folder / "rc.xml"
        settings.write_text(_SETTINGS, "utf-8")
        self._start(["openbox", "--config-file", str(settings), "--sm-disable"])
        wait_for(lambda: self.run("get_num_desktops", check=False).strip(), "the window manager starts")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in reversed(self._started):
            process.terminate()
            try:
                process.wait(WAIT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def run(self, *words: str, check: bool = True) -> str:
        """Run a command of xdotool and return what it prints."""
        done = subprocess.run(
            ["xdotool", *words], env=self.environment, capture_output=True, text=True, check=False, timeout=WAIT_S
        )
        assert not check or done.returncode == 0, f"xdotool {' '.join(words)}: {done.stderr}"
        return done.stdout if done.returncode == 0 else ""

    def press(self, *keys: str) -> None:
        """Press keys one after the other, as ``ctrl+2``."""
        self.run("key", "--clearmodifiers", "--delay", "40", *keys)

    def type(self, text: str) -> None:
        """Type a text."""
        self.run("type", "--clearmodifiers", "--delay", "25", text)

    def click(self, x: int, y: int, button: int = 1) -> None:
        """Press a button of the mouse at a place of the screen."""
        self.run("mousemove", "--sync", str(x), str(y))
        self.run("click", str(button))

    def drag(self, start: tuple[int, int], end: tuple[int, int], steps: int = 12) -> None:
        """Move from one place to another with the button down, in steps as a hand does."""
        self.run("mousemove", "--sync", str(start[0]), str(start[1]))
        self.run("mousedown", "1")
        for step in range(1, steps + 1):
            x, y = (round(a + (b - a) * step / steps) for a, b in zip(start, end, strict=True))
            self.run("mousemove", "--sync", str(x), str(y))
            time.sleep(STEP_S)
        # A last short move, so that the target has seen the pointer rest on it.
        self.run("mousemove", "--sync", str(end[0] + 1), str(end[1]))
        time.sleep(4 * STEP_S)
        self.run("mouseup", "1")

    def window_of(self, process: int) -> str:
        """Return the visible window of a process, ``""`` when it has none."""
        parts = self.run("search", "--all", "--onlyvisible", "--pid", str(process), "--name", ".", check=False).split()
        return parts[-1] if parts else ""

    def active_window(self) -> str:
        """Return the window that the keyboard goes to."""
        return self.run("getactivewindow", check=False).strip()

    def start_python(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start Python with pipes, ended with the desktop at the latest."""
        with self.log.open("ab") as log:
            return self._start(
                [sys.executable, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log.fileno()
            )

    def _start(
        self,
        command: list[str],
        *,
        stdin: int = subprocess.DEVNULL,
        stdout: int = subprocess.DEVNULL,
        stderr: int = subprocess.DEVNULL,
        pass_fds: tuple[int, ...] = (),
    ) -> subprocess.Popen[bytes]:
        popen = subprocess.Popen(
            command, env=self.environment, stdin=stdin, stdout=stdout, stderr=stderr, pass_fds=pass_fds
        )
        self._started.append(popen)
        return popen


_SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <focus><focusNew>yes</focusNew><followMouse>no</followMouse></focus>
  <placement><policy>Smart</policy></placement>
  <desktops><number>1</number></desktops>
  <keyboard>
    <keybind key="A-F4"><action name="Close"/></keybind>
    <keybind key="A-F9"><action name="Iconify"/></keybind>
  </keyboard>
  <mouse>
    <context name="Client">
      <mousebind button="Left" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
    </context>
  </mouse>
</openbox_config>
"""
