"""Recognition of exports of messengers and mail programs by their content."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from app.exchange.formats import known_formats
from app.exchange.formats.chats import chat_records, mbox, whatsapp, whatsapp_name
from app.exchange.model import ImportPreview
from app.sentence import Sentence

_CHATS: Final = known_formats.of_kind("chat")
_SHOWN: Final = 3


def by_names(names: Iterable[str]) -> str:
    """Return the format whose exports have files named so, ``""`` for none."""
    listed = list(names)
    if name := next((spec.name for spec in _CHATS if spec.names and any(map(spec.names.fullmatch, listed))), ""):
        return name
    is_chat = any(item.count("/") <= 1 and whatsapp_name.is_named(item) for item in listed)
    return whatsapp.FORMAT if is_chat else ""


def by_fields(names: set[str]) -> str:
    """Return the format whose JSON has these fields, ``""`` for none."""
    return known_formats.by_fields(names, _CHATS)


def by_text(text: str, name: str) -> str:
    """Return the format of a text file by its beginning and name, ``""`` for none."""
    if mbox.begins_mbox(text[:2000].encode()) or mbox.is_single(name, text[:2000].encode()):
        return mbox.FORMAT
    return whatsapp.FORMAT if whatsapp_name.is_named(name) or whatsapp.is_chat(text) else ""


def preview(path: Path, name: str) -> ImportPreview:
    """Return which files an import would read."""
    with chat_records.files(path, known_formats.SPECS[name].files) as records:
        detail = ", ".join(entry.name for entry in records[:_SHOWN])
        if (more := len(records) - _SHOWN) > 0:
            detail = Sentence("{names} and {count} more", names=detail, count=more)
        return ImportPreview(name, sum(entry.size for entry in records), detail)
