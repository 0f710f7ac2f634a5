"""Reader of Signal as its export tools write it: signal-export's ``data.json`` and sigtop's JSON."""

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from app.core.clock import parse_instant
from app.core.text import content_hash
from app.exchange.formats.chats import chat_records
from app.exchange.formats.chats.chat_records import Cancelled, folder_of
from app.exchange.formats.chats.chat_words import unread
from app.exchange.formats.format_spec import FormatSpec, fields
from app.exchange.importing.source_files import SourceEntry
from app.exchange.model import MessageRecord, Position, Record
from app.exchange.parsing.json_items import JsonItem, entry_items
from app.exchange.parsing.lenient import filled, first_text, row, table, text
from app.exchange.parsing.source_words import Noise
from app.memories.foreign_record import Problem
from app.sentence import Sentence

FORMAT = "signal"
AGENT = "Signal"
FILES = re.compile(r"(?:.*/)?[^/]+\.json")
_SPOKEN = frozenset({"", "incoming", "outgoing", "story"})
NOISE = ("fileName", "author", "authorName", "reactions")
_NOBODYS = Noise(NOISE)
_OWN = ("date", "sender", "body", "quote", "sticker", "attachments", "id", "sent_at", "received_at", "timestamp")

_METADATA = frozenset(
    {
        *(
            "sender",
            "profileName",
            "source",
            "sourceName",
            "type",
            "reactions",
            "bodyRanges",
            "seenStatus",
            "readStatus",
        ),
        *("sendStateByRecipientId", "expirationStartTimestamp", "sticker", "decrypted_at", "serverGuid"),
    }
)


def read(path: Path, cancelled: Cancelled) -> Iterator[Record]:
    """Read chats; each file is a conversation.

    Args:
        path: A file, or the folder or zip around the files.
        cancelled: Asked now and then; reading stops when it says so.

    Raises:
        NotFoundError: There is nothing at ``path``.
        FormatError: The zip cannot be read at all.
    """
    with chat_records.files(path, FILES) as archive:
        total, done = sum(entry.size for entry in archive), 0
        for entry in archive:
            for thing in _file(entry, path, cancelled):
                yield Position(done + thing.done, total, entry.name) if isinstance(thing, Position) else thing
            done += entry.size


def is_message(value: object) -> bool:
    """Return whether a JSON value is a message of one of the tools."""
    fields = table(value)
    is_exported = {"date", "sender", "body"} <= fields.keys() and bool(
        fields.keys() & {"quote", "sticker", "reactions"}
    )
    return is_exported or {"conversationId", "sent_at"} <= fields.keys()


def _file(entry: SourceEntry, path: Path, cancelled: Cancelled) -> Iterator[Record]:
    title = PurePosixPath(entry.name).stem
    if title == "data":
        title = folder_of(entry.name).rpartition("/")[2] or path.resolve().parent.name
    key = ""
    for thing in entry_items(entry, cancelled, "message"):
        if not isinstance(thing, JsonItem):
            yield thing
            continue
        fields = table(thing.value)
        if not is_message(fields):
            yield Problem(thing.place, Sentence("It is not a message of Signal and was left out."))
            continue
        if not key:
            key = text(fields.get("conversationId")) or title
            yield chat_records.head(key, title, AGENT, _moment(fields))
        yield _message(key, fields)


def _moment(fields: dict[str, Any]) -> int | None:
    return parse_instant(fields.get("sent_at") or fields.get("date"))


def _message(key: str, fields: dict[str, Any]) -> MessageRecord:
    files = [_mark(part) for part in row(fields.get("attachments"))]
    quote = text(fields.get("quote")) or text(table(fields.get("quote")).get("text"))
    quoted = "\n".join(f"> {line.removeprefix('>').strip()}" for line in quote.strip().splitlines())
    sticker = "[sticker]" if fields.get("sticker") else ""
    kind = text(fields.get("type"))
    author = first_text(fields, "sender", "profileName", "source", "sourceServiceId", "sourceUuid")
    body = text(fields.get("body"))
    is_notice = kind not in _SPOKEN
    words = chat_records.joined(quoted, body or (kind.replace("-", " ") if is_notice else ""), sticker, *files)
    words = chat_records.joined(words, unread(fields, _METADATA, [words], _NOBODYS))
    author = author or ("Me" if kind == "outgoing" else "")
    foreign = text(fields.get("id")) or content_hash(str(fields.get("date")), author, body)
    payload = filled(fields, without=_OWN)
    return chat_records.message(
        key, author, words, _moment(fields), foreign_id=foreign, is_notice=is_notice, payload=payload
    )


def _mark(part: Any) -> str:
    name = text(part) or first_text(table(part), "name", "fileName", "path", "contentType")
    return f"[file: {name.rpartition('/')[2] or 'without a name'}]"


SPEC = FormatSpec(
    name=FORMAT,
    title="Signal",
    read=read,
    kind="chat",
    help="Signal",
    suffixes=(".json",),
    fields=fields("item.conversationId item.sent_at", "date sender body reactions"),
    files=FILES,
    noise=NOISE,
)
