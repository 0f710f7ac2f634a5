"""Process that opens vaults with a foreign file in place of their own.

Run as ``python -m tests.integration.processes.planted_vaults FOLDER KIND``; each line on its output names the row it
begins, and the last says ``done``, so that a process that hangs has said where.
"""

import contextlib
import os
import shutil
import socket
import sys
from collections.abc import Callable
from pathlib import Path

from app.agents.vault_folders import folder_of
from app.api.caller import Caller
from app.errors import KeepsakeError
from app.host import Host
from app.rpc.client import Client
from app.rpc.hostfile import read_hostfile
from app.upkeep.backups import backup_files

AGENT = "lodger"
CALLS: tuple[tuple[str, dict[str, object]], ...] = (
    ("note.save", {"content": "A heron by the pond."}),
    ("vault.settle", {}),
    ("memory.search", {"query": "heron"}),
    ("vault.reindex", {}),
    ("settings.set", {"name": "backup.daily", "value": False}),
    ("backup.now", {}),
    ("backup.restore", {"name": "template"}),
    ("vault.check", {}),
    ("vault.repair", {}),
)
NAMES = (
    "lock",
    "host.json",
    "host.json.partial",
    "config.toml",
    "config.toml.partial",
    "trace",
    "trace/trace.jsonl",
    "trace/trace.jsonl.1",
    "vectors.cache",
    "vectors.new",
    "backups",
    "restore.db",
    "restore.db-wal",
    "restore.db.partial",
    "replaced",
    "memory.db",
    "memory.db-wal",
    "memory.db-shm",
    "memory.db-journal",
    "keepsake.sock",
    "agents",
    f"agents/{folder_of(Path(), AGENT).name}",
    f"agents/{folder_of(Path(), AGENT).name}/memory.db",
    f"agents/{folder_of(Path(), AGENT).name}/agent.txt",
)


def _socket(place: Path, _outside: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as made, contextlib.chdir(place.parent):
        made.bind(place.name)  # the whole path may be too long for an address


KINDS: dict[str, Callable[[Path, Path], object]] = {
    "link to a file": lambda place, outside: place.symlink_to(outside / "file"),
    "link to nothing": lambda place, outside: place.symlink_to(outside / "nothing"),
    "link to a folder": lambda place, outside: place.symlink_to(outside / "folder"),
    "pipe": lambda place, _outside: os.mkfifo(place),
    "socket": _socket,
    "hard link": lambda place, outside: place.hardlink_to(outside / "file"),
}


def main() -> None:
    """Use one vault after another."""
    folder, kind = Path(sys.argv[1]), sys.argv[2]
    for number, name in enumerate(NAMES):
        print(name, flush=True)  # noqa: T201
        vault = folder / f"{number}"
        shutil.copytree(folder / "template", vault)
        place = vault / name
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if place.is_dir():
            shutil.rmtree(place)
        place.unlink(missing_ok=True)
        KINDS[kind](place, folder / "outside")
        use(vault)
    print("done", flush=True)  # noqa: T201


def use(vault: Path) -> None:
    """Run everything that opens a file of the vault; refusals are answers."""
    for read in (read_hostfile, Client.connect, backup_files.list_backups):
        with contextlib.suppress(KeepsakeError):
            read(vault)
    host = Host(vault, overrides={"embedding.model": "hashed", "agents.isolated": AGENT})
    try:
        host.start()
    except KeepsakeError as error:
        print("  refused:", error.message, flush=True)  # noqa: T201
        return
    try:
        for operation, arguments in CALLS:
            with contextlib.suppress(KeepsakeError):
                host.ask(operation, **arguments)
        with contextlib.suppress(KeepsakeError):
            host.call("note.save", {"content": "of an agent"}, Caller(AGENT)).result()
    finally:
        host.stop()


if __name__ == "__main__":
    main()
