"""Reader of Markdown notes: a file, or a folder such as an Obsidian vault."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from app.core.text import replaced_words, storable
from app.core.text_rules.tag_names import MAX_TAG_LENGTH, MAX_TAGS, normalise_tag, normalise_tags
from app.errors import FormatError, NotFoundError
from app.exchange.formats.format_spec import FormatSpec
from app.exchange.formats.notebooks import org_pages
from app.exchange.formats.notebooks.archive_files import ArchiveFiles, open_files, opener, read_file
from app.exchange.formats.notebooks.logseq import CONFIG, LogseqGraph
from app.exchange.formats.notebooks.obsidian import OWN, VaultFiles
from app.exchange.importing import unread_words
from app.exchange.importing.accounting import read_item
from app.exchange.importing.source_files import SourceEntry, is_zip
from app.exchange.importing.unread_files import SYSTEM_FILE, left_out
from app.exchange.model import Position, Record
from app.exchange.parsing import encoding
from app.exchange.parsing.frontmatter import FrontMatter, split
from app.exchange.parsing.inline_tags import inline_tags
from app.exchange.parsing.page_properties import page_properties
from app.memories.foreign_record import MemoryRecord, Problem
from app.memories.text.markdown_links import GENERIC_NAME, MARKDOWN_SUFFIXES, first_heading
from app.sentence import Sentence, counted_sentence

SUFFIXES = MARKDOWN_SUFFIXES
NOTE_SUFFIXES = SUFFIXES | {org_pages.SUFFIX}
NOT_MARKDOWN = "not Markdown"
DAY_S = 86_400
MAX_BYTES = 64 << 20
POSITION_EVERY = 50
OF_THE_SYSTEM = frozenset({"/dev", "/proc", "/sys"})  # what is in them is made up as it is read, without an end
_SHOWN_HIDDEN = 6  # folders named in the report
_APPLE_DOUBLE = "._"  # macOS keeps a file's extra data under this name on foreign disks
_NEWLINES = {"\r\n": "crlf", "\r": "cr"}


@dataclass(frozen=True, slots=True)
class ParsedNote:
    """A Markdown text taken apart: ``title`` is ``""`` when it gives none itself."""

    front: FrontMatter
    body: str
    tags: tuple[str, ...]
    tags_cut: bool = False


@dataclass(slots=True)
class _Found:
    """Files that a walk or a zip has, and what was left out.

    What else lies in a folder, the plan of its import looks at; what else lies in a zip is looked at here.
    """

    files: list[SourceEntry] = field(default_factory=list)
    others: dict[str, SourceEntry] = field(default_factory=dict)
    hidden: list[str] = field(default_factory=list)
    hidden_files: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    unread: list[SourceEntry] = field(default_factory=list)
    is_zipped: bool = False


def read(path: Path, cancelled: Callable[[], bool]) -> Iterator[Record]:
    """Read notes; each is one memory of kind ``note``.

    Its key is the folder's name and the path in it, so that two vaults may each have a ``README.md``. A zip of a folder
    is read like that folder.

    Args:
        path: A Markdown file, or a folder that is searched to the bottom, hidden folders left out, or its zip.
        cancelled: Asked before every folder and file; reading stops when it says so.

    Raises:
        NotFoundError: There is nothing at ``path``.
        FormatError: The zip is damaged, encrypted, or would swell beyond reason.
    """
    if not path.exists():
        raise NotFoundError(Sentence("There is no file or folder at {path}.", path=path), path=str(path))
    reading = _Found()
    if path.is_dir():
        root = path.resolve()
        yield from _walk(root, reading, cancelled)
        yield from _read_all(reading, root.name, cancelled, has_config=(root / CONFIG).is_file())
    elif is_zip(path):
        with open_files(path, opens_nested=False) as archive:
            root_name = _unpack(archive, path.stem, reading)
            yield from _read_all(reading, root_name, cancelled, has_config=CONFIG in reading.others, own=())
    else:
        file = path.resolve()
        reading.files.append(_entry(file, file.name, file.stat()))
        yield from _read_all(reading, file.parent.name, cancelled)


def _unpack(archive: ArchiveFiles, stem: str, finds: _Found) -> str:
    """Sort the files of a zip, and return its folder's name."""
    tops = {name.partition("/")[0] for name in archive.files}
    is_one = len(tops) == 1 and all("/" in name for name in archive.files)
    root_name = tops.pop() if is_one else stem
    finds.problems += archive.problems
    finds.is_zipped = True
    hidden: set[str] = set()
    for name, entry in sorted(archive.files.items()):
        place = name.removeprefix(f"{root_name}/") if is_one else name
        parts = PurePosixPath(place).parts
        hidden_at = next((at for at, part in enumerate(parts[:-1], 1) if part.startswith(".")), 0)
        if hidden_at:
            hidden.add("/".join(parts[:hidden_at]))
            finds.unread.append(replace(entry, name=place))
        elif PurePosixPath(place).suffix.lower() in NOTE_SUFFIXES and not parts[-1].startswith(_APPLE_DOUBLE):
            finds.files.append(replace(entry, name=place))
        elif parts[-1].startswith("."):
            finds.hidden_files.append(place)
            finds.unread.append(replace(entry, name=place))
        else:
            finds.others[place] = replace(entry, name=place)
    finds.hidden += sorted(hidden)
    return root_name


def _read_all(
    finds: _Found,
    root_name: str,
    cancelled: Callable[[], bool],
    *,
    has_config: bool = False,
    own: Sequence[str] = OWN,
) -> Iterator[Record]:
    """Read the files that were found, and say what was left out."""
    root_name = _shown(PurePosixPath(root_name))
    yield from finds.problems
    if finds.hidden:
        count = len(finds.hidden)
        names = ", ".join(sorted(finds.hidden)[:_SHOWN_HIDDEN])
        sentence = counted_sentence(
            count,
            "1 hidden folder was left out ({names}).",
            "{count} hidden folders were left out ({names}).",
            names=names,
        )
        yield Problem(root_name, sentence, lost=False, foreign=True)
    if finds.hidden_files:
        yield left_out(root_name, finds.hidden_files, (Sentence("hidden file"), Sentence("hidden files")), lost=False)
    total, done = sum(file.size for file in finds.files), 0
    other_files, graph = VaultFiles(finds.others, own), LogseqGraph(finds.files) if has_config else None
    for number, file in enumerate(finds.files):
        if cancelled():
            return
        place = _shown(PurePosixPath(file.name))
        if number % POSITION_EVERY == 0:
            yield Position(done, total, place)
        read_item(place, None, "note")
        for record in _note(file, place, f"{root_name}/{place}"):
            if isinstance(record, MemoryRecord):
                yield from _completed(record, place, other_files, graph)
            else:
                yield record
        done += file.size
    yield from other_files.canvases(root_name)
    if others := other_files.others():
        endings = Counter(PurePosixPath(entry.name).suffix.lower() or "without an ending" for entry in others)
        kinds = ", ".join(f"{count} {suffix}" for suffix, count in endings.most_common(6))
        count = len(others)
        sentence = counted_sentence(
            count,
            "1 file that is not Markdown was left out ({kinds}).",
            "{count} files that are not Markdown were left out ({kinds}).",
            kinds=kinds,
        )
        yield Problem(root_name, sentence, lost=False, foreign=True)
    if finds.is_zipped:
        yield from unread_words.within([*finds.unread, *others])
    yield Position(done, total)


def _completed(
    record: MemoryRecord, place: str, other_files: VaultFiles, graph: LogseqGraph | None
) -> Iterator[Record]:
    """Yield the files that a note shows, then the note with links to them."""
    for part in other_files.with_attachments(record.content, place):
        if isinstance(part, str):
            record = record if part == record.content else replace(record, content=part)
        else:
            yield part
    yield record if graph is None else graph.enriched(record, place)


def read_one(root: Path, file: Path, others: VaultFiles) -> Iterator[Record]:
    """Read one note of a folder, with the key that ``read`` gives it.

    Args:
        root: The folder, resolved.
        file: The note in it.
        others: The files of the folder that are no notes.
    """
    place = _shown(file.relative_to(root))
    for record in _note(_entry(file, place, file.lstat()), place, key_of(root, place)):
        if isinstance(record, MemoryRecord):
            yield from _completed(record, place, others, None)
        else:
            yield record


def other_files(root: Path, files: Iterable[tuple[Path, os.stat_result]]) -> VaultFiles:
    """Return the files of a folder that are no notes, for ``read_one``."""
    places = ((path.relative_to(root).as_posix(), path, status) for path, status in files)
    return VaultFiles({place: _entry(path, place, status) for place, path, status in places})


def key_of(root: Path, place: str) -> str:
    """Return the key of the note at a place in a folder."""
    return f"{_shown(PurePosixPath(root.name))}/{place}"


def parse(source: str) -> ParsedNote:
    """Take a Markdown text apart.

    Raises:
        FormatError: It has front matter that cannot be read.
    """
    front, body = split(source)
    return _parsed(front if front.raw else FrontMatter(fields=page_properties(body)), body)


def title_of(parsed: ParsedNote, stem: str) -> str:
    """Return the title of a note: that of its front matter, else its file's name.

    Where the name says nothing, such as ``README``, it is the first ``# heading`` if there is one.
    """
    if parsed.front.title:
        return parsed.front.title
    return (first_heading(parsed.body) if GENERIC_NAME.fullmatch(stem) else "") or stem


def _parsed(front: FrontMatter, body: str) -> ParsedNote:
    names = [tag for tag in (*front.tags, *inline_tags(body)) if normalise_tag(tag)]
    tags = normalise_tags(names)
    cut = any(len(tag) > MAX_TAG_LENGTH + 1 for tag in names)
    return ParsedNote(front, body, tags, cut or len({normalise_tag(tag) for tag in names}) > MAX_TAGS)


def _walk(root: Path, finds: _Found, cancelled: Callable[[], bool]) -> Iterator[Position]:
    """Look for notes in all folders below ``root``, saying how many there are so far."""
    folders = [root]
    while folders and not cancelled():
        folder = folders.pop()
        yield Position(0, None, f"looking for notes, {len(finds.files):,} so far")
        try:
            children = sorted(folder.iterdir(), reverse=True)
        except OSError as error:
            finds.problems.append(_unreadable(folder.relative_to(root), error))
            continue
        for child in children:
            _meet(child, root, finds, folders)
    finds.files.sort(key=lambda file: PurePosixPath(file.name))


def _meet(child: Path, root: Path, finds: _Found, folders: list[Path]) -> None:
    try:
        if child.is_symlink():
            _meet_link(child, root, finds)
        elif child.is_dir():
            if str(child) in OF_THE_SYSTEM:
                finds.problems.append(
                    Problem(_shown(child.relative_to(root)), Sentence("It belongs to the system and was left out."))
                )
            elif child.name.startswith("."):
                finds.hidden.append(_shown(child.relative_to(root)))
            else:
                folders.append(child)
        elif SYSTEM_FILE.fullmatch(child.name):
            return
        elif not child.is_file():
            sentence = Sentence("It is a pipe, a socket or a device and was left out.")
            finds.problems.append(Problem(_shown(child.relative_to(root)), sentence, lost=False, foreign=True))
        elif child.suffix.lower() in NOTE_SUFFIXES:
            finds.files.append(_entry(child, child.relative_to(root).as_posix(), child.stat()))
        elif child.name.startswith("."):
            finds.hidden_files.append(_shown(child.relative_to(root)))
        else:
            place = child.relative_to(root).as_posix()
            finds.others[place] = _entry(child, place, child.stat())
    except OSError as error:
        finds.problems.append(_unreadable(child.relative_to(root), error))


def _meet_link(child: Path, root: Path, finds: _Found) -> None:
    """Report a link that is not followed.

    Notes inside the folder are read at their own place, and those outside are not read.
    """
    place = _shown(child.relative_to(root))
    try:
        target = child.resolve(strict=True)
    except (OSError, RuntimeError):
        finds.problems.append(
            Problem(place, Sentence("It is a link that leads nowhere or in a circle and was left out."))
        )
        return
    if not target.is_relative_to(root):
        finds.problems.append(
            Problem(place, Sentence("It is a link that leads out of the folder and was not followed."))
        )
    elif child.absolute().is_relative_to(target):
        sentence = Sentence(
            "It is a link to a folder that it lies in and was not followed; the notes there are read once."
        )
        finds.problems.append(Problem(place, sentence, lost=False, foreign=True))


def _entry(file: Path, place: str, status: os.stat_result) -> SourceEntry:
    return SourceEntry(place, status.st_size, opener(file), _times(status))


def _note(file: SourceEntry, place: str, key: str) -> Iterator[Record]:
    data = read_file(file, MAX_BYTES)
    if isinstance(data, str):
        yield Problem(place, data)
        return
    decoded = encoding.decode(data)
    if decoded is None:
        yield Problem(place, Sentence("It is not text, in spite of its name, and was left out."))
        return
    source, replaced = storable(decoded.text)
    if replaced:
        yield Problem(place, replaced_words(replaced), lost=False)
    if decoded.repair:
        yield Problem(place, decoded.repair, lost=False)
    source, newline = _one_newline(source)
    path, markup = place, None
    if place.lower().endswith(org_pages.SUFFIX):
        source = org_pages.as_markdown(source)
        path, markup = f"{place[: -len(org_pages.SUFFIX)]}.md", "org"
    marks = {"path": path, "markup": markup, "newline": newline, "bom": decoded.bom or None}
    marks["encoding"] = decoded.encoding if decoded.encoding != "utf-8" else None
    yield from _records(source, place, key, {name: mark for name, mark in marks.items() if mark}, file.times)


def _records(
    source: str, place: str, key: str, attributes: dict[str, Any], times: tuple[int | None, int | None]
) -> Iterator[Record]:
    try:
        parsed = parse(source)
    except FormatError as error:
        yield Problem(place, error.sentence, lost=False)
        parsed = _parsed(FrontMatter(), source)
    if parsed.tags_cut:
        what = Sentence(
            "It has more than {most} tags or very long ones; as tags the first {most} were kept, shortened.",
            most=MAX_TAGS,
        )
        yield Problem(place, what, lost=False)
    stem = PurePosixPath(place).stem
    front = parsed.front
    title = title_of(parsed, stem)
    # Links of other notes go on to name the file.
    aliases = front.aliases if front.title or title == stem else [*front.aliases, stem]
    extra = {"front_matter": front.raw, "aliases": aliases, "stem": stem if front.title or title != stem else ""}
    yield MemoryRecord(
        key=key,
        content=parsed.body,
        title=title,
        tags=parsed.tags,
        created_ms=times[0] if front.created_ms is None else front.created_ms,
        updated_ms=times[1] if front.updated_ms is None else front.updated_ms,
        attributes=attributes | {name: value for name, value in extra.items() if value},
    )


def _one_newline(source: str) -> tuple[str, str]:
    """Return the text with plain line feeds, and its former line end.

    Text with several kinds of line ends stays as it is.
    """
    if "\r" not in source:
        return source, ""
    pairs = source.count("\r\n")
    ends = {"\r\n": pairs, "\r": source.count("\r") - pairs, "\n": source.count("\n") - pairs}
    used = [end for end, count in ends.items() if count]
    if len(used) > 1:
        return source, ""
    return source.replace(used[0], "\n"), _NEWLINES[used[0]]


def _times(status: Any) -> tuple[int | None, int | None]:
    """Return when a file was created and changed, milliseconds UTC.

    An archive without times unpacks as 1970, which counts as none.
    """
    if status.st_mtime < DAY_S:
        return None, None
    changed = int(status.st_mtime * 1000)
    born = int(getattr(status, "st_birthtime", status.st_mtime) * 1000)
    return min(max(born, 0), changed), changed


def _shown(place: PurePosixPath | Path) -> str:
    """Return a path as text, with bytes that are not UTF-8 as escapes.

    So two such names stay two.
    """
    return place.as_posix().encode("utf-8", "backslashreplace").decode()


def _unreadable(place: PurePosixPath | Path, error: OSError) -> Problem:
    return Problem(_shown(place), Sentence("It could not be read: {strerror}.", strerror=error.strerror or error))


SPEC = FormatSpec(
    name="markdown",
    title="Markdown notes",
    read=read,
    kind="notes",
    help="Obsidian, Logseq and others (a file, a folder or its zip)",
    suffixes=NOTE_SUFFIXES,
    keys="folder",
    has_attachments=True,
    names_others=True,
)
