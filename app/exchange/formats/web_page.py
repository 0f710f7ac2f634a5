"""Reader of an HTML file: one note, as Markdown."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from app.core.text import storable
from app.errors import FormatError
from app.exchange.formats.format_spec import FormatSpec
from app.exchange.importing.accounting import read_item
from app.exchange.model import Position, Record
from app.exchange.parsing import encoding
from app.exchange.parsing.html_text import MAX_CHARACTERS, markdown_of
from app.memories.foreign_record import MemoryRecord, Problem
from app.sentence import Sentence, counted_sentence

NAME: Final = "html"
BEGINNING: Final = re.compile(
    rb"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--.{0,2000}?-->\s*)?(?:<!DOCTYPE\s+html\b|<html\b)", re.IGNORECASE | re.DOTALL
)
# What a browser does not show as text, and tags.
_UNSHOWN: Final = re.compile(
    r"<!--.*?-->|<(script|style|template|noscript|head)\b[^<>]*>.*?</\1\s*>|<[^<>]*>", re.IGNORECASE | re.DOTALL
)
CHATGPT_PAGE: Final = b"<title>ChatGPT Data Export</title>"


def read(path: Path, cancelled: Callable[[], bool]) -> Iterator[Record]:
    """Read a page as one note.

    Args:
        path: The file.
        cancelled: Asked before the file is read.

    Raises:
        FormatError: It is too large, not text, or holds no text.
    """
    if cancelled():
        return
    size = path.stat().st_size
    if size > MAX_CHARACTERS:
        raise FormatError(
            Sentence("{name} is larger than {most} MB; it was not read.", name=path.name, most=MAX_CHARACTERS >> 20),
            path=str(path),
        )
    decoded = encoding.decode(path.read_bytes())
    if decoded is None:
        raise FormatError(Sentence("{name} is not text; it was not read.", name=path.name), path=str(path))
    read_item(path.name, _UNSHOWN.sub(" ", decoded.text), "page")
    text, title, media = markdown_of(decoded.text)
    if not text:
        raise FormatError(
            Sentence(
                "{name} holds no text of its own; a program makes what a browser shows. Import its data instead.",
                name=path.name,
            ),
            path=str(path),
        )
    if media:
        sentence = counted_sentence(media, "1 picture was left out.", "{count} pictures were left out.")
        yield Problem(path.name, sentence, lost=False, foreign=True)
    title = storable(title)[0] or path.stem
    yield MemoryRecord(f"{path.resolve().parent.name}/{path.name}", storable(text)[0], title=title)
    yield Position(size, size, path.name)


SPEC = FormatSpec(
    name=NAME, title="HTML page", read=read, kind="document", help="HTML", suffixes=(".html", ".htm"), keys="folder"
)
