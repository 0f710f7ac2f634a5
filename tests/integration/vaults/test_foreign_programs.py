"""Other programs in the vault's files: a reader of the database, and a disk that cannot be read for a while."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from app.api.catalogue import declared
from app.errors import InputError, KeepsakeError, MachineError
from app.host import Host
from app.rpc.client import Client
from app.store.store import DATABASE
from tests.helpers.hostile.failing_reads import CannotFailError, FailingReads
from tests.integration.arguments import OPERATIONS, known, sound
from tests.integration.processes.serving import serving

_READ_IN_PYTHON = "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()[0])"
_COUNT = "SELECT count(*) FROM memories"


def shell(database: Path) -> int:
    """Read with the shell of SQLite."""
    program = shutil.which("sqlite3")
    if program is None:
        pytest.skip("needs the program sqlite3")
    return int(subprocess.run([program, str(database), _COUNT], capture_output=True, text=True, check=True).stdout)


def script(database: Path) -> int:
    """Read with Python's own SQLite."""
    command = [sys.executable, "-c", _READ_IN_PYTHON, str(database), _COUNT]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


# What a connection holds from its first read to its end: its share of the database, and of the log's index.
SHARES = {(DATABASE, "1073741826", "1073742335"), (DATABASE + "-shm", "128", "128")}


def shares(vault: Path) -> set[tuple[str, str, str]]:
    """Return which of ``SHARES`` this process holds."""
    if sys.platform != "linux":
        pytest.skip("/proc/locks tells of locks on Linux only")
    names = {(vault / name).stat().st_ino: name for name, _, _ in SHARES}
    held: set[tuple[str, str, str]] = set()
    # The list is not read in one piece: while other programs lock and unlock, lines are missed or come twice. A share
    # that was given back is not taken again, and so is missed in each reading.
    for _ in range(20):
        lines = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
        own = [line for line in lines if line[-4] == str(os.getpid())]
        held |= {(names.get(int(line[-3].rpartition(":")[2]), ""), line[-2], line[-1]) for line in own} & SHARES
        if held == SHARES:
            break
    return held


@pytest.mark.slow
@pytest.mark.parametrize("read", [shell, script])
def test_a_reader_of_the_database_costs_no_memory(vault: Path, read: Callable[[Path], int]) -> None:
    with serving(vault) as process:
        with closing(Client.connect(vault)) as client:
            client.call("note.save", {"content": "first"})
            assert read(vault / DATABASE) == 1
            for number in range(5):
                client.call("note.save", {"content": f"later {number}"})
            gone = client.call("note.save", {"content": "gone"})["id"]
            client.call("memory.forget_forever", {"ids": [gone], "confirm": True})
            assert read(vault / DATABASE) == 6
            client.call("note.save", {"content": "last"})
        process.kill()
        process.wait()
    assert read(vault / DATABASE) == 7


def _calls(host: Host, folder: Path) -> Iterator[tuple[str, dict[str, object]]]:
    there = known(host, folder)
    for item in declared():
        yield item.name, sound(OPERATIONS[item.name], there)
    own = host.vault / DATABASE
    yield "backup.now", {}
    for backup in host.ask("backup.list"):
        yield "backup.verify", {"name": backup.name}
        yield "backup.preview", {"name": backup.name}
    for path in (own, own.with_name(own.name + "-shm"), own.with_name(own.name + "-wal"), host.vault):
        yield "exchange.preview", {"path": str(path)}
        yield "exchange.import", {"path": str(path)}
        yield "attachment.add", {"path": str(path)}
    yield "memory.forget_forever", {"ids": [there.note], "confirm": True}


@pytest.mark.slow
def test_no_operation_gives_back_the_locks(host: Host, tmp_path: Path) -> None:
    host.ask("vault.check")
    assert shares(host.vault) == SHARES
    for name, arguments in _calls(host, tmp_path):
        with suppress(KeepsakeError, TimeoutError):
            host.call(name, arguments).result(60)
        assert shares(host.vault) == SHARES, name


@pytest.mark.parametrize("name", [DATABASE, DATABASE + "-shm", "same.db"])
def test_the_open_database_is_neither_imported_nor_attached(host: Host, name: str) -> None:
    host.ask("note.save", content="a note")
    os.link(host.vault / DATABASE, host.vault / "same.db")
    for operation in ("exchange.import", "exchange.preview", "attachment.add"):
        with pytest.raises(InputError, match="open here"):
            host.ask(operation, path=str(host.vault / name))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["", DATABASE + "-wal", DATABASE])
def test_reads_that_fail_damage_nothing(vault: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "failing"
    folder.mkdir()
    try:
        reads = FailingReads(folder, vault, name)
    except CannotFailError as error:
        pytest.skip(str(error))
    texts: list[str] = []
    codes: set[str] = set()
    with serving(vault, reads.environment) as process, closing(Client.connect(vault)) as client:

        def append(count: int) -> None:
            for _ in range(count):
                text = f"message {len(texts)} " + "word " * 40
                with suppress(KeepsakeError):
                    client.call("session.append", {"session": "s", "messages": [{"role": "user", "content": text}]})
                    texts.append(text)

        append(200)
        reads.begin()
        append(200)
        for operation, arguments in (("memory.search", {"query": "word"}), ("vault.check", {})):
            try:
                client.call(operation, arguments)
            except MachineError as error:
                codes.add(error.code)
        reads.end()
        append(10)
        process.terminate()
        process.wait(60)
    assert codes <= {MachineError.code}  # a person who reads of damage restores a backup, and loses what came after
    host = Host(vault, serve=False)
    host.start()
    try:
        assert host.ask("vault.check").findings == ()
        stored = [message.content for message in host.ask("session.messages", session="s", limit=10_000)]
    finally:
        host.stop()
    assert [text for text in texts if text not in stored] == []
