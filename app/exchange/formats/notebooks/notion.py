"""Reader of Notion's export as Markdown or HTML, a zip or a folder.

Files are called ``Title 32hex.md`` or ``.html`` and ``Database 32hex.csv``; pages lead to each other by these names.
"""

import csv
import html
import io
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import unquote

from app.core.text import storable
from app.core.text_rules.tag_names import normalise_tags
from app.exchange.formats.format_spec import FormatSpec
from app.exchange.formats.notebooks.archive_files import ArchiveFiles, open_files, read_file
from app.exchange.formats.notebooks.attached_entries import AttachedEntries
from app.exchange.formats.notebooks.note_references import NoteNames
from app.exchange.importing.accounting import read_item
from app.exchange.importing.source_files import SourceEntry
from app.exchange.model import Position, Record
from app.exchange.parsing import encoding
from app.exchange.parsing.html_text import markdown_of
from app.memories.foreign_record import MemoryRecord, Problem
from app.sentence import Sentence, counted_sentence

NAME: Final = "notion"
PAGE: Final = re.compile(r"(?:.*/)?[^/]*?\s?[0-9a-f]{32}(?:_all)?\.(?:md|csv|html)", re.DOTALL)
PART: Final = re.compile(r"(?:.*/)?(?:Export[^/]*-)?Part-\d+\.zip", re.IGNORECASE)
MAX_BYTES: Final = 32 << 20
_HTML: Final = ".html"
_INDEX: Final = "index.html"
_SUFFIXES: Final = (".md", ".csv", _HTML)
_FRAMED: Final = re.compile(r"<a\b[^>]*>\s*(<img\b[^>]*>)\s*</a>", re.IGNORECASE)  # a picture leads to itself
_ROW: Final = re.compile(
    r"<tr\b[^>]*property-row[^>]*>\s*<th\b[^>]*>(.*?)</th>\s*<td\b[^>]*>(.*?)</td>", re.IGNORECASE | re.DOTALL
)
_VALUE_END: Final = re.compile(r"</span>\s*(?=<span\b)", re.IGNORECASE)
_TAG: Final = re.compile(r"<[^>]*>")
_NAMED: Final = re.compile(r"(?P<title>.*?)\s?(?P<key>[0-9a-f]{32})(?P<all>_all)?", re.DOTALL)
_LINK: Final = re.compile(
    r"(!?)\[((?:[^\[\]\n]|\[[^\[\]\n]*\])*)\]\((?!https?:|mailto:|#)((?:[^()\s]|\([^()\s]*\))+)\)"
)
_NOTION_URL: Final = re.compile(
    r"\[([^\[\]\n]*)\]\(https://(?:www\.)?notion\.so/(?:[^()\s/]+/)*[^()\s/?]*?([0-9a-f]{32})(?:\?[^()\s]*)?\)"
)
_PROPERTY: Final = re.compile(r"([^\n:]{1,80}): ([^\n]+)")
_TAGS: Final = frozenset({"tags", "tag"})
_CREATED: Final = frozenset({"created", "created time", "date created", "created at"})
_UPDATED: Final = frozenset({"last edited time", "last edited", "updated", "updated at"})
_MOMENTS: Final = ("%B %d, %Y %I:%M %p", "%B %d, %Y", "%Y/%m/%d %H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d", "%d/%m/%Y %H:%M")


@dataclass(frozen=True, slots=True)
class _Page:
    """One page or database: its id, title and file."""

    key: str
    title: str
    entry: SourceEntry

    @property
    def is_table(self) -> bool:
        return self.entry.name.lower().endswith(".csv")


@dataclass(slots=True)
class _Pages:
    """Pages of an export by id; ``same`` counts views that were left out."""

    by_key: dict[str, _Page] = field(default_factory=dict)
    same: int = 0


def is_export(names: Iterable[str]) -> bool:
    """Return whether files with these names are an export of Notion.

    All Markdown files have an id in their name, or the files are parts of an export.
    """
    listed = list(names)
    notes = [name for name in listed if name.lower().endswith((".md", ".csv"))]
    notes = notes or [name for name in listed if name.lower().endswith(_HTML) and posixpath.basename(name) != _INDEX]
    if notes:
        return sum(PAGE.fullmatch(name) is not None for name in notes) * 2 > len(notes)
    return any(PART.fullmatch(name) for name in listed)


def read(path: Path, cancelled: Callable[[], bool]) -> Iterator[Record]:
    """Read the pages of an export; databases become tables, and files on pages attachments.

    Args:
        path: The zip or folder.
        cancelled: Asked before every page; reading stops when it says so.

    Raises:
        FormatError: The zip is damaged, encrypted, or would swell beyond reason.
    """
    with open_files(path) as exported:
        yield from exported.problems
        pages = _pages(exported)
        if pages.same:
            sentence = counted_sentence(
                pages.same,
                "1 view of a database was left out; the whole tables hold their rows.",
                "{count} views of databases were left out; the whole tables hold their rows.",
            )
            yield Problem(path.name, sentence, lost=False, foreign=True)
        attached = AttachedEntries(exported.files)
        names = NoteNames({page.key: page.title for page in pages.by_key.values()})
        total, done = sum(page.entry.size for page in pages.by_key.values()), 0
        for page in pages.by_key.values():
            if cancelled():
                return
            yield from _records(page, pages, names, attached)
            done += page.entry.size
            yield Position(done, total, page.entry.name)
        others = exported.files.keys() - {page.entry.name for page in pages.by_key.values()} - attached.used
        rest = [name for name in others if not PAGE.fullmatch(name) and posixpath.basename(name) != _INDEX]
        if rest:
            what = counted_sentence(
                len(rest), "1 file that no page shows was left out.", "{count} files that no page shows were left out."
            )
            yield Problem(path.name, what, lost=False, foreign=True)


def _pages(files: ArchiveFiles) -> _Pages:
    pages = _Pages()
    for name, entry in sorted(files.files.items()):
        path = PurePosixPath(name)
        suffix = path.suffix.lower()
        if suffix not in _SUFFIXES or (suffix == _HTML and not PAGE.fullmatch(name)):
            continue
        named = _NAMED.fullmatch(path.stem)
        key, title = (named["key"], named["title"]) if named else (name, path.stem)
        before = pages.by_key.get(key)
        if before is not None and suffix == ".csv" and before.is_table:
            # Of a database there is its first view, and ``…_all.csv`` with every row.
            pages.same += 1
            if not (named and named["all"]):
                continue
        elif before is not None:
            key = name
        pages.by_key[key] = _Page(key, storable(title.strip())[0] or "Untitled", entry)
    return pages


def _records(page: _Page, pages: _Pages, names: NoteNames, attached: AttachedEntries) -> Iterator[Record]:
    data = read_file(page.entry, MAX_BYTES)
    decoded = None if isinstance(data, str) else encoding.decode(data)
    if decoded is None:
        what = data if isinstance(data, str) else Sentence("It is not text, in spite of its name, and was left out.")
        yield Problem(page.entry.name, what)
        return
    if decoded.repair:
        yield Problem(page.entry.name, decoded.repair, lost=False)
    text = storable(decoded.text.replace("\r\n", "\n"))[0]
    read_item(page.entry.name, text, "page")
    if page.entry.name.lower().endswith(_HTML):
        properties = _html_properties(text)
        text = markdown_of(_FRAMED.sub(r"\1", text))[0]
    elif page.is_table:
        text = _table(text, pages, names)
        properties = {}
    else:
        properties = _properties(text)
    folder = posixpath.dirname(page.entry.name)
    for match in _LINK.finditer(text):
        if not _page_at(match[3], folder, pages):
            yield from attached.take(match[3], folder, page.entry.name)
    text = _LINK.sub(lambda match: _linked(match, folder, pages, names, attached), text)
    text = _NOTION_URL.sub(lambda match: names.link(match[2], match[1]) if match[2] in pages.by_key else match[0], text)
    yield _note(page, text, properties, names)


def _note(page: _Page, text: str, properties: dict[str, str], names: NoteNames) -> MemoryRecord:
    named = {name.casefold(): value for name, value in properties.items()}
    tags = [tag for name in _TAGS for tag in named.get(name, "").split(",")]
    above = [_NAMED.fullmatch(part) for part in PurePosixPath(page.entry.name).parts[:-1]]
    parents = " / ".join(part["title"] for part in above if part is not None)
    attributes = {"notebook": parents, "aliases": names.aliases(page.key)}
    return MemoryRecord(
        page.key,
        text.strip() or page.title,
        title=page.title,
        tags=normalise_tags(tags),
        created_ms=_moment(named, _CREATED),
        updated_ms=_moment(named, _UPDATED),
        attributes={name: value for name, value in attributes.items() if value},
    )


def _page_at(written: str, folder: str, pages: _Pages) -> str:
    """Return the id of the page that a link leads to, ``""`` for none."""
    target = posixpath.normpath(posixpath.join(folder, unquote(written.partition("#")[0])))
    named = _NAMED.fullmatch(PurePosixPath(target).stem)
    key = named["key"] if named else target
    page = pages.by_key.get(key)
    is_page = page is not None and PurePosixPath(target).suffix.lower() in _SUFFIXES
    return key if is_page else ""


def _linked(match: re.Match[str], folder: str, pages: _Pages, names: NoteNames, attached: AttachedEntries) -> str:
    if key := _page_at(match[3], folder, pages):
        return names.link(key, match[2])
    return attached.link(match[3], folder, match[2], embeds=bool(match[1])) or match[0]


def _properties(text: str) -> dict[str, str]:
    """Return the properties of a row of a database; they stand below the title."""
    head, _, rest = text.partition("\n")
    if not head.startswith("# "):
        return {}
    block = rest.lstrip("\n").partition("\n\n")[0].split("\n")
    matches = [_PROPERTY.fullmatch(line.strip()) for line in block]
    return {match[1].strip(): match[2].strip() for match in matches if match} if all(matches) else {}


def _html_properties(text: str) -> dict[str, str]:
    """Return the properties of a row of a database, above an HTML page."""
    rows = ((_plain(name), _plain(_VALUE_END.sub("</span>,", value))) for name, value in _ROW.findall(text))
    return {name: value.removeprefix("@") for name, value in rows if name and value}


def _plain(markup: str) -> str:
    return " ".join(html.unescape(_TAG.sub("", markup)).split())


def _table(text: str, pages: _Pages, names: NoteNames) -> str:
    """Return a database as a table; the names of rows lead to their pages."""
    titles: dict[str, str] = {}
    for page in pages.by_key.values():
        if not page.is_table:
            titles[page.title] = "" if page.title in titles else page.key
    lines: list[str] = []
    csv.field_size_limit(MAX_BYTES)
    for number, row in enumerate(csv.reader(io.StringIO(text))):
        cells = [" ".join(cell.split()).replace("|", "\\|") for cell in row]
        if number and cells and (key := titles.get(" ".join(row[0].split()), "")):
            cells[0] = names.link(key, "").replace("|", "\\|")
        lines.append(f"| {' | '.join(cells)} |")
        if not number:
            lines.append(f"|{' --- |' * len(cells)}")
    return "\n".join(lines)


def _moment(properties: dict[str, str], names: frozenset[str]) -> int | None:
    """Return a time among the properties, read as UTC."""
    written = next((value for name, value in properties.items() if name in names), "")
    for form in _MOMENTS:
        try:
            return int(datetime.strptime(written, form).replace(tzinfo=UTC).timestamp() * 1000)
        except (ValueError, OverflowError):
            continue
    return None


SPEC = FormatSpec(
    name=NAME,
    title="Notion export",
    read=read,
    kind="notebook",
    help="Notion (Markdown & CSV, HTML)",
    names_others=True,
)
