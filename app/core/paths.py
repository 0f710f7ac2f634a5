"""Paths of the program's files and of the person's vault."""

import errno
import os
import sys
import tempfile
from pathlib import Path
from typing import Final

import platformdirs

from app.errors import InputError

APP_NAME = "keepsake"
_NO_PATH: Final = frozenset({errno.ENAMETOOLONG, errno.EINVAL})
"""Errors of the system for a name that is too long or has a character that no name can have."""
_WRONG_PATH: Final = "That cannot be a path on this machine. Check how it is written."


def program_root() -> Path:
    """Return the folder that holds ``resources/`` and ``migrations/``: the checkout, site-packages or a bundle."""
    bundle = getattr(sys, "_MEIPASS", None)
    return Path(bundle) if bundle else Path(__file__).resolve().parents[2]


def resources() -> Path:
    """Return the folder of icons, sample, models, help and prompts."""
    return program_root() / "resources"


def migrations() -> Path:
    """Return the folder of numbered SQL migrations."""
    return program_root() / "migrations"


def default_vault() -> Path:
    """Return the vault used when none is named: ``KEEPSAKE_VAULT``, else the platform's data folder."""
    named = os.environ.get("KEEPSAKE_VAULT")
    return Path(named).expanduser() if named else Path(platformdirs.user_data_dir(APP_NAME, appauthor=False)) / "vault"


def models_cache() -> Path:
    """Return the folder of models fetched from the network."""
    return Path(platformdirs.user_cache_dir(APP_NAME, appauthor=False)) / "models"


def runtime_dir() -> Path:
    """Return the folder for sockets of running programs.

    Where the platform has none, it is a folder of our own for each user.
    """
    if sys.platform.startswith("linux") and not os.environ.get("XDG_RUNTIME_DIR"):
        folder = Path(f"/run/user/{os.getuid()}")
        return folder / APP_NAME if folder.is_dir() else Path(tempfile.gettempdir()) / f"{APP_NAME}-{os.getuid()}"
    return Path(platformdirs.user_runtime_dir(APP_NAME, appauthor=False))


def user_path(text: str) -> Path:
    """Return the path a person wrote, with ``~`` as their home folder.

    Raises:
        InputError: There is nothing in it, or it cannot be a path.
    """
    if not text.strip() or "\x00" in text:
        raise InputError("Name a file or a folder: 'path' is empty or has a character no path can have.", field="path")
    try:
        path = Path(text).expanduser().absolute()
        os.fsencode(path)
        path.stat()
    except RuntimeError as error:
        raise InputError("There is no home folder of that name.", field="path") from error
    except OSError as error:
        if error.errno in _NO_PATH:
            raise InputError(_WRONG_PATH, field="path") from None
        return path  # opening it tells what is wrong with it
    except ValueError:  # half a character is in it
        raise InputError(_WRONG_PATH, field="path") from None
    return path


def whole_path(text: str, field: str = "path") -> Path:
    """Return a path that another program wrote, which works in another folder than this one.

    Args:
        text: The path, from the top or from ``~``.
        field: Which argument it is.

    Raises:
        InputError: It is no path, or does not say where it begins.
    """
    path = user_path(text)
    if not is_whole_path(text):
        raise InputError("Name the file or folder by its whole path, from the top or from '~'.", field=field)
    return path


def is_whole_path(text: str) -> bool:
    """Return whether a path means the same in every folder."""
    try:
        return Path(text).expanduser().is_absolute()
    except RuntimeError:  # there is no home folder of that name
        return False
