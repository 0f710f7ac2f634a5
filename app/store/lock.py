"""Lock of a vault: one process owns it.

The system releases the lock when that process dies.
"""

import os
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Self

from app.core.files import from_os
from app.core.process.lock_owner import LOCK, OPENING, LockOwner, owner_in
from app.core.regular_files import open_file
from app.errors import VaultLockedError
from app.sentence import Sentence, joined

if sys.platform == "win32":  # pragma: no cover
    import msvcrt
else:
    import fcntl


class VaultLock:
    """An exclusive lock on ``vault/lock``.

    The file holds the owner's process id, and whether it still opens the vault.

    Args:
        vault: The vault's folder, which must exist.
    """

    def __init__(self, vault: Path) -> None:
        self._path = vault / LOCK
        self._handle: int | None = None
        self._state = OPENING

    def acquire(self) -> Self:
        """Take the lock.

        Raises:
            VaultLockedError: Another process has it; ``is_opening`` of its data says whether it opens the vault still.
            VaultReadOnlyError: The vault cannot be written, and has no lock file to be read.
            VaultUnusableError: A link or something else that is no file stands in its place.
        """
        try:
            handle = self._opened()
        except OSError as error:
            raise from_os(error, self._path) from error
        try:
            _lock(handle)
        except OSError as error:
            owner = _owner_of(handle)
            os.close(handle)
            raise VaultLockedError(_locked(owner.process), owner=owner.process, is_opening=owner.is_opening) from error
        self._handle = handle
        self._write_owner(handle)
        return self

    def settle(self) -> None:
        """Tell those who wait that the vault is open, and its host answers."""
        self._state = ""
        if self._handle is not None:
            self._write_owner(self._handle)

    @property
    def is_held(self) -> bool:
        """Return whether this process has the lock."""
        return self._handle is not None

    def keep(self) -> None:
        """Take the lock anew where its file was taken away.

        Clean-up and sync programs do that.

        Raises:
            VaultLockedError: Another Keepsake has opened the vault since.
        """
        if self._handle is None or self._is_in_place(self._handle):
            return
        handle, self._handle = self._handle, None
        try:
            self.acquire()
        except VaultLockedError as error:
            self._handle = handle
            raise VaultLockedError(
                "The vault's lock file was taken away, and another Keepsake has opened the vault since. Nothing is"
                " written from here any more: close one of the two.",
                **error.data,
            ) from error
        except BaseException:
            self._handle = handle
            raise
        os.close(handle)

    def _is_in_place(self, handle: int) -> bool:
        try:
            return os.path.samestat(os.fstat(handle), self._path.stat())
        except OSError:
            return False

    def release(self) -> None:
        """Give the lock back; without one, do nothing."""
        if self._handle is not None:
            with suppress(OSError):
                os.ftruncate(self._handle, 1)  # the next owner has the lock a moment before its name is there
            os.close(self._handle)
            self._handle = None

    def _opened(self) -> int:
        """Open the lock file; an existing one can be locked on a read-only disk."""
        try:
            return open_file(self._path, os.O_RDWR | os.O_CREAT)
        except OSError:
            if not self._path.exists():
                raise
            return open_file(self._path, os.O_RDONLY)

    def _write_owner(self, handle: int) -> None:
        # The first byte is the locked range where ranges are mandatory (Windows), so the text starts after it.
        try:
            text = f"\n{os.getpid()} {self._state}".rstrip(" ").encode()
            os.lseek(handle, 0, os.SEEK_SET)
            os.ftruncate(handle, os.write(handle, text))  # cut afterwards: others read it at any moment
        except OSError:
            # A full disk must not keep the vault from opening for reading and clean-up; the text is only a courtesy.
            return


def _owner_of(handle: int) -> LockOwner:
    """Return the owner of a lock that is held.

    One that is not named yet has just begun to open the vault.
    """
    if not hasattr(os, "pread"):
        return LockOwner("", is_opening=False)
    owner = owner_in(os.pread(handle, 64, 1))
    return owner if owner.process else replace(owner, is_opening=True)


def _lock(handle: int) -> None:
    if sys.platform == "win32":  # pragma: no cover
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _locked(owner: str) -> Sentence:
    """Return the sentence that another process has the vault open."""
    todo = Sentence("Use or close that one; if it does not answer, end its process.")
    if owner:
        return joined((Sentence("Another Keepsake (process {number}) has this vault open.", number=owner), todo))
    return joined((Sentence("Another Keepsake, or another program, holds this vault's lock."), todo))
