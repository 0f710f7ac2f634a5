"""A PostgreSQL server that is thrown away: a process of this machine's own binaries, reached by a socket alone."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote
from uuid import uuid4

import psycopg

ROLE, PASSWORD = "keeper", "an open secret"
_READY_S: Final = 60.0
_UNPRIVILEGED: Final = 65534  # the server refuses to run as root


def binaries() -> Path | None:
    """Return the folder of the server's binaries, ``None`` where there is none."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).resolve().parent
    return next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)


class PostgresqlServer:
    """A server with an empty cluster in a temporary folder; nothing is kept after ``close``."""

    def __init__(self) -> None:
        self._base = Path(tempfile.mkdtemp(prefix="kt-pg-"))
        self._user: dict[str, Any] = {}
        if os.geteuid() == 0:
            os.chown(self._base, _UNPRIVILEGED, _UNPRIVILEGED)
            self._user = {"user": _UNPRIVILEGED, "group": _UNPRIVILEGED, "extra_groups": []}
        self._process: subprocess.Popen[bytes] | None = None
        try:
            secret = self._base / "password"
            secret.write_text(PASSWORD)
            secret.chmod(0o644)
            self._run("initdb", "-D", str(self._base / "data"), "-U", ROLE, "-A", "scram-sha-256",
                      "--pwfile", str(secret), "--no-sync", "-E", "UTF8", "--locale", "C")  # fmt: skip
            self.start()
        except BaseException:
            self.close()
            raise

    def start(self) -> None:
        """Start the server, and return once it answers."""
        command = [self._binary("postgres"), "-D", str(self._base / "data"), "-k", str(self._base), "-h", "",
                   "-c", "fsync=off", "-c", "max_connections=40", "-c", "shared_buffers=16MB"]  # fmt: skip
        self._process = subprocess.Popen(
            command, cwd=self._base, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **self._user
        )
        until = time.monotonic() + _READY_S
        while True:
            try:
                self.ask("SELECT 1")
            except psycopg.OperationalError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)
            else:
                return

    def kill(self) -> None:
        """End the server at once, as a crash does."""
        self._end(signal.SIGQUIT)

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Let the server take connections and say nothing in a block."""
        assert self._process is not None
        rows = self.ask("SELECT pid FROM pg_stat_activity WHERE application_name = 'keepsake'")
        processes = [self._process.pid, *(int(row[0]) for row in rows)]
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        try:
            yield
        finally:
            for process in reversed(processes):
                os.kill(process, signal.SIGCONT)

    def address(self, database: str = "postgres", role: str = ROLE, password: str = PASSWORD) -> str:
        """Return the address of a database."""
        return f"postgresql://{role}:{quote(password)}@/{database}?host={quote(str(self._base), safe='')}"

    @property
    def folder(self) -> Path:
        """The folder of its socket."""
        return self._base

    def new_place(self) -> str:
        """Make an empty database and return its address."""
        name = f"memory_{uuid4().hex[:12]}"
        self.ask(f"CREATE DATABASE {name}")
        return self.address(name)

    def ask(self, statement: str, address: str = "") -> list[tuple[Any, ...]]:
        """Return what a statement gives, as the server's own administrator."""
        with psycopg.connect(address or self.address(), autocommit=True, connect_timeout=5) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description is not None else []

    def close(self) -> None:
        """End the server and remove its folder."""
        self._end(signal.SIGQUIT)
        shutil.rmtree(self._base, ignore_errors=True)

    def _end(self, number: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(number)
            process.wait()

    def _binary(self, name: str) -> str:
        folder = binaries()
        assert folder is not None
        return str(folder / name)

    def _run(self, name: str, *arguments: str) -> None:
        command = [self._binary(name), *arguments]
        done = subprocess.run(
            command, cwd=self._base, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
            **self._user,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout
