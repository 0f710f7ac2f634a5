"""Backups of an open vault: every day, only when something changed, found, verified and restored."""

import asyncio
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import InputError, NotFoundError
from app.host import Host
from app.upkeep.backups.backup_files import discard_partial, list_backups
from app.upkeep.backups.backup_service import ACTOR, BackupService
from app.upkeep.model import BackupInfo
from tests.helpers.engine import engine_of

DAY_MS = 86_400_000
START_MS = 1_790_000_000_000


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = START_MS

    def now_ms(self) -> int:
        return self.now


class Kept:
    """Host with a clock of the test that has checked once for a due backup."""

    def __init__(self, vault: Path, days: int = 0) -> None:
        self.clock = Clock()
        self.clock.now += days * DAY_MS
        self.made = threading.Event()
        self.host = Host(vault, serve=False, clock=self.clock, overrides={"index.vectors": False})
        self.host.subscribe(lambda event: self.made.set() if getattr(event, "actor", "") == ACTOR else None)
        self.host.start()
        self.host.submit(asyncio.wait_for(self.service.looked.wait(), 60)).result()

    @property
    def service(self) -> BackupService:
        return engine_of(self.host).upkeep.backups

    def write(self, text: str = "words") -> None:
        self.host.ask("session.append", session="s", messages=[{"role": "user", "content": text}])

    def daily(self) -> BackupInfo | None:
        return self.host.submit(self.service.daily()).result()

    def reasons(self) -> list[str]:
        return [item.reason for item in self.host.ask("backup.list")]


@pytest.fixture
def kept(vault: Path) -> Iterator[Kept]:
    running = Kept(vault)
    yield running
    running.host.stop()


def test_one_a_day_when_something_changed(kept: Kept) -> None:
    assert kept.daily() is None  # nothing to keep
    kept.write()
    assert kept.daily() is None  # not a day old
    kept.clock.now += DAY_MS
    made = kept.daily()
    assert made is not None
    assert made.created_at.timestamp() * 1000 == kept.clock.now
    kept.clock.now += 3_600_000
    kept.write()
    assert kept.daily() is None
    kept.clock.now += DAY_MS
    assert kept.daily() is not None
    kept.clock.now += 5 * DAY_MS
    assert kept.daily() is None  # nothing changed since
    kept.host.ask("note.save", content="a note")
    assert kept.daily() is not None
    assert kept.reasons() == ["daily"] * 3


def test_off_is_off(kept: Kept) -> None:
    kept.write()
    kept.clock.now += 2 * DAY_MS
    kept.host.ask("settings.set", name="backup.daily", value=False)
    assert kept.daily() is None
    kept.host.ask("settings.set", name="backup.daily", value=True)
    assert kept.daily() is not None


def test_several_at_once_come_one_after_the_other(kept: Kept) -> None:
    kept.write()
    kept.clock.now += 2 * DAY_MS
    requested = [kept.host.submit(kept.service.now("manual")) for _ in range(4)]
    requested += [kept.host.submit(kept.service.daily()) for _ in range(4)]
    names = [made.name for made in (one.result() for one in requested) if made is not None]
    assert len(set(names)) == len(names) >= 4
    assert {kept.host.ask("backup.verify", name=name).name for name in names} == set(names)


def test_a_clock_set_back_neither_stops_nor_storms(kept: Kept) -> None:
    kept.write()
    kept.clock.now += 3 * DAY_MS
    assert kept.daily() is not None
    kept.clock.now -= 365 * DAY_MS
    for hour in range(60):
        kept.write(str(hour))
        kept.daily()
        kept.clock.now += 3_600_000
    assert len(kept.reasons()) == 1 + 3


def test_old_ones_are_thinned(kept: Kept) -> None:
    for name, number in (("daily", 3), ("weekly", 0), ("monthly", 0)):
        kept.host.ask("settings.set", name=f"backup.keep_{name}", value=number)
    kept.write()
    kept.host.ask("backup.now")
    for day in range(6):
        kept.clock.now += DAY_MS
        kept.write(str(day))
        assert kept.daily() is not None
    assert kept.reasons() == ["daily"] * 3 + ["manual"]
    other = {path.suffix for path in (kept.host.vault / "backups").iterdir()}
    assert other == {".db", ".toml"}
    assert len(list((kept.host.vault / "backups").iterdir())) == 8


def test_a_backup_says_what_it_holds(kept: Kept) -> None:
    kept.write("one")
    kept.write("two")
    note = kept.host.ask("note.save", content="a note")
    kept.host.ask("settings.set", name="search.limit", value=60)
    backup = kept.host.ask("backup.now")
    kept.host.ask("note.delete", id=note.id)
    verified = kept.host.ask("backup.verify", name=backup.name)
    assert verified.ok
    assert (verified.sessions, verified.messages, verified.memories, verified.schema) == (1, 2, 1, backup.schema)
    assert len(verified.vault_id) == 36
    assert verified.newest_at.timestamp() * 1000 == START_MS
    assert "60" in Path(backup.path).with_suffix(".toml").read_text()
    assert kept.host.ask("backup.verify", name=backup.name.removesuffix(".db")).ok


def test_a_damaged_backup_is_named_and_never_restored(kept: Kept) -> None:
    kept.write()
    made = kept.host.ask("backup.now")
    whole = Path(made.path).read_bytes()
    for content in (b"", b"no database", whole[: len(whole) // 2], whole[:8192] + b"\xa5" * 4096 * 4 + whole[24576:]):
        Path(made.path).write_bytes(content)
        verified = kept.host.ask("backup.verify", name=made.name)
        assert not verified.ok
        assert verified.problem
        with pytest.raises(InputError, match="cannot be restored"):
            kept.host.ask("backup.restore", name=made.name)
    assert kept.host.ask("vault.status").notes == ()


@pytest.mark.parametrize("name", ["", " ", "nowhere.db", "../memory.db", "/etc/passwd", "\0", "~nobody/x", "x" * 5000])
def test_names_of_no_backup(kept: Kept, name: str) -> None:
    for operation in ("backup.verify", "backup.restore"):
        try:
            answer = kept.host.ask(operation, name=name)
        except (NotFoundError, InputError):
            continue
        assert not answer.ok, "a file that is no database"


def test_a_restore_waits_for_the_next_start(kept: Kept) -> None:
    kept.write("kept")
    made = kept.host.ask("backup.now")
    kept.write("written since")
    plan = kept.host.ask("backup.restore", name=made.name)
    assert plan.backup.messages == 1
    assert any("waits to be restored" in note for note in kept.host.ask("vault.status").notes)
    assert {item.area for item in kept.host.ask("vault.check").findings} == {"backups"}
    assert kept.host.ask("backup.cancel_restore")
    assert not kept.host.ask("backup.cancel_restore")
    assert kept.host.ask("vault.status").notes == ()
    kept.host.ask("backup.restore", name=made.name)
    kept.host.ask("settings.set", name="search.limit", value=70)
    kept.host.stop()
    again = Kept(kept.host.vault)
    try:
        assert again.host.ask("session.length", session="s") == 1
        assert {item.name: item.value for item in again.host.ask("settings.list")}["search.limit"] == 70
        assert sorted(again.reasons()) == ["before-restore", "manual"]
        before = next(item for item in again.host.ask("backup.list") if item.reason == "before-restore")
        assert again.host.ask("backup.verify", name=before.name).messages == 2
        assert again.host.ask("vault.check").findings == ()
        again.host.ask("vault.settle")
        assert again.host.ask("memory.search", query="kept", recipe="words").hits
    finally:
        again.host.stop()


def test_a_note_of_age_comes(kept: Kept) -> None:
    kept.write()
    assert kept.host.ask("vault.check").findings == ()
    kept.clock.now += 8 * DAY_MS
    findings = kept.host.ask("vault.check").findings
    assert [(item.area, item.severity) for item in findings] == [("backups", "warning")]
    kept.host.ask("backup.now")
    assert kept.host.ask("vault.check").findings == ()


def test_what_a_killed_copying_left_goes(vault: Path) -> None:
    (vault / "backups").mkdir(mode=0o700)
    key_file, rewritten = "encryption.json.d286174a28bb.partial", "20261122T000000Z-daily.db.partial"
    left = ("20261121T000000Z-daily.db.partial", "20261121T000000Z-daily.db.partial-journal", key_file, "mine.txt")
    for name in (*left, rewritten):
        (vault / "backups" / name).write_bytes(b"half")
    for name in left:
        os.utime(vault / "backups" / name, (1_000, 1_000))
    discard_partial(vault, opened_at=2_000)
    assert {path.name for path in (vault / "backups").iterdir()} == {key_file, rewritten, "mine.txt"}
    (vault / "backups" / rewritten).unlink()
    assert list_backups(vault) == []


def test_start_makes_the_due_backup_and_reports_it(kept: Kept) -> None:
    kept.write()
    kept.host.stop()
    later = Kept(kept.host.vault, days=2)
    try:
        assert later.made.wait(20)
        assert later.reasons() == ["daily"]
    finally:
        later.host.stop()
