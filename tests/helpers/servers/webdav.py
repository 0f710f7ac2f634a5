"""WebDAV servers that are thrown away: Apache with mod_dav, a process of this machine's own binaries, and WsgiDAV."""

import base64
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote, urlsplit
from uuid import uuid4

from tests.helpers.sample_data import ROOT
from tests.helpers.servers.ports import free_port, until_it_listens

NAME, PASSWORD = "keeper", "an open secret: @/#"
_UNPRIVILEGED: Final = 65534
_MODULES: Final = Path("/usr/lib/apache2/modules")
_LOADED: Final = ("mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic", "dav", "dav_fs")
_CONFIGURATION: Final = """\
ServerName 127.0.0.1
ServerRoot {base}
PidFile {base}/pid
ErrorLog {base}/errors
DocumentRoot {base}/files
Listen 127.0.0.1:{port}
{modules}
DavLockDB {base}/locks
LogLevel crit
<Directory {base}/files>
  Dav On
  AuthType Basic
  AuthName Keepsake
  AuthUserFile {base}/users
  Require valid-user
</Directory>
"""


def apache() -> str | None:
    """Return Apache's binary, ``None`` where it or a module of it lacks."""
    binary = shutil.which("apache2") or shutil.which("/usr/sbin/apache2")
    return binary if binary and all((_MODULES / f"mod_{name}.so").exists() for name in _LOADED) else None


class WebdavServer:
    """A server with an empty folder; nothing is kept after ``close``."""

    def __init__(self) -> None:
        self._base = Path(tempfile.mkdtemp(prefix="kt-dav-"))
        self.files = self._base / "files"
        self.files.mkdir()
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        try:
            self.prepare(self._base)
            self.start()
        except BaseException:
            self.close()
            raise

    def prepare(self, base: Path) -> None:
        """Write what the server reads when it starts."""

    def command(self, base: Path) -> list[str]:
        """Return the server's command line."""
        raise NotImplementedError

    @property
    def user(self) -> dict[str, Any]:
        """Return as whom the server runs."""
        return {}

    def start(self) -> None:
        """Start the server, and return once it answers."""
        self._process = subprocess.Popen(
            self.command(self._base), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True, **self.user,
        )  # fmt: skip
        until_it_listens(self.port, self._process)

    def kill(self) -> None:
        """End the server with all its processes at once, as a crash does."""
        process, self._process = self._process, None
        if process is not None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Let the server take connections and say nothing in a block."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.killpg(self._process.pid, signal.SIGCONT)

    def address(self, folder: str = "", name: str = NAME, password: str = PASSWORD, port: int = 0) -> str:
        """Return the address of a folder."""
        return f"http://{name}:{quote(password, safe='')}@127.0.0.1:{port or self.port}/{folder}"

    def new_place(self) -> str:
        """Make an empty folder and return its address."""
        name = f"memory {uuid4().hex[:12]} für"
        folder = self.files / name
        folder.mkdir()
        if self.user:
            os.chown(folder, _UNPRIVILEGED, _UNPRIVILEGED)
        return self.address(quote(name))

    def folder_of(self, address: str) -> Path:
        """Return the folder that an address stands for."""
        return self.files / unquote(urlsplit(address).path.strip("/"))

    def close(self) -> None:
        """End the server and remove its folder."""
        self.kill()
        shutil.rmtree(self._base, ignore_errors=True)


class ApacheServer(WebdavServer):
    """Apache with mod_dav."""

    @property
    def user(self) -> dict[str, Any]:
        """Return as whom the server runs, which root cannot be."""
        return {"user": _UNPRIVILEGED, "group": _UNPRIVILEGED, "extra_groups": []} if os.geteuid() == 0 else {}

    def prepare(self, base: Path) -> None:
        """Write the configuration and the one user."""
        modules = "\n".join(f"LoadModule {name}_module {_MODULES}/mod_{name}.so" for name in _LOADED)
        (base / "configuration").write_text(_CONFIGURATION.format(base=base, port=self.port, modules=modules))
        digest = base64.b64encode(hashlib.sha1(PASSWORD.encode()).digest()).decode()
        (base / "users").write_text(f"{NAME}:{{SHA}}{digest}\n")
        if self.user:
            for path in (base, self.files):
                os.chown(path, _UNPRIVILEGED, _UNPRIVILEGED)

    def command(self, base: Path) -> list[str]:
        """Return the server's command line."""
        return [str(apache()), "-f", str(base / "configuration"), "-D", "FOREGROUND"]


class WsgidavServer(WebdavServer):
    """WsgiDAV, whose answers differ from Apache's in many details."""

    def command(self, base: Path) -> list[str]:
        """Return the server's command line."""
        return [
            sys.executable,
            "-m",
            "tests.helpers.servers.wsgidav_process",
            str(self.files),
            str(self.port),
            NAME,
            PASSWORD,
        ]
