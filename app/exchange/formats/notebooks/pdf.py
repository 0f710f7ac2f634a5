"""Reader of PDF documents: one note each, with the file attached."""

import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from app.attachments.model import MAX_BYTES as MAX_ATTACHED
from app.core.text import storable
from app.errors import FormatError, InputError
from app.exchange.formats.format_spec import FormatSpec
from app.exchange.importing.accounting import read_item
from app.exchange.model import Position, Record
from app.exchange.parsing.attachment_links import attachment, attachment_link
from app.exchange.parsing.item_places import numbered
from app.memories.foreign_record import MemoryRecord, Problem
from app.sentence import Sentence, counted_sentence

if TYPE_CHECKING:
    from pypdf import PdfReader

NAME: Final = "pdf"
BEGINNING: Final = b"%PDF-"
MAX_BYTES: Final = 512 << 20
MAX_CHARACTERS: Final = 16 << 20
MAX_PAGES: Final = 20_000
# A damaged file makes the library fail in many ways; none of them may stop an import.
_DAMAGE: Final = (Exception,)


def read(path: Path, cancelled: Callable[[], bool]) -> Iterator[Record]:
    """Read a document as one note; damaged pages are reported.

    Args:
        path: The file.
        cancelled: Asked before every page; reading stops when it says so.

    Raises:
        FormatError: It is too large, damaged, protected with a password, or holds no text.
    """
    size = path.stat().st_size
    if size > MAX_BYTES:
        raise FormatError(
            Sentence("{name} is larger than {most} MB; it was not read.", name=path.name, most=MAX_BYTES >> 20),
            path=str(path),
        )
    with path.open("rb") as stream:
        document = _opened(path, stream)
        parts: list[str] = []
        length, empty = 0, 0
        pages = _page_count(document, path)
        for number in range(min(pages, MAX_PAGES)):
            if cancelled():
                return
            text = _page_text(document, number)
            if text is None:
                yield Problem(numbered(path.name, "page", number + 1), Sentence("It is damaged and was left out."))
            elif text:
                read_item(numbered(path.name, "page", number + 1), text, "page")
                parts.append(text)
                length += len(text)
            else:
                empty += 1
            yield Position(size * (number + 1) // max(pages, 1), size, f"page {number + 1} of {pages:,}")
            if length > MAX_CHARACTERS:
                sentence = Sentence(
                    "Its text is longer than {most} million characters; the rest was left out.",
                    most=MAX_CHARACTERS >> 20,
                )
                yield Problem(numbered(path.name, "page", number + 1), sentence)
                break
        if pages > MAX_PAGES:
            yield Problem(path.name, Sentence("It has more than {most} pages; the rest was left out.", most=MAX_PAGES))
        if empty:
            sentence = counted_sentence(
                empty,
                "1 page has no text, such as scanned pages.",
                "{count} pages have no text, such as scanned pages.",
            )
            yield Problem(path.name, sentence, lost=False, foreign=True)
        asides = list(_asides(document, min(pages, MAX_PAGES)))
        for aside in asides:
            read_item(Sentence("{whole}, comments and fields", whole=path.name), aside, "comment")
        parts += ["\n".join(f"- {aside}" for aside in asides)] if asides else []
        title, created, changed = _properties(document)
    yield from _note(path, "\n\n".join(parts), title or path.stem, created, changed)


def _note(path: Path, text: str, title: str, created: int | None, changed: int | None) -> Iterator[Record]:
    if not text:
        raise FormatError(
            Sentence(
                "{name} holds no text, as scanned documents do; run it through text recognition (OCR) first.",
                name=path.name,
            ),
            path=str(path),
        )
    link = ""
    if path.stat().st_size <= MAX_ATTACHED:
        try:
            record = attachment(path.name, path.read_bytes())
        except InputError as error:
            yield Problem(
                path.name, Sentence("The file itself was not attached: {why}", why=error.sentence), lost=False
            )
        else:
            link = attachment_link(record.name, path.name) + "\n\n"
            yield record
    else:
        sentence = Sentence("It is larger than {most} MB, so only its text was taken.", most=MAX_ATTACHED >> 20)
        yield Problem(path.name, sentence, lost=False)
    yield MemoryRecord(
        f"{path.resolve().parent.name}/{path.name}", link + text, title=title, created_ms=created, updated_ms=changed
    )


def _opened(path: Path, stream: Any) -> "PdfReader":
    from pypdf import PdfReader  # noqa: PLC0415 - half a second that only imports of documents need
    from pypdf.errors import DependencyError  # noqa: PLC0415

    # What the library says of damage is for its developers; the report says what is missing.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        document = PdfReader(stream, strict=False)
        is_open = not document.is_encrypted or bool(document.decrypt(""))
    except (DependencyError, NotImplementedError):
        is_open = False
    except _DAMAGE as error:
        raise FormatError(
            Sentence("{name} is no complete PDF: it is cut short or damaged.", name=path.name), path=str(path)
        ) from error
    if not is_open:
        raise FormatError(
            Sentence(
                "{name} is protected with a password. Print or save it as a PDF without one first.", name=path.name
            ),
            path=str(path),
        )
    return document


def _page_count(document: "PdfReader", path: Path) -> int:
    try:
        return len(document.pages)
    except _DAMAGE as error:
        raise FormatError(
            Sentence("{name} is no complete PDF: it is cut short or damaged.", name=path.name), path=str(path)
        ) from error


def _page_text(document: "PdfReader", number: int) -> str | None:
    """Return the text of a page, ``None`` when the page is damaged."""
    try:
        text = document.pages[number].extract_text()
    except (*_DAMAGE, RecursionError):
        return None
    return storable(text.replace("\r\n", "\n").strip())[0]


def _asides(document: "PdfReader", pages: int) -> Iterator[str]:
    """Yield what people wrote into comments and form fields of the pages."""
    for number in range(pages):
        with suppress(*_DAMAGE, RecursionError):
            for reference in document.pages[number].get("/Annots") or ():
                annotation = reference.get_object()
                name = "/V" if annotation.get("/Subtype") == "/Widget" else "/Contents"
                value = annotation.get(name) if name in annotation else (annotation.get("/Parent") or {}).get(name)
                if isinstance(value, str) and not value.startswith("/") and value.strip():
                    yield storable(" ".join(value.split()))[0]


def _properties(document: "PdfReader") -> tuple[str, int | None, int | None]:
    """Return title, creation and change time of a document, where given."""
    title, created, changed = "", None, None
    with suppress(*_DAMAGE):
        metadata = document.metadata
        if metadata is not None:
            title = " ".join(storable(str(metadata.title or ""))[0].split())
            created, changed = _time_ms(metadata.creation_date), _time_ms(metadata.modification_date)
    return title, created, changed


def _time_ms(moment: datetime | None) -> int | None:
    try:
        return None if moment is None else int(moment.timestamp() * 1000)
    except (ValueError, OverflowError):
        return None


SPEC = FormatSpec(
    name=NAME, title="PDF document", read=read, kind="document", help="PDF", suffixes=(".pdf",), keys="folder"
)
