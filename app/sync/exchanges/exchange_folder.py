"""A plain folder as an exchange point.

Another program may keep it the same on several machines. Files that are not ours are left alone: what the system or
that program puts there.
"""

import contextlib
import os
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from uuid import uuid4

from app.core.files import from_os
from app.core.regular_files import UnsafeFileError, open_for_reading
from app.errors import ExchangeError, VaultUnusableError
from app.sentence import Sentence
from app.sync.exchanges.exchange_point import LANE_NAME, MOST_BYTES, OBJECT_NAME, VAULT_ID

ROOT: Final = "keepsake-v1"
"""The folder within that which a person names."""
_UNFINISHED: Final = ".part"
_ABANDONED: Final = re.compile(r"\.[^/]+\.[0-9a-f]{8}\.part")
_ABANDONED_S: Final = 86_400.0
"""Age after which an unfinished file was left by a process that ended."""


class ExchangeFolder:
    """Exchange point of one vault within a folder.

    Args:
        folder: The folder that the person named.
        vault: The id of the vault.
    """

    def __init__(self, folder: Path, vault: str) -> None:
        self._base = folder / ROOT / vault

    def require_there(self) -> None:
        """Refuse where the folder is not there, such as on a stick.

        Raises:
            ExchangeError: It is not there.
        """
        if not self._base.is_dir():
            raise ExchangeError(
                Sentence(
                    "{path} does not hold what your machines share. Connect the disk, or wait until the folder is"
                    " complete.",
                    path=self._base.parent.parent,
                ),
                path=str(self._base),
            )

    def put_new(self, name: str, data: bytes) -> bool:
        """Keep an object under a new name; return False where another one has it."""
        path = self._base / name
        unfinished = path.with_name(f".{path.name}.{uuid4().hex[:8]}{_UNFINISHED}")
        try:
            path.parent.mkdir(mode=0o700, exist_ok=True)
            if path.exists():
                return self.get(name) == data
            with unfinished.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            return _name_unless_taken(unfinished, path) or self.get(name) == data
        except OSError as error:
            with contextlib.suppress(OSError):  # where nothing can be written, nothing can be removed either
                unfinished.unlink(missing_ok=True)
            if isinstance(error, FileNotFoundError):  # the disk was taken away meanwhile
                self.require_there()
            raise from_os(error, path) from error

    def gives_names_once(self) -> bool:
        """Return True: the system gives a name once, on this machine."""
        return True

    def get(self, name: str) -> bytes | None:
        """Return an object by its name, ``None`` where there is none."""
        try:
            with open_for_reading(self._base / name) as file:
                if os.fstat(file.fileno()).st_size <= MOST_BYTES:
                    return file.read(MOST_BYTES)
        except FileNotFoundError:
            return None
        except UnsafeFileError as error:
            raise ExchangeError(error.sentence, path=str(self._base / name)) from error
        except OSError as error:
            raise from_os(error, self._base / name) from error
        raise ExchangeError(
            Sentence("{path} is larger than any file that Keepsake keeps there.", path=self._base / name),
            path=str(self._base / name),
        )

    def names(self, prefix: str) -> Sequence[str]:
        """Return the names that begin with a prefix and a slash, in order."""
        _remove_abandoned(self._base / prefix)
        return [f"{prefix}/{name}" for name in _listed(self._base / prefix, OBJECT_NAME)]

    def lanes(self) -> Sequence[str]:
        """Return what stands before the slash of the names."""
        return _listed(self._base, LANE_NAME)

    def remove(self, name: str) -> None:
        """Remove an object, if it is there."""
        try:
            (self._base / name).unlink(missing_ok=True)
        except OSError as error:
            raise from_os(error, self._base / name) from error

    @property
    def hears(self) -> bool:
        """Return False: one has to look."""
        return False

    @property
    def is_near(self) -> bool:
        """Return True: it is a folder of this machine."""
        return True

    def wait(self, seconds: float) -> bool:
        """Return False: a folder says nothing of what is new."""
        return False

    def close(self) -> None:
        """Do nothing: no file stays open."""


class FolderPlace:
    """Folder that a person names.

    Args:
        folder: The folder, which must be there.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.address = str(folder)

    def vault(self) -> str | None:
        """Return the id of the vault that the folder is for, ``None`` without one."""
        if not self._folder.is_dir():
            raise VaultUnusableError(
                Sentence("There is no folder {path}. Make it first.", path=self._folder),
                path=str(self._folder),
                state="missing",
            )
        vaults = _listed(self._folder / ROOT, VAULT_ID)
        if len(vaults) > 1:
            raise ExchangeError(
                Sentence(
                    "{path} is shared by more than one vault. Name another folder, or remove one of them.",
                    path=self._folder,
                ),
                path=str(self._folder),
            )
        return vaults[0] if vaults else None

    def make_vault(self, vault: str) -> None:
        """Make the folder the exchange point of a vault."""
        try:
            (self._folder / ROOT / vault).mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise from_os(error, self._folder) from error

    def point(self, vault: str) -> ExchangeFolder:
        """Return the exchange point of a vault."""
        return ExchangeFolder(self._folder, vault)


def _listed(folder: Path, wanted: re.Pattern[str]) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in entries if wanted.fullmatch(entry.name))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise from_os(error, folder) from error


def _remove_abandoned(folder: Path) -> None:
    """Remove unfinished files that processes left which were killed."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:  # the next look removes what stays
        for entry in entries:
            is_old = time.time() - entry.stat(follow_symlinks=False).st_mtime > _ABANDONED_S
            if is_old and _ABANDONED.fullmatch(entry.name):
                Path(entry.path).unlink(missing_ok=True)


def _name_unless_taken(unfinished: Path, path: Path) -> bool:
    """Give a finished file its name; return False where another has it."""
    try:
        os.link(unfinished, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without links
        if path.exists():
            return False
        unfinished.rename(path)
        return True
    finally:
        unfinished.unlink(missing_ok=True)
    return True
