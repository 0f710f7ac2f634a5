"""Files of a note program's export, in a folder or a zip.

Nothing is unpacked to where the archive says, so a name such as ``../../x`` leads nowhere. A zip within a zip is copied
to a temporary file without a name, because a compressed one cannot be read from its end.
"""

import re
import stat
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path, PurePosixPath
from typing import IO, Final

from app.errors import NotFoundError
from app.exchange.formats.chats.chat_records import names as names_in_folder
from app.exchange.importing.accounting import open_file
from app.exchange.importing.source_files import DAMAGE, SourceEntry, is_zip, members, open_zip, opened
from app.exchange.importing.unread_files import SYSTEM_FILE
from app.memories.foreign_record import Problem
from app.sentence import Sentence

MAX_FILES: Final = 200_000
MAX_NESTED_BYTES: Final = 8 << 30
_PART: Final = 1 << 20
_EPOCH_YEAR: Final = 1980  # what archives say that know no times
_ANY: Final = re.compile(r".*", re.DOTALL)


@dataclass(slots=True)
class ArchiveFiles:
    """Files by their path in the export, and what is wrong with some of them.

    Of those in zips, ``contents`` holds name, checksum and size.
    """

    files: dict[str, SourceEntry] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    contents: set[tuple[str, int, int]] = field(default_factory=set)

    def add(self, name: str, info: zipfile.ZipInfo, archive: zipfile.ZipFile) -> None:
        """Add a file of a zip, under a free name where another has its own."""
        content = (name, info.CRC, info.file_size)
        if content in self.contents:
            return
        self.contents.add(content)
        free = name if name not in self.files else self._free(PurePosixPath(name))
        self.files[free] = SourceEntry(free, info.file_size, partial(opened, archive, info), _times(info))

    def _free(self, path: PurePosixPath) -> str:
        names = (str(path.with_name(f"{path.stem} ({number}){path.suffix}")) for number in count(2))
        return next(name for name in names if name not in self.files)


@contextmanager
def open_files(path: Path, *, opens_nested: bool = True) -> Iterator[ArchiveFiles]:
    """Yield the files of the export at ``path``.

    Args:
        path: A folder, a zip or a file.
        opens_nested: Whether the files of a zip within a zip are among them, and not that zip itself.

    Raises:
        NotFoundError: There is nothing at ``path``.
        FormatError: The zip is damaged, encrypted, or would swell beyond reason.
    """
    if not path.exists():
        raise NotFoundError(Sentence("There is no file or folder at {path}.", path=path), path=str(path))
    files = ArchiveFiles()
    with ExitStack() as stack:
        if path.is_dir():
            files.files = {name: _file(path, name) for name in names_in_folder(path) if not SYSTEM_FILE.fullmatch(name)}
        elif is_zip(path):
            archive = stack.enter_context(open_zip(path))
            _add(archive, path.name, files, stack, is_nested=not opens_nested)
        else:
            files.files[path.name] = _file(path.parent, path.name)
        yield files


def _add(archive: zipfile.ZipFile, title: str, files: ArchiveFiles, stack: ExitStack, *, is_nested: bool) -> None:
    for info in members(archive, _ANY, title):
        name = _plain(info.filename)
        if not name or SYSTEM_FILE.fullmatch(name):
            if not name:
                files.problems.append(
                    Problem(info.filename[:200], Sentence("Its path leads out of the archive; it was left out."))
                )
        elif stat.S_ISLNK(info.external_attr >> 16):
            files.problems.append(Problem(name, Sentence("It is a link, which is not followed; it was left out.")))
        elif len(files.files) >= MAX_FILES:
            files.problems.append(
                Problem(name, Sentence("The archive has more than {most} files; it was left out.", most=MAX_FILES))
            )
        elif name.lower().endswith(".zip") and not is_nested:
            _add_nested(archive, info, files, stack)
        else:
            files.add(name, info, archive)


def _add_nested(archive: zipfile.ZipFile, info: zipfile.ZipInfo, files: ArchiveFiles, stack: ExitStack) -> None:
    if info.file_size > MAX_NESTED_BYTES:
        files.problems.append(
            Problem(info.filename, Sentence("It is larger than an archive within an archive may be."))
        )
        return
    copy = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - the stack closes it
    try:
        with archive.open(info) as stream:
            _copy(stream, copy, info.file_size)
        nested = stack.enter_context(zipfile.ZipFile(copy))
    except (*DAMAGE, ValueError, NotImplementedError, RuntimeError):
        files.problems.append(
            Problem(info.filename, Sentence("It is not a complete zip file, so its notes were left out."))
        )
        return
    _add(nested, info.filename, files, stack, is_nested=True)


def _copy(stream: IO[bytes], copy: IO[bytes], size: int) -> None:
    remaining = size
    while remaining > 0 and (data := stream.read(min(_PART, remaining))):
        copy.write(data)
        remaining -= len(data)


def _times(info: zipfile.ZipInfo) -> tuple[int | None, int | None]:
    """Return when a member was created and changed.

    A zip says the latter alone, in the time of this place.
    """
    try:
        moment = int(time.mktime((*info.date_time, 0, 0, -1)) * 1000)
    except (ValueError, OverflowError):
        return None, None
    return (moment, moment) if info.date_time[0] > _EPOCH_YEAR else (None, None)


def _plain(name: str) -> str:
    """Return a member's name as a relative path, ``""`` when it leads out."""
    path = PurePosixPath(name.replace("\\", "/"))
    return "" if path.is_absolute() or ".." in path.parts else str(path)


def _file(folder: Path, name: str) -> SourceEntry:
    path = Path(folder, name)

    def opened_here() -> AbstractContextManager[IO[bytes]]:
        open_file(name)
        return path.open("rb")

    return SourceEntry(name, path.stat().st_size, opened_here)


def opener(path: Path) -> Callable[[], AbstractContextManager[IO[bytes]]]:
    """Return what opens a file for reading."""
    return lambda: path.open("rb")


def read_file(entry: SourceEntry, limit: int) -> bytes | str:
    """Return a file's bytes, or what is wrong with it in a sentence.

    Args:
        entry: The file.
        limit: How many bytes it may have; what it says of itself is not believed.
    """
    if entry.size > limit:
        return Sentence("It is larger than {most} MB and was left out.", most=limit >> 20)
    try:
        with entry.open() as stream:
            data = stream.read(limit + 1)
    except (*DAMAGE, OSError, NotImplementedError, RuntimeError):
        return Sentence("It is damaged or cannot be read, and was left out.")
    return Sentence("It is larger than {most} MB and was left out.", most=limit >> 20) if len(data) > limit else data
