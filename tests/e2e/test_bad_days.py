"""Bad days: the vault does not open, or the desktop lacks what others have; the window says so and offers remedies."""

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import pytest
from PySide6.QtWidgets import QFileDialog

from app.core.paths import migrations
from app.core.vault_opening import OpeningStep, VaultOpening
from app.host import Host
from app.store.migrate import migrations_in
from app.store.staged_restore import STAGED
from app.store.store import DATABASE, Store
from tests.e2e.conftest import Leave, Until
from tests.helpers.disks import SmallDisk, make_read_only, make_writable
from tests.helpers.guards.unexpected_logs import AllowLogs
from tests.helpers.sample_data import ROOT
from ui.app import start_host
from ui.process.program import OpenVault, Program
from ui.shell.start.opening_advice import OpeningRemedy
from ui.window_state import WindowState

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
Launch = Callable[..., Program]
HOLDER = """
import sys
from pathlib import Path
from app.store.lock import VaultLock
lock = VaultLock(Path(sys.argv[1])).acquire()
lock.settle()
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def used(tmp_path: Path) -> Path:
    """Return a vault with a note and a backup of it."""
    return fill(tmp_path / "v")


def fill(vault: Path) -> Path:
    host = Host(vault, serve=False, overrides={"index.vectors": False})
    host.start()
    host.ask("note.save", title="Roses", content="Prune the climbing rose in March.")
    host.ask("session.append", session="talk", messages=[{"role": "user", "content": "When do I prune?"}] * 3)
    host.ask("vault.settle")
    host.ask("backup.now")
    host.stop()
    return vault


def setting(host: Host, name: str) -> object:
    return next(item.value for item in host.ask("settings.list") if item.name == name)


def schema_of(vault: Path) -> int:
    connection = apsw.Connection(str(vault / DATABASE))
    try:
        return int(str(connection.pragma("user_version")))
    finally:
        connection.close()


def damage(vault: Path, first: int, last: int) -> None:
    with (vault / DATABASE).open("r+b") as file:
        file.seek(first)
        file.write(b"\xa5" * (last - first))


@contextmanager
def held(vault: Path) -> Iterator[int]:
    """Hold the vault's lock in another process; give its number."""
    vault.mkdir(exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(vault)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    try:
        yield process.pid
    finally:
        process.communicate("")


def said_by_process(
    vault: Path, *arguments: str, prefix: tuple[str, ...] = (), variables: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return what the window of a real process says of ``vault``."""
    done = subprocess.run(
        [*prefix, sys.executable, "-m", "tests.e2e.window_process", "--vault", str(vault), *arguments],
        cwd=ROOT,
        env={**os.environ, **(variables or {})},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done
    assert "Traceback" not in done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def offered(program: Program) -> set[OpeningRemedy]:
    return {remedy for remedy, button in program.window.start_page.remedies.items() if button.isVisible()}


def is_open(program: Program) -> bool:
    return "Idle" in program.window.status_line.text


def refuses(program: Program) -> bool:
    return program.window.start_page.retry.isVisible()


def make_older(vault: Path, schema: int) -> None:
    """Make a vault as an earlier Keepsake left it."""
    vault.mkdir()
    steps = vault.parent / "earlier"
    steps.mkdir()
    for step in migrations_in(migrations())[:schema]:
        shutil.copy(step.path, steps)
    Store.open(vault, steps).close()


class GatedOpening:
    """Opens a vault, and waits at each step until it is let on."""

    def __init__(self) -> None:
        self.gate = threading.Semaphore(0)
        self.steps: list[OpeningStep] = []

    def __call__(self, vault: Path, *, safe_mode: bool = False, opening: VaultOpening | None = None) -> OpenVault:
        assert opening is not None
        return start_host(
            vault, safe_mode=safe_mode, opening=VaultOpening(partial(self._wait, opening.report), opening.stop)
        )

    def _wait(self, report: Callable[[OpeningStep], None], step: OpeningStep) -> None:
        self.steps.append(step)
        report(step)
        self.gate.acquire(timeout=60)


def titles(program: Program) -> list[str]:
    assert program._host is not None
    ids = program._host.call("note.ids", {}).result().value
    return [program._host.call("note.get", {"id": identity}).result().value.title for identity in ids]


def test_locked_by_a_process_that_does_not_answer(launch: Launch, until: Until, tmp_path: Path) -> None:
    with held(tmp_path / "v") as number:
        program = launch(tmp_path / "v")
        until(lambda: refuses(program))
        assert f"process {number}" in program.window.start_page.text
        assert offered(program) == {OpeningRemedy.RETRY, OpeningRemedy.OTHER}
    program.window.start_page.retry.click()
    until(lambda: is_open(program))


def test_damaged_file_is_checked_and_a_backup_is_restored(launch: Launch, until: Until, used: Path) -> None:
    damage(used, 0, 4096)
    program = launch(used)
    page = program.window.start_page
    until(lambda: refuses(program))
    assert page.text == "The file that holds your memories is damaged. Nothing was changed in it."
    assert offered(program) == {
        OpeningRemedy.RETRY,
        OpeningRemedy.RESTORE,
        OpeningRemedy.SALVAGE,
        OpeningRemedy.CHECK,
        OpeningRemedy.OTHER,
    }
    page.remedies[OpeningRemedy.CHECK].click()
    until(page.remedies[OpeningRemedy.CHECK].isVisible)
    assert "damaged" in page.result
    page.remedies[OpeningRemedy.RESTORE].click()
    until(page.choice.isVisible)
    assert page.choice.list.topLevelItemCount() == 1
    item = page.choice.list.topLevelItem(0)
    assert item is not None
    assert "You asked for it" in item.text(1)
    page.choice.restore.click()
    until(lambda: is_open(program))
    assert titles(program) == ["Roses"]


def test_damaged_file_without_a_backup_is_rescued(launch: Launch, until: Until, used: Path) -> None:
    shutil.rmtree(used / "backups")
    damage(used, 100, 4096)
    program = launch(used)
    page = program.window.start_page
    until(lambda: refuses(program))
    page.remedies[OpeningRemedy.RESTORE].click()
    until(page.choice.isVisible)
    assert page.result == "There is no backup that could be restored."
    page.choice.back.click()
    page.remedies[OpeningRemedy.SALVAGE].click()
    until(page.remedies[OpeningRemedy.USE_SALVAGED].isVisible)
    assert page.result.startswith("Rescued 1 conversation, 3 messages, 1 note or fact into ")
    page.remedies[OpeningRemedy.USE_SALVAGED].click()
    until(lambda: is_open(program))
    assert titles(program) == ["Roses"]
    assert list((used / "backups").iterdir())  # the damaged file is kept


def test_damaged_backup_is_refused_and_the_page_stays(launch: Launch, until: Until, used: Path) -> None:
    damage(used, 0, 4096)
    backup = next((used / "backups").glob("*.db"))
    with backup.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * 40_000)
    program = launch(used)
    page = program.window.start_page
    until(lambda: refuses(program))
    page.remedies[OpeningRemedy.RESTORE].click()
    until(page.choice.isVisible)
    page.choice.restore.click()
    until(lambda: refuses(program))
    assert "cannot be restored" in page.result
    assert program.window.panes is None


def test_missing_file_is_restored(launch: Launch, until: Until, used: Path) -> None:
    (used / DATABASE).unlink()
    program = launch(used)
    page = program.window.start_page
    until(lambda: refuses(program))
    assert "missing or empty" in page.text
    page.remedies[OpeningRemedy.RESTORE].click()
    until(page.choice.isVisible)
    page.choice.restore.click()
    until(lambda: is_open(program))
    assert titles(program) == ["Roses"]


def test_schema_of_no_release_is_rescued(launch: Launch, until: Until, used: Path) -> None:
    connection = apsw.Connection(str(used / DATABASE))
    connection.execute("ALTER TABLE meta ADD COLUMN extra TEXT; DELETE FROM meta WHERE key LIKE 'migration:%'")
    connection.close()
    program = launch(used)
    page = program.window.start_page
    until(lambda: refuses(program))
    assert "could not be brought up to date" in page.text
    assert offered(program) == {OpeningRemedy.RETRY, OpeningRemedy.RESTORE, OpeningRemedy.SALVAGE, OpeningRemedy.OTHER}
    page.remedies[OpeningRemedy.SALVAGE].click()
    until(page.remedies[OpeningRemedy.USE_SALVAGED].isVisible)
    page.remedies[OpeningRemedy.USE_SALVAGED].click()
    until(lambda: is_open(program))
    assert titles(program) == ["Roses"]


def test_data_of_another_program_is_left_as_it_is(launch: Launch, until: Until, tmp_path: Path) -> None:
    (tmp_path / "v").mkdir()
    connection = apsw.Connection(str(tmp_path / "v" / DATABASE))
    connection.execute("CREATE TABLE songs (title TEXT)")
    connection.close()
    before = (tmp_path / "v" / DATABASE).read_bytes()
    program = launch(tmp_path / "v")
    until(lambda: refuses(program))
    assert program.window.start_page.text.startswith(f"{tmp_path / 'v'} holds the data of another program.")
    assert (tmp_path / "v" / DATABASE).read_bytes() == before


def test_file_in_place_of_the_folder_is_said(launch: Launch, until: Until, tmp_path: Path) -> None:
    (tmp_path / "v").write_text("no folder", "utf-8")
    program = launch(tmp_path / "v", is_first=True)
    until(lambda: refuses(program))
    assert program.window.start_page.text.startswith(f"{tmp_path / 'v'} is a file.")
    assert offered(program) == {OpeningRemedy.RETRY, OpeningRemedy.OTHER}


def test_wrong_settings_file_is_named(launch: Launch, until: Until, used: Path) -> None:
    (used / "config.toml").write_text("[window\n", "utf-8")
    program = launch(used)
    until(lambda: refuses(program))
    assert str(used / "config.toml") in program.window.start_page.text
    (used / "config.toml").unlink()
    program.window.start_page.retry.click()
    until(lambda: is_open(program))


def test_older_vault_on_a_read_only_disk_is_explained(launch: Launch, until: Until, small_disk: SmallDisk) -> None:
    place = small_disk(8)
    make_older(place / "v", 14)
    make_read_only(place)
    try:
        program = launch(place / "v", is_first=True)
        until(lambda: refuses(program))
        assert "copy the folder to such a place" in program.window.start_page.text
        assert offered(program) == {OpeningRemedy.RETRY, OpeningRemedy.OTHER}
    finally:
        make_writable(place)
    program.window.start_page.retry.click()
    until(lambda: is_open(program))


def test_newer_vault_is_left_as_it_is(launch: Launch, until: Until, used: Path) -> None:
    connection = apsw.Connection(str(used / DATABASE))
    connection.pragma("user_version", 9999)
    connection.close()
    before = (used / DATABASE).read_bytes()
    program = launch(used)
    until(lambda: refuses(program))
    assert "newer Keepsake" in program.window.start_page.text
    assert offered(program) == {OpeningRemedy.RETRY, OpeningRemedy.RESTORE, OpeningRemedy.OTHER}
    assert (used / DATABASE).read_bytes() == before


def test_full_disk_keeps_a_new_vault_closed(
    launch: Launch, until: Until, small_disk: SmallDisk, tmp_path: Path
) -> None:
    place = small_disk(1)
    (place / "v").mkdir()
    with (place / "filler").open("wb", buffering=0) as file:
        try:
            while file.write(b"x" * 4096):
                pass
        except OSError:
            pass
    program = launch(place / "v", is_first=True)
    until(lambda: refuses(program))
    assert "full" in program.window.start_page.text
    assert offered(program) == {OpeningRemedy.RETRY, OpeningRemedy.OTHER}
    (place / "filler").unlink()


def test_read_only_folder_opens_for_reading(
    launch: Launch, until: Until, leave: Leave, small_disk: SmallDisk, allow_logs: AllowLogs
) -> None:
    allow_logs("other programs cannot reach this vault")
    place = small_disk(24)
    vault = fill(place / "v")
    make_read_only(place)
    try:
        program = launch(vault, is_first=True)
        until(program.window.banner.isVisible)
        assert "reading only" in program.window.banner.text
        assert titles(program) == ["Roses"]
        leave(program)
    finally:
        make_writable(place)


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="needs setpriv, to give up root's rights to files")
def test_folder_without_permission_is_explained(used: Path) -> None:
    drop = "-dac_override,-dac_read_search"
    used.chmod(0o000)
    try:
        said = said_by_process(used, prefix=("setpriv", f"--bounding-set={drop}", f"--inh-caps={drop}"))
    finally:
        used.chmod(0o700)
    assert not said["open"]
    assert "your account lacks the permission" in said["text"]
    assert said["remedies"] == ["retry", "other"]


def test_without_bus_keyring_and_tray_the_program_starts(used: Path) -> None:
    nothing = {
        "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent",
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
    }
    said = said_by_process(used, "--hidden", variables=nothing)
    assert said["open"]
    assert "1 memory" in said["status"]


def test_safe_mode_is_said_and_leaves_the_appearance_alone(used: Path) -> None:
    (used / "config.toml").write_text('[window]\ntheme = "dark"\n[llm]\nprovider = "none"\n', "utf-8")
    state = WindowState(used)
    state.keep("look/scheme", "dark")
    state.keep("window/pane", "graph")
    state.write()
    said = said_by_process(used, "--safe-mode")
    assert said["title"] == "Keepsake (safe mode)"
    assert "schedules, models and search by meaning are off" in said["mode"]
    assert WindowState(used).text("look/scheme") == "dark"
    assert WindowState(used).text("window/pane") == "graph"
    assert said_by_process(used)["mode"] == ""


def test_safe_mode_runs_no_schedule_and_makes_no_vectors(used: Path) -> None:
    host = Host(used, serve=False, safe_mode=True)
    host.start()
    try:
        assert setting(host, "index.vectors") is False
        assert setting(host, "llm.provider") == "none"
        assert host.ask("vault.status").next_name == ""
        host.ask("settings.set", name="window.theme", value="dark")
        assert setting(host, "window.theme") == "system"
        assert 'theme = "dark"' in (used / "config.toml").read_text("utf-8")
    finally:
        host.stop()


def test_migration_says_how_far_it_is(launch: Launch, until: Until, tmp_path: Path) -> None:
    make_older(tmp_path / "v", 14)
    count = len(migrations_in(migrations())) - 14
    opener = GatedOpening()
    program = launch(tmp_path / "v", opener=opener)
    page = program.window.start_page
    until(lambda: "Making a backup" in page.result)
    opener.gate.release(sum(step.work == "backup" for step in opener.steps))
    until(lambda: page.result.endswith(f"step 1 of {count}."))
    assert program.window.panes is None
    opener.gate.release()
    until(lambda: page.result.endswith(f"step 2 of {count}."))
    opener.gate.release(count)
    until(lambda: is_open(program))
    assert not page.isVisible()
    assert [step.number for step in opener.steps if step.work == "migration"] == [*range(1, count + 1)]


def test_quitting_during_a_migration_stops_it(launch: Launch, until: Until, leave: Leave, tmp_path: Path) -> None:
    make_older(tmp_path / "v", 14)
    opener = GatedOpening()
    program = launch(tmp_path / "v", opener=opener)
    opener.gate.release(1)
    until(lambda: bool(opener.steps) and "step" in program.window.start_page.result)
    opener.gate.release(1)  # the first step begins, or is done
    program.window.close()
    until(lambda: not program.window.isVisible())
    opener.gate.release(100)
    leave(program)
    assert program.bridge is None
    done = schema_of(tmp_path / "v")
    assert 14 <= done < len(migrations_in(migrations()))
    again = launch(tmp_path / "v")
    until(lambda: is_open(again))
    assert schema_of(tmp_path / "v") == len(migrations_in(migrations()))


@pytest.mark.parametrize("remedy", [OpeningRemedy.CHECK, OpeningRemedy.SALVAGE, OpeningRemedy.RESTORE])
def test_quitting_during_a_remedy_leaves_the_vault_as_it_was(
    launch: Launch, until: Until, leave: Leave, used: Path, remedy: OpeningRemedy
) -> None:
    damage(used, 100, 4096)
    program = launch(used)
    page = program.window.start_page
    until(lambda: refuses(program))
    before = (used / DATABASE).read_bytes()
    page.remedies[remedy].click()
    if remedy is OpeningRemedy.RESTORE:
        until(page.choice.isVisible)
        page.choice.restore.click()
    program.window.close()
    leave(program)
    siblings = {path.name for path in used.parent.iterdir()}
    assert program.bridge is None
    assert not siblings & {"v-salvaged"} or (used.parent / "v-salvaged" / DATABASE).exists()  # whole, or not there
    # A restore is done, or it never was.
    if (used / DATABASE).read_bytes() != before:
        assert remedy is OpeningRemedy.RESTORE
        again = launch(used)
        until(lambda: is_open(again))
    assert not (used / STAGED).exists()


def test_another_vault_is_chosen_without_blocking(launch: Launch, until: Until, used: Path) -> None:
    damage(used, 0, 4096)
    program = launch(used)
    until(lambda: refuses(program))
    program.window.start_page.remedies[OpeningRemedy.OTHER].click()
    dialog = program.window.findChild(QFileDialog)
    assert dialog is not None
    assert dialog.fileMode() == QFileDialog.FileMode.Directory
    dialog.reject()
    assert refuses(program)
