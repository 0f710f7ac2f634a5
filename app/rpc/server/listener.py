"""Listener of a host: a Unix socket, a named pipe, or a loopback port."""

import asyncio
import contextlib
import hashlib
import logging
import os
import re
import socket
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.core.paths import runtime_dir
from app.errors import MachineError
from app.rpc.server.windows_pipe import OnConnected
from app.sentence import Sentence

# The whole path has to fit the system's address: 108 bytes on Linux, 104 on macOS, with a zero at the end.
_MAX_PATH = 103
_BACKLOG = 512
_CONNECT_SECONDS = 1.0
_ABANDONED_S = 60.0
_NAME = re.compile(r"[0-9a-f]{16}\.sock")
_log = logging.getLogger(__name__)


class Listener:
    """Listener for clients, which only processes of the same user reach.

    It is a Unix socket in a folder that only its owner can enter; on Windows a named pipe, or 127.0.0.1 without one.

    Args:
        vault: The vault's folder.
        loopback: Listen on 127.0.0.1.

    Raises:
        MachineError: There is nowhere to listen.
    """

    def __init__(self, vault: Path, *, loopback: bool = False) -> None:
        self.path = ""
        self.port = 0
        self._file: Path | None = None
        self._server: asyncio.Server | None = None
        self._socket: socket.socket | None = None
        self._pipe: Any = None
        if not loopback and sys.platform == "win32":
            self._pipe = _listen_on_pipe()
            self.path = "" if self._pipe is None else self._pipe.path
        elif not loopback:
            self._socket, self._file = listen_on_path(vault)
            self.path = str(self._file)
        if not self.path:
            self._socket = listen_on_loopback()
            self.port = self._socket.getsockname()[1]

    @property
    def address(self) -> str:
        """Return the address, as a person reads it."""
        return self.path or f"127.0.0.1:{self.port}"

    async def start(self, on_connected: OnConnected) -> None:
        """Let clients in; those that came before have waited."""
        if self._pipe is not None:
            self._pipe.start(on_connected)
        else:
            self._server = await asyncio.start_server(on_connected, sock=self._socket, backlog=_BACKLOG)

    def close(self) -> None:
        """Accept no more clients."""
        for opened in (self._pipe, self._server or self._socket):
            if opened is not None:
                opened.close()
        if self._file is not None:
            with contextlib.suppress(OSError):  # a dead socket is harmless: the next host removes it
                self._file.unlink(missing_ok=True)

    async def wait_closed(self) -> None:
        """Return when everyone has left."""
        if self._server is not None:
            await self._server.wait_closed()


def _listen_on_pipe() -> Any:
    """Return a listener at a named pipe, ``None`` where there can be none."""
    if sys.platform == "win32":
        from app.rpc.server.windows_pipe import PipeListener  # noqa: PLC0415

        try:
            return PipeListener()
        except OSError as error:
            _log.warning("no named pipe can be made, so the socket is on 127.0.0.1: %s", error)
    return None


def listen_on_loopback() -> socket.socket:
    """Return a listening socket on a free port of 127.0.0.1, for systems without Unix sockets."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=_BACKLOG)
    listening.setblocking(False)
    return listening


def listen_on_path(vault: Path) -> tuple[socket.socket, Path]:
    """Return a listening Unix socket and where it is.

    Raises:
        MachineError: No folder can hold it; the sentence names what was tried.
    """
    reasons = []
    for path in _candidates(vault):
        try:
            listening = _bind(path)
        except OSError as error:
            reasons.append(f"{path}: {error.strerror or error}")
            continue
        if path.parent != vault:
            _remove_abandoned(path)
        return listening, path
    raise MachineError(
        Sentence("No folder can hold Keepsake's socket ({reasons}).", reasons="; ".join(reasons)), tried=len(reasons)
    )


def _candidates(vault: Path) -> Iterator[Path]:
    name = hashlib.sha256(f"{os.getuid()}:{vault.resolve()}".encode("utf-8", "surrogateescape")).hexdigest()[:16]
    yield runtime_dir() / f"{name}.sock"
    yield vault / "keepsake.sock"
    yield Path(tempfile.gettempdir()) / f"keepsake-{os.getuid()}" / f"{name}.sock"


def _bind(path: Path) -> socket.socket:
    if len(os.fsencode(path)) > _MAX_PATH:
        raise OSError(f"longer than {_MAX_PATH} bytes")
    _prepare_folder(path.parent)
    _remove_stale(path)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listening.bind(str(path))
        path.chmod(0o600)
        listening.listen(_BACKLOG)
    except OSError:
        listening.close()
        raise
    listening.setblocking(False)
    return listening


def _remove_abandoned(own: Path) -> None:
    """Remove the sockets that hosts of other vaults left beside ``own`` when they were killed."""
    for path in own.parent.glob("*.sock"):
        try:
            status = path.lstat()
            is_ours = stat.S_ISSOCK(status.st_mode) and status.st_uid == os.getuid() and _NAME.fullmatch(path.name)
            # One that has just been made may not be listened on yet.
            if path != own and is_ours and time.time() - status.st_mtime > _ABANDONED_S and not _is_answered(path):
                path.unlink(missing_ok=True)
        except OSError as error:
            _log.info("the socket %s was left as it is: %s", path, error.strerror)


def _is_answered(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            return False
        except OSError:
            return True
    return True


def _prepare_folder(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        raise PermissionError(None, "not a folder of this user")
    above = folder.parent.stat()
    if above.st_uid not in {0, os.getuid()} or (above.st_mode & 0o022 and not above.st_mode & stat.S_ISVTX):
        raise PermissionError(None, "another user could put a folder in its place")
    if status.st_mode & 0o077:
        folder.chmod(0o700)


def _remove_stale(path: Path) -> None:
    """Remove the socket of a host that died; refuse when another one listens there."""
    if path.is_symlink():
        raise OSError("a link, which is not followed")
    if not path.is_socket():
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(_CONNECT_SECONDS)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            _log.info("removing the socket %s that nobody listens on", path)
            path.unlink(missing_ok=True)
            return
    raise OSError("somebody listens there already")
