"""Configuration files of other programs, replaced as a whole after a backup."""

import contextlib
import os
import secrets
import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from app.errors import FormatError, MachineError
from app.sentence import Sentence

MAX_BYTES: Final = 32 << 20
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")


def read_config(path: Path) -> str | None:
    """Return the text of a configuration with its line ends, ``None`` without one.

    Where the path is a link, as programs that keep settings in a repository make it, its target is meant.

    Raises:
        MachineError: It is no file, or cannot be read or written.
        FormatError: It is too large or not UTF-8.
    """
    path = _target(path)
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise MachineError(
            Sentence("{path} could not be read: {reason}.", path=path, reason=error.strerror), path=str(path)
        ) from error
    if not stat.S_ISREG(status.st_mode):
        raise MachineError(Sentence("{path} is not a file. Nothing was changed.", path=path), path=str(path))
    if status.st_size > MAX_BYTES:
        raise FormatError(
            Sentence(
                "{path} has {size} bytes, which no configuration has. Nothing was changed.",
                path=path,
                size=status.st_size,
            )
        )
    if not status.st_mode & stat.S_IWUSR or not os.access(path, os.W_OK):
        raise MachineError(
            Sentence("{path} is read-only. Make it writable, or add the entry yourself.", path=path), path=str(path)
        )
    try:
        data = path.read_bytes()
    except OSError as error:
        raise MachineError(
            Sentence("{path} could not be read: {reason}.", path=path, reason=error.strerror), path=str(path)
        ) from error
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        encoding = "UTF-16" if data[:2] in _MARKS else Sentence("another encoding")
        raise FormatError(
            Sentence(
                "{path} is not UTF-8 but {encoding}. Nothing was changed. Add the entry yourself.",
                path=path,
                encoding=encoding,
            ),
            path=str(path),
        ) from error
    if "\x00" in text:
        raise FormatError(
            Sentence("{path} is not text. Nothing was changed. Add the entry yourself.", path=path), path=str(path)
        )
    return text


def write_config(path: Path, before: str | None, after: str | None) -> str:
    """Replace a configuration and return the path of its backup, ``""`` for none.

    Args:
        path: The file.
        before: Its text as it was read; if it is another by now, nothing is changed.
        after: Its new text, ``None`` to remove it.

    Raises:
        MachineError: It was changed meanwhile, or cannot be written.
        FormatError: See ``read_config``.
    """
    if read_config(path) != before:
        raise MachineError(
            Sentence("{path} was changed by another program meanwhile. Try again.", path=path), path=str(path)
        )
    target = _target(path)
    try:
        backup = "" if before is None or after is None else _copy(path, before)
        if after is None:
            target.unlink()
        else:
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _replace(target, after, 0o600 if before is None else stat.S_IMODE(target.stat().st_mode) & ~_OTHERS)
    except OSError as error:
        raise MachineError(
            Sentence("{path} could not be written: {reason}.", path=path, reason=error.strerror), path=str(path)
        ) from error
    return backup


def _target(path: Path) -> Path:
    try:
        return path.resolve() if path.is_symlink() else path
    except (OSError, RuntimeError) as error:
        raise MachineError(
            Sentence("{path} is a link that leads nowhere. Nothing was changed.", path=path), path=str(path)
        ) from error


def _copy(path: Path, text: str) -> str:
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    for number in range(1000):
        name = f"{path.name}.{moment}{f'-{number}' if number else ''}.keepsake-backup"
        backup = path.with_name(name)
        with contextlib.suppress(FileExistsError):
            handle = os.open(backup, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(text.encode())
            return str(backup)
    raise MachineError(Sentence("There are too many backups beside {path}. Remove some.", path=path), path=str(path))


def _replace(path: Path, text: str, mode: int) -> None:
    partial = path.with_name(f"{path.name}.{secrets.token_hex(6)}.partial")
    try:
        handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        partial.chmod(mode)
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
