"""A bucket of S3 storage as an exchange point.

Amazon, MinIO, Garage, Cloudflare R2 and others offer such. A name is given once by a conditional write. Where the
server does not know such, one looks before and afterwards; then two who write one name at the same moment may both
believe that they did, which only matters for names with several writers.
"""

import logging
import threading
from collections.abc import Sequence
from typing import Final
from uuid import uuid4

from app.sync.exchanges.exchange_folder import ROOT
from app.sync.exchanges.exchange_point import LANE_NAME, OBJECT_NAME, VAULT_ID
from app.sync.exchanges.s3_address import S3Address, s3_address
from app.sync.exchanges.s3_client import S3Client
from app.sync.exchanges.server_refusals import NOT_THERE, SEVERAL

_log = logging.getLogger(__name__)

_VAULT: Final = "vault"
"""The key that stands for the vault while it has no objects."""


class S3Place:
    """Bucket, or a prefix in it, that a person names.

    Args:
        address: Its address, such as ``s3://KEY:SECRET@bucket/prefix?region=eu-central-1``.

    Raises:
        InputError: It is no address of S3 storage.
    """

    def __init__(self, address: str) -> None:
        self._bucket = s3_address(address)
        self.address = address

    def vault(self) -> str | None:
        """Return the id of the vault that the prefix is for, ``None`` without one."""
        with S3Client(self._bucket) as client:
            vaults = client.names(f"{ROOT}/", VAULT_ID.fullmatch)
            if len(vaults) > 1:
                raise client.refusals.error(SEVERAL)
        return vaults[0] if vaults else None

    def make_vault(self, vault: str) -> None:
        """Make the prefix the exchange point of a vault."""
        with S3Client(self._bucket) as client:
            client.put(f"{ROOT}/{vault}/{_VAULT}", b"")

    def point(self, vault: str) -> "S3Exchange":
        """Return the exchange point of a vault."""
        return S3Exchange(self._bucket, vault)


class S3Exchange:
    """Exchange point of one vault within a bucket; any thread may use it.

    Args:
        bucket: The bucket and the prefix that the person named.
        vault: The id of the vault.
    """

    def __init__(self, bucket: S3Address, vault: str) -> None:
        self._client = S3Client(bucket)
        self._base = f"{ROOT}/{vault}/"
        self._lock = threading.Lock()
        self._is_conditional: bool | None = None

    def require_there(self) -> None:
        """Refuse where the bucket no longer knows the vault.

        Raises:
            ExchangeError: It was emptied, or is another.
        """
        if self._client.get(self._base + _VAULT) is None:
            raise self._client.refusals.error(NOT_THERE)

    def put_new(self, name: str, data: bytes) -> bool:
        """Keep an object under a new name; return False where another one has it."""
        if self.gives_names_once():
            return self._client.put(self._base + name, data, is_new=True) or self.get(name) == data
        if (kept := self.get(name)) is not None:
            return kept == data
        self._client.put(self._base + name, data)
        kept = self.get(name)
        if kept is None:
            raise self._client.refusals.lost()
        return kept == data

    def gives_names_once(self) -> bool:
        """Return whether the server keeps to conditional writes, which is tried once."""
        with self._lock:
            if self._is_conditional is None:
                probe = f"{self._base}probe-{uuid4().hex}"
                is_written = self._client.put(probe, b"", is_new=True)
                self._is_conditional = is_written and not self._client.put(probe, b"", is_new=True)
                self._client.remove(probe)
                if not self._is_conditional:
                    _log.warning("the S3 storage knows no conditional writes; each lane is trusted to have one writer")
            return self._is_conditional

    def get(self, name: str) -> bytes | None:
        """Return an object by its name, ``None`` where there is none."""
        return self._client.get(self._base + name)

    def names(self, prefix: str) -> Sequence[str]:
        """Return the names that begin with a prefix and a slash, in order."""
        return [f"{prefix}/{name}" for name in self._client.names(f"{self._base}{prefix}/", OBJECT_NAME.fullmatch)]

    def lanes(self) -> Sequence[str]:
        """Return what stands before the slash of the names."""
        return self._client.names(self._base, LANE_NAME.fullmatch)

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
        """Return False: the storage says nothing of what is new."""
        return False

    def close(self) -> None:
        """End the connections; safe to call twice."""
        self._client.close()
