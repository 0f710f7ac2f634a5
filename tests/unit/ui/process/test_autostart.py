"""Start at login: the files that desktops read."""

import plistlib
import re
from pathlib import Path

import pytest

from app.errors import MachineError
from ui.process.autostart import FileAutostart, autostart, desktop_entry, hidden_start, launch_agent


def exec_words(text: str) -> list[str]:
    """Return the arguments of ``Exec`` as a desktop reads them."""
    (line,) = [line for line in text.splitlines() if line.startswith("Exec=")]
    value = line.removeprefix("Exec=").replace("\\\\", "\\")
    words = re.findall(r'"((?:[^"\\]|\\.)*)"|(\S+)', value)
    return [(re.sub(r"\\(.)", r"\1", quoted) or plain).replace("%%", "%") for quoted, plain in words]


@pytest.mark.parametrize(
    "vault",
    ["plain", "with space", 'quo"te', "per%cent %u", "dollar$HOME", "back\\slash", "tick`x`", "Köln/日本"],
)
def test_any_folder_of_a_vault_is_given_as_it_is(vault: str) -> None:
    command = ["/usr/bin/keepsake", "--vault", f"/home/x/{vault}", "--hidden"]
    assert exec_words(desktop_entry(command).decode()) == command
    assert plistlib.loads(launch_agent(command))["ProgramArguments"] == command


def test_it_is_turned_on_and_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "deep" / "config"))
    place = autostart()
    assert not place.is_on()
    place.turn_off()  # nothing to take away
    place.turn_on(hidden_start(tmp_path / "vault"))
    assert place.is_on()
    (file,) = (tmp_path / "deep" / "config" / "autostart").iterdir()
    words = exec_words(file.read_text())
    assert words[-3:] == ["--vault", str(tmp_path / "vault"), "--hidden"]
    place.turn_off()
    assert not place.is_on()
    assert list(file.parent.iterdir()) == []


@pytest.mark.parametrize("said", ["Hidden=true", "X-GNOME-Autostart-enabled=false"])
def test_what_the_desktop_switched_off_is_off(tmp_path: Path, said: str) -> None:
    place = FileAutostart(tmp_path / "k.desktop", desktop_entry)
    place.turn_on(["keepsake"])
    place.path.write_text(f"[Desktop Entry]\n{said}\n")
    assert not place.is_on()
    place.turn_on(["keepsake"])
    assert place.is_on()


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    place = FileAutostart(tmp_path / "file" / "k.desktop", desktop_entry)
    with pytest.raises(MachineError, match="cannot be written"):
        place.turn_on(["keepsake"])
    assert not place.is_on()
