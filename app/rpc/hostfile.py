"""``host.json`` in the vault: the host's address and token, for its owner only."""

import logging
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

import msgspec

from app import __version__
from app.core.files import from_os, replace_file
from app.core.regular_files import UnsafeFileError, open_for_reading
from app.errors import HostUnreachableError
from app.rpc.framing import PROTOCOL
from app.sentence import Sentence

FILE = "host.json"
_TOKEN_BYTES = 32
_MAX_BYTES = 1 << 16
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HostFile:
    """Address, token and process of a host.

    Args:
        socket: Path of its Unix socket, ``""`` where there are none.
        port: Its port on 127.0.0.1 where there are no Unix sockets.
        token: What its owner's programs show.
        pid: Its process.
        version: Keepsake's version.
        protocol: The protocol it speaks.
    """

    socket: str
    port: int
    token: str
    pid: int
    version: str
    protocol: int


def new_hostfile(socket: str, port: int) -> HostFile:
    """Return the description of this process with a fresh token."""
    return HostFile(socket, port, secrets.token_urlsafe(_TOKEN_BYTES), os.getpid(), __version__, PROTOCOL)


def write_hostfile(vault: Path, description: HostFile) -> None:
    """Write the file, for its owner only."""
    replace_file(vault / FILE, msgspec.json.format(msgspec.json.encode(description)) + b"\n")


def remove_hostfile(vault: Path) -> None:
    """Remove the file.

    A file that cannot be removed does no harm: nothing answers at its address.
    """
    try:
        (vault / FILE).unlink(missing_ok=True)
    except OSError as error:
        _log.info("%s stays behind: %s", vault / FILE, error)


def read_hostfile(vault: Path) -> HostFile:
    """Return where the vault's host listens.

    Raises:
        HostUnreachableError: There is no such file, or it is not readable as one.
        VaultUnusableError: A link or something else that is no file stands in its place.
    """
    try:
        with open_for_reading(vault / FILE) as file:
            return msgspec.json.decode(file.read(_MAX_BYTES), type=HostFile)
    except UnsafeFileError as error:
        raise from_os(error, vault / FILE) from error
    except OSError as error:
        raise unreachable(vault) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise HostUnreachableError(
            Sentence("{path} is damaged. Quit Keepsake if it runs, and start it again.", path=vault / FILE),
            vault=str(vault),
        ) from error


def unreachable(vault: Path) -> HostUnreachableError:
    """Return the failure that no host answers for ``vault``."""
    return HostUnreachableError(
        Sentence("Keepsake is not running for {vault}. Open its window or run 'keepsake serve'.", vault=vault),
        vault=str(vault),
    )
