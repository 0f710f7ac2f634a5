"""Store of a device's keys and of the place's address with its password.

All are kept outside the vault and its backups: in the system's keyring, or, on a machine that has none, in files beside
the notes of the lanes that only their owner may read. Programs of that owner can read them there.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

import platformdirs

from app.config.keyring import Keyring
from app.core.files import from_os, is_there, replace_file
from app.core.paths import APP_NAME
from app.core.regular_files import make_folder, open_file, open_for_reading
from app.encryption.file_sealing import overwrite, overwrite_handle
from app.errors import MissingKeyringError, VaultDamagedError
from app.sync.sealing.device_keys import DeviceKeys, keys_from_text

_FOLDER: Final = "devices"
_KEYS, _ADDRESS = "keys", "address"
_MOST_BYTES: Final = 1 << 16
_INSTEAD: Final = "Unlock it, or remove it: without one, the keys are kept in a file of yours."


class KeyStore:
    """Store of the keys of this machine's devices, each by its id.

    Every method may wait for the keyring.

    Args:
        keyring: The system's keyring.
    """

    def __init__(self, keyring: Keyring | None = None) -> None:
        self._keyring = keyring or Keyring(instead=_INSTEAD)

    def keys(self, device: str) -> DeviceKeys | None:
        """Return the keys of a device, ``None`` where they are not on this machine.

        Raises:
            MachineError: The keyring or the file cannot be read.
        """
        text = self._read(device, _KEYS)
        if not text:
            return None
        try:
            return keys_from_text(text)
        except ValueError:
            raise VaultDamagedError(
                "The keys by which this machine shares its memory are damaged. Leave, and join again with the words"
                " of an invitation."
            ) from None

    def keep(self, device: str, keys: DeviceKeys) -> None:
        """Keep the keys of a device.

        Raises:
            MachineError: The keyring is locked, or the file cannot be written.
        """
        self._write(device, _KEYS, keys.as_text())

    def change(self, device: str, change: Callable[[DeviceKeys], DeviceKeys]) -> DeviceKeys:
        """Change the keys of a device, and return them; raises like ``keep``."""
        before = self.keys(device)
        if before is None:
            raise VaultDamagedError("The keys by which this machine shares its memory are gone.")
        after = change(before)
        if after != before:
            self.keep(device, after)
        return after

    def has_keyring(self, device: str) -> bool:
        """Return False where the keys of a device are in a file of this machine."""
        return not _path(device, _KEYS).exists()

    def address(self, device: str) -> str:
        """Return the address of a device's place with its password, ``""`` without one."""
        return self._read(device, _ADDRESS)

    def keep_address(self, device: str, address: str) -> None:
        """Keep the address of the place where a device shares; raises like ``keep``."""
        if self.address(device) != address:
            self._write(device, _ADDRESS, address)

    def remove(self, device: str) -> None:
        """Destroy the keys and the address of a device."""
        for kind in (_KEYS, _ADDRESS):
            path = _path(device, kind)
            try:
                if is_there(path):
                    overwrite(path)
                    path.unlink()
                    continue
            except OSError as error:
                raise from_os(error, path) from error
            try:
                self._keyring.remove(_name(device, kind))
            except MissingKeyringError:
                continue

    def close(self) -> None:
        """Ask the keyring nothing more."""
        self._keyring.close()

    def _read(self, device: str, kind: str) -> str:
        path = _path(device, kind)
        try:
            with open_for_reading(path) as file:
                return file.read(_MOST_BYTES).decode("utf-8", "replace")
        except FileNotFoundError:
            pass
        except OSError as error:
            raise from_os(error, path) from error
        try:
            return self._keyring.read(_name(device, kind))
        except MissingKeyringError:
            return ""

    def _write(self, device: str, kind: str, text: str) -> None:
        path = _path(device, kind)
        if not path.exists():
            try:
                self._keyring.write(_name(device, kind), text)
            except MissingKeyringError:
                pass
            else:
                return
        _replace(path, text.encode())


def _replace(path: Path, data: bytes) -> None:
    """Write a file of secrets, and overwrite what was there."""
    try:
        make_folder(path.parent)
        former = open_file(path, os.O_RDWR) if is_there(path) else None
    except OSError as error:
        raise from_os(error, path) from error
    try:
        replace_file(path, data)
        if former is not None:
            overwrite_handle(former)
    except OSError as error:
        raise from_os(error, path) from error
    finally:
        if former is not None:
            os.close(former)


def _name(device: str, kind: str) -> str:
    return f"device {device} {kind}"


def _path(device: str, kind: str) -> Path:
    return Path(platformdirs.user_state_dir(APP_NAME, appauthor=False)) / _FOLDER / f"{device}.{kind}"
