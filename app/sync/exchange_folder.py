"""A plain folder as an exchange point.

Another program may keep it the same on several machines. Files that are not ours are left alone: what the system or
that program puts there.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from app.core.files import from_os
from app.errors import ExchangeError

ROOT: Final = "keepsake-v1"
"""The folder within that which a person names."""
_VAULT: Final = re.compile(r"[0-9a-f]{32}")
_LANE: Final = re.compile(r"[0-9a-f]{16}")
_OBJECT: Final = re.compile(r"s-\d{12}-\d{12}(-r\d+)?")
_UNFINISHED: Final = ".part"


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
                f"{self._base.parent.parent} does not hold what your machines share. Connect the disk, or wait until"
                " the folder is complete.",
                path=str(self._base),
            )

    def put_new(self, name: str, data: bytes) -> bool:
        """Keep an object under a new name; return False where the name is taken."""
        path = self._base / name
        unfinished = path.with_name(f".{path.name}{_UNFINISHED}")
        try:
            path.parent.mkdir(mode=0o700, exist_ok=True)
            if path.exists():
                return False
            with unfinished.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            return _name_unless_taken(unfinished, path)
        except OSError as error:
            raise from_os(error, path) from error

    def get(self, name: str) -> bytes | None:
        """Return an object by its name, ``None`` where there is none."""
        try:
            return (self._base / name).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise from_os(error, self._base / name) from error

    def names(self, prefix: str) -> Sequence[str]:
        """Return the names that begin with a prefix and a slash, in order."""
        return [f"{prefix}/{name}" for name in _listed(self._base / prefix, _OBJECT)]

    def lanes(self) -> Sequence[str]:
        """Return what stands before the slash of the names."""
        return _listed(self._base, _LANE)

    def remove(self, name: str) -> None:
        """Remove an object, if it is there."""
        try:
            (self._base / name).unlink(missing_ok=True)
        except OSError as error:
            raise from_os(error, self._base / name) from error


def vault_in(folder: Path) -> str | None:
    """Return the id of the vault that a folder is for, ``None`` without one.

    Raises:
        ExchangeError: It is that of several.
        MachineError: The folder cannot be read.
    """
    vaults = _listed(folder / ROOT, _VAULT)
    if len(vaults) > 1:
        raise ExchangeError(
            f"{folder} is shared by more than one vault. Name another folder, or remove one of them.",
            path=str(folder),
        )
    return vaults[0] if vaults else None


def make_vault(folder: Path, vault: str) -> None:
    """Make a folder the exchange point of a vault.

    Raises:
        MachineError: It cannot be written.
    """
    try:
        (folder / ROOT / vault).mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise from_os(error, folder) from error


def _listed(folder: Path, wanted: re.Pattern[str]) -> list[str]:
    try:
        return sorted(entry.name for entry in os.scandir(folder) if wanted.fullmatch(entry.name))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise from_os(error, folder) from error


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
