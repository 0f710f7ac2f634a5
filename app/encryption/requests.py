"""Requests for a decryption that were made from this account of this computer.

The key file of a vault names the request, under a tag that only who has the key can make; the request itself is noted
outside the vault. So a vault whose key file was replaced by an older one that asked for a decryption, or that was
copied here from another computer, is not decrypted before the person has confirmed it.
"""

import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

import platformdirs

from app.core.paths import APP_NAME
from app.core.regular_files import make_folder

_FOLDER: Final = "decryptions"
_BYTES: Final = 16


def new_request() -> str:
    """Note a request for a decryption and return its name."""
    name = secrets.token_hex(_BYTES)
    with suppress(OSError):  # without the note the person is asked once more
        make_folder(_folder())
        _note(name).touch(mode=0o600)
    return name


def is_noted(name: str) -> bool:
    """Return whether a request was made here and is still to be carried out."""
    return _is_name(name) and _note(name).is_file()


def remove_request(name: str) -> None:
    """Remove a request that was carried out or called off."""
    if _is_name(name):
        with suppress(OSError):  # it opens nothing: the next request has another name
            _note(name).unlink(missing_ok=True)


def _is_name(name: str) -> bool:
    return name.isascii() and name.isalnum() and len(name) == 2 * _BYTES


def _note(name: str) -> Path:
    return _folder() / name


def _folder() -> Path:
    return Path(platformdirs.user_state_dir(APP_NAME, appauthor=False)) / _FOLDER
