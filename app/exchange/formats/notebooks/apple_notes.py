"""Reader of Apple's own copy of Apple Notes, from privacy.apple.com.

The copy holds a folder for each note, with its text and pictures: ``Notes/Trip/Trip.txt``. What other programs export
is Markdown or HTML.
"""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import quote

from app.core.text import storable
from app.core.text_rules.tag_names import normalise_tags
from app.exchange.formats.format_spec import FormatSpec
from app.exchange.formats.notebooks.archive_files import open_files, read_file
from app.exchange.formats.notebooks.attached_entries import AttachedEntries
from app.exchange.importing.source_files import SourceEntry
from app.exchange.model import Position, Record
from app.exchange.parsing import encoding
from app.memories.foreign_record import MemoryRecord, Problem
from app.sentence import Sentence, counted_sentence

NAME: Final = "apple-notes"
MAX_BYTES: Final = 32 << 20
_NOTE: Final = re.compile(r"(?:.*/)?(?P<folder>[^/]+)/(?P<name>[^/]+)\.txt", re.IGNORECASE | re.DOTALL)
_ROOTS: Final = re.compile(r"(?:iCloud )?Notes(?: \d+ of \d+)?", re.IGNORECASE)
_STAMP: Final = re.compile(r"[-_ ](\d{4}-\d\d-\d\dT\d\d[:_-]\d\d[:_-]\d\dZ)$")


def is_export(names: Iterable[str], root: str) -> bool:
    """Return whether files with these names are Apple's copy of notes.

    Each text lies in a folder of its own name, below a folder that is called ``Notes``.
    """
    texts = [name for name in names if name.lower().endswith(".txt")]
    own = [name for name in texts if _is_note(name)]
    below = [name for name in own if any(_ROOTS.fullmatch(part) for part in (root, *PurePosixPath(name).parts[:-2]))]
    return bool(own) and len(below) * 2 > len(texts)


def _is_note(name: str) -> bool:
    match = _NOTE.fullmatch(name)
    return match is not None and _STAMP.sub("", match["folder"]).strip() == _STAMP.sub("", match["name"]).strip()


def read(path: Path, cancelled: Callable[[], bool]) -> Iterator[Record]:
    """Read the notes of the copy; what lies beside a note is attached to it.

    Args:
        path: The zip or the unpacked folder.
        cancelled: Asked before every note; reading stops when it says so.

    Raises:
        FormatError: The zip is damaged, encrypted, or would swell beyond reason.
    """
    with open_files(path) as exported:
        yield from exported.problems
        notes = {name: entry for name, entry in sorted(exported.files.items()) if _is_note(name)}
        in_folder: dict[str, list[str]] = {}
        for name in sorted(exported.files.keys() - notes.keys()):
            in_folder.setdefault(posixpath.dirname(name), []).append(name)
        attached = AttachedEntries(exported.files)
        total, done = sum(entry.size for entry in notes.values()), 0
        for name, entry in notes.items():
            if cancelled():
                return
            yield from _records(name, entry, in_folder.get(posixpath.dirname(name), []), attached)
            done += entry.size
            yield Position(done, total, name)
        rest = len(exported.files) - len(notes) - len(attached.used)
        if rest:
            what = counted_sentence(
                rest,
                "1 file that belongs to no note was left out.",
                "{count} files that belong to no note were left out.",
            )
            yield Problem(path.name, what, lost=False, foreign=True)


def _records(name: str, entry: SourceEntry, in_folder: list[str], attached: AttachedEntries) -> Iterator[Record]:
    data = read_file(entry, MAX_BYTES)
    decoded = None if isinstance(data, str) else encoding.decode(data)
    if decoded is None:
        yield Problem(
            name, data if isinstance(data, str) else Sentence("It is not text, in spite of its name; it was left out.")
        )
        return
    if decoded.repair:
        yield Problem(name, decoded.repair, lost=False)
    links: list[str] = []
    for other in in_folder:
        yield from attached.take(quote(other), "", name)
        links.append(attached.link(quote(other), "", posixpath.basename(other)))
    text = storable(decoded.text.replace("\r\n", "\n"))[0].strip()
    text = "\n\n".join(filter(None, (text, *links)))
    path = PurePosixPath(name)
    title = " ".join(_STAMP.sub("", path.stem).split())
    folders = [part for part in path.parts[:-2] if not _ROOTS.fullmatch(part)]
    if not text:
        yield Problem(name, Sentence("It has no text and was left out."))
        return
    yield MemoryRecord(
        str(PurePosixPath(*(part for part in path.parts[:-1] if not _ROOTS.fullmatch(part)))),
        text,
        title=title,
        tags=normalise_tags(["/".join(folders)] if folders else []),
        created_ms=_stamp_ms(path.stem) or _stamp_ms(path.parts[-2]),
        attributes={"notebook": "/".join(folders)} if folders else {},
    )


def _stamp_ms(name: str) -> int | None:
    match = _STAMP.search(name)
    if match is None:
        return None
    digits = re.sub(r"\D", "", match[1])
    try:
        return int(datetime.strptime(digits, "%Y%m%d%H%M%S").replace(tzinfo=UTC).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None


SPEC = FormatSpec(
    name=NAME, title="Apple Notes", read=read, kind="notebook", help="Apple Notes", keys="file", names_others=True
)
