"""Files of a vault that are no notes: attachments and canvases."""

import json
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote, unquote

from app.attachments.model import FOLDER, link_of
from app.core.text import storable
from app.exchange.formats.notebooks.archive_files import read_file
from app.exchange.formats.notebooks.attached_entries import AttachedEntries
from app.exchange.importing.source_files import SourceEntry
from app.exchange.model import AttachmentRecord
from app.memories.foreign_record import MemoryRecord, Problem
from app.memories.text.code_spans import CodeRanges, code_ranges
from app.sentence import Sentence

CANVAS: Final = ".canvas"
MAX_CANVAS_BYTES: Final = 16 << 20
_WIKI: Final = re.compile(r"!?\[\[(?P<target>[^\[\]|#\n\\]+)(?:#[^\[\]|\n]*)?(?:\\?\|(?P<shown>[^\[\]\n]*))?\]\]")
_MARKDOWN: Final = re.compile(
    r"!?\[(?P<shown>[^\[\]\n]*)\]\((?![A-Za-z][A-Za-z0-9+.-]*:|#)"
    r"(?:<(?P<angled>[^<>\n]+)>|(?P<plain>[^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)*))(?:[ \t]+\"[^\"\n]*\")?\)"
)
_SIZE: Final = re.compile(r"\d+(?:x\d+)?")
# An export of ours has its attachments in these; they are copied as they are.
OWN: Final = (FOLDER, f"notes/{FOLDER}")


class VaultFiles:
    """The files of a vault that are no notes.

    Args:
        files: Those files, by their path in the vault.
        own: Folders whose files are copied as they are.
    """

    def __init__(self, files: Mapping[str, SourceEntry], own: Sequence[str] = OWN) -> None:
        self._entries = dict(files)
        self._places: dict[str, str] = {}
        self._own_folders = tuple(own)
        for place in self._entries:
            name = posixpath.basename(place)
            before = self._places.get(name.casefold())
            # Of files of one name, links mean the one that lies highest.
            if before is None or place.count("/") < before.count("/"):
                self._places[name.casefold()] = place
        self._attached = AttachedEntries(self._entries)
        self._own: set[str] = set()
        self._canvases: set[str] = set()

    def with_attachments(self, text: str, place: str) -> Iterator[AttachmentRecord | Problem | str]:
        """Yield the files that a note shows, and last its text with links to them.

        Args:
            text: The note's text.
            place: Its path in the vault.
        """
        if not self._entries or ("](" not in text and "[[" not in text):
            yield text
            return
        folder = posixpath.dirname(place)
        shown = [(match, path) for match in _links(text) if (path := self._path_of(match, folder))]
        code = CodeRanges(code_ranges(text)) if shown else None
        parts, at = [], 0
        for link_match, path in shown:
            if code is not None and code.touch(*link_match.span()):
                continue
            if posixpath.dirname(path) not in self._own_folders:
                yield from self._attached.take(quote(path), "", place)
            parts += [text[at : link_match.start()], self._link(link_match, path) or link_match[0]]
            at = link_match.end()
        yield "".join((*parts, text[at:]))

    def canvases(self, root_name: str) -> Iterator[MemoryRecord | Problem]:
        """Yield a note for each canvas, which lists its cards."""
        for place, entry in sorted(self._entries.items()):
            if not place.lower().endswith(CANVAS):
                continue
            self._canvases.add(place)
            data = read_file(entry, MAX_CANVAS_BYTES)
            cards = data if isinstance(data, str) else _cards(data)
            if isinstance(cards, str):
                yield Problem(place, cards)
            else:
                title = posixpath.basename(place)[: -len(CANVAS)]
                yield MemoryRecord(f"{root_name}/{place}", "\n".join(cards) or title, title=title, tags=("canvas",))

    def others(self) -> list[SourceEntry]:
        """Return the files that nothing shows."""
        used = self._attached.used | self._own | self._canvases
        return [entry for place, entry in self._entries.items() if place not in used]

    def _path_of(self, match: re.Match[str], folder: str) -> str:
        """Return the path of the file that a link means, ``""`` for none."""
        written = _written(match)
        for path in (posixpath.join(folder, written), written.lstrip("/")):
            if (path := posixpath.normpath(path)) in self._entries:
                return path
        is_bare = "target" in match.groupdict() and "/" not in written
        return self._places.get(written.casefold(), "") if is_bare else ""

    def _link(self, match: re.Match[str], path: str) -> str:
        shown = match["shown"] or ""
        shown = "" if _SIZE.fullmatch(shown) else shown
        if posixpath.dirname(path) not in self._own_folders:
            return self._attached.link(quote(path), "", shown, embeds=match[0].startswith("!"))
        self._own.add(path)
        if "target" not in match.groupdict():
            return ""  # it leads there as it is written
        name = posixpath.basename(path)
        return f"{'!' if match[0].startswith('!') else ''}[{shown or name}]({quote(link_of(name))})"


def linked_names(text: str) -> Iterator[str]:
    """Yield the names of files that a text links to, in lower case, without folders."""
    for match in _links(text):
        yield posixpath.basename(_written(match)).casefold()


def _written(match: re.Match[str]) -> str:
    """Return the path that a link is written with."""
    named = match.groupdict()
    written = named.get("target") or named.get("angled") or unquote(named.get("plain") or "")
    return written.partition("#")[0].strip().replace("\\", "/")


def _links(text: str) -> list[re.Match[str]]:
    """Return the links of a text in order, without overlap."""
    matches = sorted((*_WIKI.finditer(text), *_MARKDOWN.finditer(text)), key=lambda match: match.start())
    links: list[re.Match[str]] = []
    for match in matches:
        if not links or match.start() >= links[-1].end():
            links.append(match)
    return links


def _cards(data: bytes) -> list[str] | str:
    """Return a line for each card of a canvas, or what is wrong with it."""
    try:
        nodes = json.loads(data)["nodes"] if data.strip() else []
    except (ValueError, KeyError, TypeError, RecursionError):
        return Sentence("It is no canvas of the JSON Canvas format, or damaged; it was left out.")
    lines = (_card(node) for node in nodes if isinstance(node, dict)) if isinstance(nodes, list) else ()
    return [storable(line)[0] for line in lines if line]


def _card(node: dict[str, Any]) -> str:
    texts = {name: value for name, value in node.items() if isinstance(value, str) and value.strip()}
    kind = texts.get("type")
    if kind == "text" and "text" in texts:
        return "- " + texts["text"].strip().replace("\n", "\n  ")
    if kind == "file" and "file" in texts:
        place = texts["file"].removesuffix(".md")
        return f"- [[{posixpath.basename(place)}]]"
    if kind == "link" and "url" in texts:
        return f"- <{texts['url']}>"
    return f"- **{texts['label']}**" if kind == "group" and "label" in texts else ""
