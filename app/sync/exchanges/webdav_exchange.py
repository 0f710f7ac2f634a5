"""A folder on a WebDAV server as an exchange point.

Nextcloud, Apache and many storage services are such servers. An object is written under a temporary name and then
moved, so that a name always stands for a whole object.
"""

import logging
import re
import threading
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Final
from uuid import uuid4

from app.errors import MachineError
from app.sync.exchanges.exchange_folder import ROOT
from app.sync.exchanges.exchange_point import LANE_NAME, OBJECT_NAME, VAULT_ID
from app.sync.exchanges.server_refusals import NO_FOLDER, NOT_THERE, SEVERAL
from app.sync.exchanges.webdav_address import WebdavAddress, webdav_address
from app.sync.exchanges.webdav_client import WebdavClient

_log = logging.getLogger(__name__)

KEPT_UNFINISHED: Final = timedelta(days=1)
"""Age after which an unfinished file was left by a process that ended."""
_UNFINISHED: Final = re.compile(r"unfinished-[0-9a-f]{32}")  # some servers refuse names like .x and x.part


class WebdavPlace:
    """Folder on a server that a person names.

    Args:
        address: Its address, such as ``https://name:password@server/path``.

    Raises:
        InputError: It is no address of a server.
    """

    def __init__(self, address: str) -> None:
        self._folder = webdav_address(address)
        self.address = address

    def vault(self) -> str | None:
        """Return the id of the vault that the folder is for, ``None`` without one."""
        with WebdavClient(self._folder) as client:
            if not client.has_folder(""):
                raise client.refusals.error(NO_FOLDER)
            vaults = [file.name for file in client.files(f"{ROOT}/", VAULT_ID.fullmatch)]
        if len(vaults) > 1:
            raise client.refusals.error(SEVERAL)
        return vaults[0] if vaults else None

    def make_vault(self, vault: str) -> None:
        """Make the folder the exchange point of a vault."""
        with WebdavClient(self._folder) as client:
            client.make_folder(f"{ROOT}/")
            client.make_folder(f"{ROOT}/{vault}/")

    def point(self, vault: str) -> "WebdavExchange":
        """Return the exchange point of a vault."""
        return WebdavExchange(self._folder, vault)


class WebdavExchange:
    """Exchange point of one vault within a folder on a server.

    Any thread may use it.

    Args:
        folder: The folder that the person named.
        vault: The id of the vault.
    """

    def __init__(self, folder: WebdavAddress, vault: str) -> None:
        self._client = WebdavClient(folder)
        self._base = f"{ROOT}/{vault}/"
        self._lock = threading.Lock()
        self._is_conditional: bool | None = None

    def require_there(self) -> None:
        """Refuse where the folder of the vault is not there.

        Raises:
            ExchangeError: It was emptied, or is another.
        """
        if not self._client.has_folder(self._base):
            raise self._client.refusals.error(NOT_THERE)

    def put_new(self, name: str, data: bytes) -> bool:
        """Keep an object under a new name; return False where another one has it."""
        if not self.gives_names_once() and (kept := self.get(name)) is not None:
            return kept == data
        lane = f"{self._base}{name.partition('/')[0]}/"
        unfinished = f"{lane}unfinished-{uuid4().hex}"
        if not self._client.put(unfinished, data) and not (
            self._client.make_folder(lane) and self._client.put(unfinished, data)
        ):
            raise self._client.refusals.error(NOT_THERE)
        if not self._client.move(unfinished, self._base + name):
            self._client.remove(unfinished)
            return self.get(name) == data
        # Many servers look and then move, so that two who write at the same moment may both be told that they did.
        kept = self.get(name)
        if kept is None:
            raise self._client.refusals.lost()
        return kept == data

    def gives_names_once(self) -> bool:
        """Return whether the server moves no file over another one, which is tried once."""
        with self._lock:
            if self._is_conditional is None:
                former, other = (f"{self._base}unfinished-{uuid4().hex}" for _ in range(2))
                try:
                    if not (self._client.put(former, b"") and self._client.put(other, b"")):
                        raise self._client.refusals.error(NOT_THERE)
                    self._is_conditional = not self._client.move(other, former)
                    if not self._is_conditional:
                        _log.warning("the WebDAV server moves files over others; lanes are trusted to have one writer")
                finally:
                    with suppress(MachineError):
                        self._client.remove(former)
                        self._client.remove(other)
            return self._is_conditional

    def get(self, name: str) -> bytes | None:
        """Return an object by its name, ``None`` where there is none."""
        return self._client.get(self._base + name)

    def names(self, prefix: str) -> Sequence[str]:
        """Return the names that begin with a prefix and a slash, in order."""
        lane = f"{self._base}{prefix}/"
        names = []
        for file in self._client.files(lane, lambda name: OBJECT_NAME.fullmatch(name) or _UNFINISHED.fullmatch(name)):
            if OBJECT_NAME.fullmatch(file.name):
                names.append(f"{prefix}/{file.name}")
            elif file.age > KEPT_UNFINISHED:
                with suppress(MachineError):  # the next look removes it
                    self._client.remove(lane + file.name)
        return names

    def lanes(self) -> Sequence[str]:
        """Return what stands before the slash of the names."""
        return [file.name for file in self._client.files(self._base, LANE_NAME.fullmatch)]

    def remove(self, name: str) -> None:
        """Remove an object, if it is there."""
        self._client.remove(self._base + name)

    @property
    def hears(self) -> bool:
        """Return False: one has to look."""
        return False

    @property
    def is_near(self) -> bool:
        """Return False: each look is asked of a server."""
        return False

    def wait(self, seconds: float) -> bool:
        """Return False: the server says nothing of what is new."""
        return False

    def close(self) -> None:
        """End the connections; safe to call twice."""
        self._client.close()
