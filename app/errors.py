"""The one tree of failures.

    KeepsakeError
    ├── MachineError      something about the person's machine or vault: disk full, locked, damaged, too new
    ├── InputError        the request cannot be done: says what is wrong, where, and what is allowed
    └── InternalError     our bug

Each carries a stable ``code``, a sentence a person can act on, and ``data`` for programs.
"""

import errno
import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any, ClassVar, Final

from app.sentence import Sentence, as_sentence


class KeepsakeError(Exception):
    """Base of every failure Keepsake reports.

    Args:
        message: A sentence a person can act on; a ``Sentence`` where names or numbers stand in it.
        data: Facts for programs; JSON-serialisable, never content or secrets.
    """

    code: ClassVar[str] = "error"
    kind: ClassVar[str] = "internal"
    exit_status: ClassVar[int] = 70

    def __init__(self, message: str, **data: Any) -> None:
        super().__init__(str(message))
        self.sentence = as_sentence(message)
        self.message = str(message)
        self.data = data

    def as_dict(self) -> dict[str, Any]:
        """Return the error in the shape every surface answers: code, kind, message, data."""
        return {"code": self.code, "kind": self.kind, "message": self.message, "data": self.data}


class MachineError(KeepsakeError):
    """Something about the person's machine, disk or vault."""

    code = "machine"
    kind = "machine"
    exit_status = 74


class VaultLockedError(MachineError):
    """Another process owns the vault."""

    code = "vault_locked"
    exit_status = 75


class PassphraseRequiredError(MachineError):
    """The vault is encrypted, and this process does not have its key."""

    code = "passphrase_required"
    exit_status = 77


class EncryptionUnavailableError(MachineError):
    """The SQLite of this installation cannot encrypt."""

    code = "encryption_unavailable"


class VaultUnusableError(MachineError):
    """The vault's path cannot hold a vault: it is a file, or cannot be created."""

    code = "vault_unusable"


class VaultReadOnlyError(MachineError):
    """The vault's directory or files cannot be written."""

    code = "vault_read_only"


class VaultNewerError(MachineError):
    """The vault was written by a newer Keepsake."""

    code = "vault_newer"


class VaultDamagedError(MachineError):
    """The database file is damaged."""

    code = "vault_damaged"


class DiskFullError(MachineError):
    """No space left where the vault lives."""

    code = "disk_full"


class ExchangeError(MachineError):
    """The exchange with other machines cannot be used, or was changed."""

    code = "exchange"


class ExchangeNewerError(ExchangeError):
    """A newer Keepsake wrote what another machine left in the exchange."""

    code = "exchange_newer"


class CallStoppedError(MachineError):
    """A call to a server or disk was given up before it answered."""

    code = "call_stopped"


class ModelUnavailableError(MachineError):
    """An embedding or language model was chosen that is not there."""

    code = "model_unavailable"


class KeyringUnavailableError(MachineError):
    """The system's keyring is locked, refuses or does not answer."""

    code = "keyring_unavailable"


class MissingKeyringError(KeyringUnavailableError):
    """The machine has no keyring, or none that keeps secrets safely."""

    code = "keyring_missing"


class HostUnreachableError(MachineError):
    """No host answers for this vault."""

    code = "host_unreachable"
    exit_status = 69


class TooManyConnectionsError(MachineError):
    """No place is free for another program at the socket."""

    code = "too_many_connections"
    exit_status = 69


class IdleError(MachineError):
    """A connection was closed because nothing came over it for long."""

    code = "idle"
    exit_status = 69


class TimeLimitError(MachineError):
    """A read took longer than its time limit and was stopped."""

    code = "time_limit"


class CancelledByPersonError(KeepsakeError):
    """Long work was stopped on request; what was committed stays."""

    code = "cancelled"
    kind = "input"
    exit_status = 130


class InputError(KeepsakeError):
    """The request cannot be done as given."""

    code = "invalid_input"
    kind = "input"
    exit_status = 65


class WrongPassphraseError(InputError):
    """The passphrase does not open the vault."""

    code = "wrong_passphrase"
    exit_status = 77


class NotFoundError(InputError):
    """Nothing has that id or name."""

    code = "not_found"


class StaleError(InputError):
    """The thing changed since it was read (sequence number, epoch or version)."""

    code = "stale"


class KeyConflictError(InputError):
    """The key of an earlier call came again with something else."""

    code = "conflict"


class AccessDeniedError(InputError):
    """The caller's trust does not reach that far."""

    code = "access_denied"
    exit_status = 77


class AccessRequiredError(AccessDeniedError):
    """The program is not known to the vault; the person has to allow it first."""

    code = "access_required"


class AgentPausedError(AccessDeniedError):
    """The person has paused the agent."""

    code = "agent_paused"


class TooManyCallsError(InputError):
    """An agent calls too often; ``data`` holds the seconds to wait as ``retry_after``."""

    code = "too_many_calls"
    exit_status = 75


class FormatError(InputError):
    """A file is not in the format it was taken for."""

    code = "bad_format"


class UnknownOperationError(InputError):
    """The catalogue has no operation with the given name."""

    code = "unknown_operation"


class InternalError(KeepsakeError):
    """Our bug."""

    code = "internal"


_FILES_AT_ONCE: Final = 8  # more than a database is opened with
_NO_THREAD: Final = "can't start new thread"  # how Python says it
DISK_ERROR: Final = "The disk reported an error. Check its cable and its state; what is not confirmed was not saved."
SCARCE: Final = {
    errno.EMFILE: "Keepsake has too many files and connections open. Close some clients, or allow more (ulimit -n).",
    errno.ENFILE: "This computer has too many files open. Close some programs and try again.",
    errno.ENOMEM: "This computer has too little free memory for that. Close some programs and try again.",
    errno.EFBIG: "The disk cannot hold so large a file. Move the vault to a disk of another format.",
    errno.EIO: DISK_ERROR,
    errno.ENXIO: DISK_ERROR,
    errno.ENODEV: DISK_ERROR,
    getattr(errno, "ESTALE", errno.EIO): DISK_ERROR,
}
"""Sentences about errors of the operating system, by error number."""
FULL: Final = frozenset({errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)})


def lack_of_files() -> MachineError | None:
    """Return the failure that this process may open no further files, ``None`` where it may."""
    try:
        with ExitStack() as opened:
            for _ in range(_FILES_AT_ONCE):
                opened.enter_context(Path(os.devnull).open("rb"))
    except OSError as error:
        return MachineError(SCARCE[error.errno]) if error.errno in SCARCE else None
    return None


def unexpected(error: BaseException) -> KeepsakeError:
    """Return the failure for an error of Python or the system.

    What the machine lacks is said; of our bugs the kind is named and not the text, which may repeat content.
    """
    if isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and str(error) == _NO_THREAD):
        return MachineError(SCARCE[errno.ENOMEM])
    if isinstance(error, OSError) and error.errno in FULL:
        return DiskFullError("The disk is full. Free some space and try again.")
    if isinstance(error, OSError) and error.errno == errno.EROFS:
        return VaultReadOnlyError("The disk can only be read. Make it writable, then try again.")
    if isinstance(error, OSError) and error.errno in SCARCE:
        return MachineError(SCARCE[error.errno])
    if isinstance(error, PermissionError):  # its path may be the name of an attachment, which is content
        return MachineError(
            "The system refuses access to a file or folder that this needs. Check the permissions of what is in the"
            " vault's folder, and of files that the request names."
        )
    kind = type(error).__name__
    return InternalError(Sentence("Something went wrong inside Keepsake ({kind}).", kind=kind), type=kind)
