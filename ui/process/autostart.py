"""Start at login, on Linux, macOS and Windows."""

import importlib
import os
import plistlib
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from app.core.paths import default_vault
from app.core.process.program_command import program_command
from app.errors import MachineError
from app.sentence import Sentence

NAME: Final = "io.github.keepsake.Keepsake"
_RUN_KEY: Final = r"Software\Microsoft\Windows\CurrentVersion\Run"
_VALUE: Final = "Keepsake"
_SPECIAL: Final = frozenset(" \t\n\"'\\><~|&;$*?#()`%")


class Autostart(Protocol):
    """A place where the system looks for programs to start at login."""

    def is_on(self) -> bool:
        """Return whether Keepsake starts at login."""

    def turn_on(self, command: Sequence[str]) -> None:
        """Start a command at login.

        Raises:
            MachineError: It cannot be stored.
        """

    def turn_off(self) -> None:
        """Start nothing at login any more.

        Raises:
            MachineError: It cannot be taken away.
        """


def autostart() -> Autostart:
    """Return the place of this system."""
    if sys.platform == "win32":
        return RunKey()
    if sys.platform == "darwin":
        return FileAutostart(Path.home() / "Library" / "LaunchAgents" / f"{NAME}.plist", launch_agent)
    folder = Path(os.environ.get("XDG_CONFIG_HOME", "") or Path.home() / ".config")
    return FileAutostart(folder / "autostart" / f"{NAME}.desktop", desktop_entry)


def hidden_start(vault: Path) -> list[str]:
    """Return the command that starts Keepsake in the tray, on a vault."""
    installed = shutil.which("keepsake", path=str(Path(sys.executable).parent))
    program = [installed] if installed else program_command()
    chosen = [] if vault == default_vault() else ["--vault", str(vault)]
    return [*program, *chosen, "--hidden"]


class FileAutostart:
    """A file whose presence starts a program at login.

    Args:
        path: The file.
        text: Returns what the file says for a command.
    """

    def __init__(self, path: Path, text: "TextOf") -> None:
        self.path = path
        self._text = text

    def is_on(self) -> bool:
        """See ``Autostart``; a file that the desktop has switched off counts as off."""
        try:
            content = self.path.read_bytes()
        except OSError:
            return False
        return b"Hidden=true" not in content and b"X-GNOME-Autostart-enabled=false" not in content

    def turn_on(self, command: Sequence[str]) -> None:
        """See ``Autostart``."""
        draft = self.path.with_suffix(".new")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            draft.write_bytes(self._text(command))
            draft.replace(self.path)
        except OSError as error:
            raise MachineError(
                Sentence("'{path}' cannot be written: {strerror}.", path=self.path, strerror=error.strerror)
            ) from error

    def turn_off(self) -> None:
        """See ``Autostart``."""
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise MachineError(
                Sentence("'{path}' cannot be removed: {strerror}.", path=self.path, strerror=error.strerror)
            ) from error


class TextOf(Protocol):
    """Maker of an autostart file."""

    def __call__(self, command: Sequence[str]) -> bytes:
        """Return the text of the file that starts a command."""


def desktop_entry(command: Sequence[str]) -> bytes:
    """Return an autostart entry as the Desktop Entry Specification wants it."""
    words = " ".join(_quoted(word) for word in command)
    lines = (
        "[Desktop Entry]",
        "Type=Application",
        "Name=Keepsake",
        f"Exec={words}",
        f"Icon={NAME}",
        "Terminal=false",
        "X-GNOME-Autostart-enabled=true",
    )
    return ("\n".join(lines) + "\n").encode()


def launch_agent(command: Sequence[str]) -> bytes:
    """Return a LaunchAgent of macOS."""
    return plistlib.dumps({"Label": NAME, "ProgramArguments": list(command), "RunAtLoad": True})


def _quoted(word: str) -> str:
    """Return an argument of ``Exec``; see "The Exec key" in the specification."""
    word = word.replace("%", "%%")
    if word and not _SPECIAL & set(word):
        return word
    escaped = "".join(f"\\{letter}" if letter in '"`$\\' else letter for letter in word)
    # The value is a string of the file, in which a backslash stands for two.
    return '"' + escaped.replace("\\", "\\\\") + '"'


class RunKey:
    """The Run key of a person's registry on Windows."""

    def __init__(self) -> None:
        self._registry: Any = importlib.import_module("winreg")  # there on Windows alone

    def is_on(self) -> bool:
        """See ``Autostart``."""
        try:
            with self._registry.OpenKey(self._registry.HKEY_CURRENT_USER, _RUN_KEY) as key:
                return bool(self._registry.QueryValueEx(key, _VALUE)[0])
        except OSError:
            return False

    def turn_on(self, command: Sequence[str]) -> None:
        """See ``Autostart``."""
        try:
            with self._registry.CreateKey(self._registry.HKEY_CURRENT_USER, _RUN_KEY) as key:
                self._registry.SetValueEx(key, _VALUE, 0, self._registry.REG_SZ, subprocess.list2cmdline(command))
        except OSError as error:
            raise MachineError(
                Sentence("The registry cannot be written: {strerror}.", strerror=error.strerror)
            ) from error

    def turn_off(self) -> None:
        """See ``Autostart``."""
        access = self._registry.KEY_SET_VALUE
        try:
            with self._registry.OpenKey(self._registry.HKEY_CURRENT_USER, _RUN_KEY, 0, access) as key:
                self._registry.DeleteValue(key, _VALUE)
        except FileNotFoundError:
            return
        except OSError as error:
            raise MachineError(
                Sentence("The registry cannot be written: {strerror}.", strerror=error.strerror)
            ) from error
