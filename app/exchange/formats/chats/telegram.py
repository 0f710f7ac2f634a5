"""Reader of Telegram Desktop's export: ``result.json`` with one chat or all of them."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.core.clock import parse_instant
from app.exchange.formats.chats import chat_records, telegram_text
from app.exchange.formats.chats.chat_records import Cancelled
from app.exchange.formats.format_spec import FormatSpec, fields
from app.exchange.importing.source_files import SourceEntry
from app.exchange.model import MessageRecord, Record
from app.exchange.parsing.item_places import numbered
from app.exchange.parsing.json_stream import JsonValue, values
from app.exchange.parsing.lenient import filled, first_text, table, text
from app.memories.foreign_record import Problem
from app.sentence import Sentence

FORMAT = "telegram"
AGENT = "Telegram"
FILES = re.compile(r"(?:.*/)?result\.json")
_LISTS = ("", "chats.list.item.", "left_chats.list.item.")
_CHAT_FIELDS = frozenset(f"{place}{name}" for place in _LISTS for name in ("name", "type", "id"))
_MESSAGES = frozenset(f"{place}messages.item" for place in _LISTS)
# Other products, and names of people and files.
NOISE = (
    *("about", "personal_information", "contacts", "frequent_contacts", "sessions", "web_sessions", "other_data"),
    *("author", "forwarded_from", "saved_from", "via_bot", "members", "inviter", "reactions", "file_name"),
)
_MAX_DIGITS = 12
_OWN = ("id", "type", "date", "date_unixtime", "from", "actor", "text", "text_entities", "edited", "edited_unixtime")


def read(path: Path, cancelled: Cancelled) -> Iterator[Record]:
    """Read an export; each chat is a conversation.

    Args:
        path: ``result.json``, or the folder or zip around it.
        cancelled: Asked now and then; reading stops when it says so.

    Raises:
        NotFoundError: There is nothing at ``path``.
        FormatError: The zip cannot be read at all.
    """
    with chat_records.files(path, FILES) as archive:
        for entry in archive:
            yield from _file(entry, cancelled)


def _file(entry: SourceEntry, cancelled: Cancelled) -> Iterator[Record]:
    known: dict[str, Any] = {}
    begun, number = "", 0
    for thing in values(entry, _CHAT_FIELDS | _MESSAGES, cancelled):
        if not isinstance(thing, JsonValue):
            yield thing
        elif thing.place in _CHAT_FIELDS:
            if begun:
                known, begun = {}, ""
            known[thing.place.rpartition(".")[2]] = thing.value
        else:
            number += 1
            fields = table(thing.value)
            if not fields:
                yield Problem(
                    numbered(entry.name, "message", number), Sentence("It is not an object and was left out.")
                )
                continue
            record = _message(_key(known), fields)
            if not begun:
                begun = _key(known)
                title = text(known.get("name")) or ("Saved messages" if known.get("type") == "saved_messages" else "")
                yield chat_records.head(begun, title, AGENT, _moment(fields), type=known.get("type"))
            yield record


def _key(known: dict[str, Any]) -> str:
    return str(known.get("id") or known.get("name") or known.get("type") or "chat")


def _moment(fields: dict[str, Any]) -> int | None:
    stamp = text(fields.get("date_unixtime"))
    return int(stamp) * 1000 if stamp.isdecimal() and len(stamp) < _MAX_DIGITS else parse_instant(fields.get("date"))


def _message(key: str, fields: dict[str, Any]) -> MessageRecord:
    is_notice = fields.get("type") == "service"
    payload = filled(fields, without=_OWN)
    author = first_text(fields, "from", "actor") or ("Deleted account" if fields.get("from_id") else "")
    words = telegram_text.message(fields)
    foreign = str(fields.get("id") or "")
    return chat_records.message(
        key, author, words, _moment(fields), foreign_id=foreign, is_notice=is_notice, payload=payload
    )


SPEC = FormatSpec(
    name=FORMAT,
    title="Telegram export",
    read=read,
    kind="chat",
    help="Telegram",
    suffixes=(".json",),
    fields=fields(
        "messages.item.from_id",
        "messages.item.actor_id",
        "chats.list.item.messages",
        "chats chats.list",
        "about personal_information",
    ),
    names=re.compile(r"(?:[^/]*/)?result\.json"),
    files=FILES,
    noise=NOISE,
    has_other_products=True,
)
