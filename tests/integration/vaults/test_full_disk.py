"""Full disk: a clear message, nothing acknowledged lost, and recovery."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.errors import DiskFullError
from app.host import Host
from app.store.connection import empty_log
from tests.helpers.disks import SmallDisk
from tests.helpers.engine import engine_of
from tests.helpers.guards.unexpected_logs import AllowLogs


class Disk:
    """A small disk that can be filled to the last byte and freed again."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._ballast = place / "ballast"

    def fill(self) -> None:
        with self._ballast.open("ab", buffering=0) as file:
            for size in (1 << 20, 1 << 12, 1):
                try:
                    while True:
                        file.write(b"\0" * size)
                except OSError:
                    continue

    def free(self) -> None:
        self._ballast.unlink()


@pytest.fixture
def disk(small_disk: SmallDisk) -> Disk:
    return Disk(small_disk(24))


@pytest.fixture
def host(disk: Disk) -> Iterator[Host]:
    running = Host(
        disk.place / "vault", serve=False, overrides={"embedding.model": "hashed", "sessions.after_turn": False}
    )
    running.start()
    yield running
    running.stop()


def until_full(work: Callable[[int], Any]) -> int:
    """Repeat ``work`` until the disk is full; return how often it was acknowledged."""
    for number in range(100_000):
        try:
            work(number)
        except DiskFullError:
            return number
    raise AssertionError("the disk did not fill up")


def is_sound(host: Host) -> bool:
    return host.ask("vault.check").findings == ()


def say(host: Host, number: int) -> None:
    host.ask("session.append", session="s", messages=[{"role": "user", "content": f"turn {number} " + "x" * 3000}])


def test_turns(host: Host, disk: Disk) -> None:
    say(host, 0)
    disk.fill()
    count = 1 + until_full(lambda number: say(host, number + 1))
    assert [turn.content.split()[1] for turn in host.ask("session.messages", session="s", limit=100_000)] == [
        str(number) for number in range(count)
    ]
    assert host.ask("memory.search", query="turn", recipe="words").hits
    disk.free()
    say(host, count)
    assert host.ask("session.length", session="s") == count + 1
    assert is_sound(host)


def test_a_vault_without_lane_notes_opens_for_reading(
    host: Host, disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(40):
        say(host, number)
    host.stop()
    disk.fill()
    monkeypatch.setenv("XDG_STATE_HOME", str(disk.place / "state"))
    again = Host(disk.place / "vault", serve=False, overrides={"embedding.model": "hashed"})
    again.start()
    try:
        assert again.ask("session.length", session="s") == 40
        with pytest.raises(DiskFullError, match="full"):
            say(again, 40)
        disk.free()
    finally:
        again.stop()
    freed = Host(disk.place / "vault", serve=False, overrides={"embedding.model": "hashed"})
    freed.start()
    try:
        say(freed, 40)
        assert is_sound(freed)
    finally:
        freed.stop()


def test_a_note(host: Host, disk: Disk) -> None:
    note = host.ask("note.save", content="begun", title="Note")
    disk.fill()
    stored = [note]

    def write(number: int) -> None:
        stored.append(
            host.ask("note.update", id=note.id, version=stored[-1].version, content=f"{number} " + "word " * 9000)
        )

    until_full(write)
    kept = host.ask("note.get", id=note.id)
    assert (kept.version, kept.content) == (stored[-1].version, stored[-1].content)
    disk.free()
    write(-1)
    assert host.ask("note.get", id=note.id).content.startswith("-1 ")
    assert is_sound(host)


def test_an_import_stops_and_goes_on(host: Host, disk: Disk, tmp_path: Path) -> None:
    turns = [{"session": "s", "role": "user", "content": f"turn {number} " + "y" * 4000} for number in range(3000)]
    file = tmp_path / "turns.jsonl"
    file.write_text("\n".join(map(json.dumps, turns)))
    with pytest.raises(DiskFullError):
        host.ask("exchange.import", path=str(file))
    committed = host.ask("memory.stats").messages
    assert 0 < committed < 3000
    assert "import" not in [job.job for job in host.ask("job.list")]
    disk.place.joinpath("vault", "backups").mkdir(exist_ok=True)
    shorter = tmp_path / "shorter.jsonl"
    shorter.write_text("\n".join(map(json.dumps, turns[:committed])))
    assert host.ask("exchange.import", path=str(shorter)).unchanged == committed
    assert is_sound(host)


def test_a_backup_leaves_nothing_behind(host: Host, disk: Disk) -> None:
    for number in range(300):
        say(host, number)
    disk.fill()
    with pytest.raises(DiskFullError):
        host.ask("backup.now")
    backups = disk.place / "vault" / "backups"
    assert not backups.exists() or list(backups.iterdir()) == []
    disk.free()
    assert Path(host.ask("backup.now").path).stat().st_size


def test_settings_stay_as_they_were(host: Host, disk: Disk) -> None:
    host.ask("settings.set", name="search.limit", value=60)
    disk.fill()
    with pytest.raises(DiskFullError):
        host.ask("settings.set", name="search.limit", value=70)
    assert {item.name: item.value for item in host.ask("settings.list")}["search.limit"] == 60
    assert "60" in (disk.place / "vault" / "config.toml").read_text()
    disk.free()
    assert host.ask("settings.set", name="search.limit", value=70).value == 70


def test_the_index_waits_and_catches_up(host: Host, disk: Disk) -> None:
    say(host, 0)
    host.ask("vault.settle")
    disk.fill()
    until_full(lambda number: say(host, number + 1))
    # Making passages and vectors needs room too; it must give up until there is some.
    status = host.ask("vault.settle")
    assert host.ask("vault.settle").pending_vectors == status.pending_vectors
    disk.free()
    say(host, 999)
    assert host.ask("vault.settle").pending_vectors == 0
    assert host.ask("vault.status").notes == ()
    assert is_sound(host)


def test_the_vault_opens_for_reading_on_a_full_disk(disk: Disk, allow_logs: AllowLogs) -> None:
    allow_logs("other programs cannot reach this vault")
    vault = disk.place / "vault"
    with_turns = Host(vault)
    with_turns.start()
    say(with_turns, 0)
    with_turns.stop()
    disk.fill()
    opened = Host(vault)
    opened.start()
    try:
        assert opened.ask("session.length", session="s") == 1
        assert opened.ask("memory.search", query="turn").hits
        assert opened.ask("vault.check").ok
        assert "disk is full" in opened.ask("vault.status").read_only
        with pytest.raises(DiskFullError, match="reading only"):
            say(opened, 1)
    finally:
        opened.stop()
    disk.free()
    again = Host(vault)
    again.start()
    assert again.ask("session.length", session="s") == 1
    assert is_sound(again)
    again.stop()


def test_a_new_vault_on_a_full_disk(disk: Disk) -> None:
    disk.fill()
    with pytest.raises(DiskFullError, match="full"):
        Host(disk.place / "new").start()
    disk.free()
    host = Host(disk.place / "new")
    host.start()
    assert is_sound(host)
    host.stop()


def log_size(disk: Disk) -> int:
    return (disk.place / "vault" / "memory.db-wal").stat().st_size


def append_too_much(host: Host) -> None:
    turns = [{"role": "user", "content": f"turn {number} " + "heron pond " * 200_000} for number in range(12)]
    with pytest.raises(DiskFullError):
        host.ask("session.append", session="large", messages=turns)


def test_what_was_rolled_back_takes_no_room(host: Host, disk: Disk) -> None:
    say(host, 0)
    host.ask("vault.settle")
    store: Any = engine_of(host).store
    host.submit(store.write_untransacted(empty_log)).result()
    append_too_much(host)
    assert log_size(disk) < 1 << 20
    say(host, 1)
    assert host.ask("session.length", session="s") == 2
    assert is_sound(host)


def test_what_was_rolled_back_gives_its_room_back_once_what_was_committed_has_some(host: Host, disk: Disk) -> None:
    (disk.place / "ballast").write_bytes(bytes(8 << 20))
    say(host, 0)
    host.ask("vault.settle")
    append_too_much(host)
    disk.free()
    say(host, 1)
    assert log_size(disk) < 1 << 20
    assert is_sound(host)
