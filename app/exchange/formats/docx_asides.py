"""Texts of a Word document beside its body: notes, comments, headers and footers."""

import html
import re
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final
from xml.parsers import expat

from app.core.safe_xml import UnsafeXmlError, local, safe_parser
from app.exchange.formats.docx_body import BodyParser
from app.exchange.importing.source_files import DAMAGE

MAX_PART: Final = 16 << 20
_PARTS: Final = (("footnotes", ""), ("endnotes", "e"), ("comments", "c"))
_ASIDES: Final = frozenset({"footnote", "endnote", "comment"})
_MARGIN: Final = re.compile(r"word/(?:header|footer)\d*\.xml")
_WORDS: Final = re.compile(rb"<(?:\w+:)?t(?:\s[^<>]*)?>([^<]*)")
_ANY_PART: Final = re.compile(r"word/(?:\w+/)?(\w+)\.xml")


@dataclass(slots=True)
class _Aside:
    """A note or comment as it is read."""

    key: str
    author: str
    body: BodyParser


class _AsideParser:
    """Parser that collects the notes or comments of a part."""

    def __init__(self) -> None:
        self.asides: list[_Aside] = []
        self._open: _Aside | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take the beginning of an element."""
        values = {local(name): value for name, value in attributes.items()}
        if local(tag) in _ASIDES:
            self._open = _Aside(values.get("id", ""), values.get("author", ""), BodyParser())
        elif self._open is not None:
            self._open.body.start(tag, attributes)

    def end(self, tag: str) -> None:
        """Take the end of an element."""
        if self._open is None:
            return
        if local(tag) in _ASIDES:
            self.asides.append(self._open)
            self._open = None
        else:
            self._open.body.end(tag)

    def text(self, data: str) -> None:
        """Take characters."""
        if self._open is not None:
            self._open.body.text(data)


def asides(archive: zipfile.ZipFile) -> Iterator[str]:
    """Yield notes and comments as Markdown footnotes, then each header and footer once."""
    for name, mark in _PARTS:
        parser = _AsideParser()
        _parse(archive, f"word/{name}.xml", parser)
        for aside in parser.asides:
            if text := aside.body.finish():
                line = f"{aside.author}: {text}" if aside.author else text
                yield f"[^{mark}{aside.key}]: " + line.replace("\n", "\n    ")
    margins: dict[str, None] = {}
    for name in archive.namelist():
        if _MARGIN.fullmatch(name):
            body = BodyParser()
            _parse(archive, name, body)
            margins[body.finish()] = None
    yield from filter(None, margins)


def words(archive: zipfile.ZipFile) -> dict[str, str]:
    """Return the words of each part of a document, read without regard to its structure."""
    texts: dict[str, str] = {}
    for info in archive.infolist():
        if (name := _ANY_PART.fullmatch(info.filename)) is not None:
            data = _read(archive, info.filename)
            line = b" ".join(_WORDS.findall(data)).decode("utf-8", "replace")
            texts[f"part {name[1]}"] = html.unescape(line)
    return texts


def _read(archive: zipfile.ZipFile, name: str) -> bytes:
    with suppress(KeyError, RuntimeError, NotImplementedError, *DAMAGE), archive.open(name) as stream:
        return stream.read(MAX_PART)
    return b""


def _parse(archive: zipfile.ZipFile, name: str, parser: _AsideParser | BodyParser) -> None:
    reader = safe_parser(has_namespaces=True)
    reader.StartElementHandler = parser.start
    reader.EndElementHandler = parser.end
    reader.CharacterDataHandler = parser.text
    with suppress(expat.ExpatError, UnsafeXmlError):
        reader.Parse(_read(archive, name), True)
