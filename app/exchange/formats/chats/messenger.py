"""Reader of Facebook Messenger's and Instagram's JSON: ``message_1.json``, or the zip or folder around it."""

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from app.core.clock import parse_instant
from app.core.text import content_hash
from app.exchange.formats.chats import chat_records
from app.exchange.formats.chats.chat_records import Cancelled, folder_of
from app.exchange.formats.chats.chat_words import unread
from app.exchange.formats.format_spec import FormatSpec, fields
from app.exchange.importing.source_files import SourceEntry
from app.exchange.model import MessageRecord, Position, Record
from app.exchange.parsing.item_places import numbered
from app.exchange.parsing.json_stream import JsonValue, values
from app.exchange.parsing.lenient import filled, first_text, row, table, text
from app.memories.foreign_record import Problem
from app.sentence import Sentence

FORMAT = "messenger"
FILES = re.compile(r"(?:.*/)?message_\d+\.json")
_WANTED = frozenset({"messages.item", "title", "threadName", "thread_path", "participants.item"})
_NUMBER = re.compile(r"(\d+)\.json$")
NOISE = ("magic_words", "actor")
_OWN = ("sender_name", "senderName", "timestamp_ms", "timestamp", "content", "text", "type", "is_geoblocked_for_viewer")
_METADATA = frozenset({"sender_name", "senderName", "type", "reactions", "users", "ip", "magic_words", "actor"})
_MEDIA = ("photos", "videos", "audio_files", "gifs", "files", "media")
_LATIN = re.compile(r"[\u0080-\u00ff]")


def read(path: Path, cancelled: Cancelled) -> Iterator[Record]:
    """Read chats; each thread is a conversation.

    Args:
        path: A file of a thread, or the folder or zip around the threads.
        cancelled: Asked now and then; reading stops when it says so.

    Raises:
        NotFoundError: There is nothing at ``path``.
        FormatError: The zip cannot be read at all.
    """
    with chat_records.files(path, FILES) as archive:
        ordered = sorted(archive, key=lambda entry: (folder_of(entry.name), -_number(entry)))
        total, done = sum(entry.size for entry in ordered), 0
        # The file with the highest number holds the oldest messages of a thread.
        for _, group in groupby(ordered, key=lambda entry: folder_of(entry.name)):
            begun: set[str] = set()
            for entry in group:
                if cancelled():
                    return
                yield from _file(entry, begun, cancelled)
                done += entry.size
                yield Position(done, total, entry.name)


def _number(entry: SourceEntry) -> int:
    match = _NUMBER.search(entry.name)
    return int(match[1][:9]) if match else 0


def _file(entry: SourceEntry, begun: set[str], cancelled: Cancelled) -> Iterator[Record]:
    head: dict[str, str] = {}
    people: list[str] = []
    messages: list[tuple[int, dict[str, Any]]] = []
    number = 0
    for thing in values(entry, _WANTED, cancelled):
        if isinstance(thing, Problem):
            yield thing
        elif isinstance(thing, JsonValue):
            if thing.place == "messages.item":
                number += 1
                fields = table(thing.value)
                if fields:
                    messages.append((_moment(fields) or 0, fields))
                else:
                    yield Problem(
                        numbered(entry.name, "message", number), Sentence("It is not an object and was left out.")
                    )
            elif thing.place == "participants.item":
                people.append(repaired(text(thing.value) or text(table(thing.value).get("name"))))
            else:
                head[thing.place] = repaired(text(thing.value))
    messages.reverse()
    messages.sort(key=lambda entry: entry[0])
    title = head.get("title") or head.get("threadName") or ", ".join(people)
    folder = folder_of(entry.name).rpartition("/")[2]
    key = head.get("thread_path", "").rpartition("/")[2] or folder or content_hash(title, *sorted(people))
    if messages and key not in begun:
        begun.add(key)
        yield chat_records.head(key, title, _agent(entry, head), messages[0][0] or None, participants=people)
    for _, fields in messages:
        yield _message(key, fields)


def _agent(entry: SourceEntry, head: dict[str, str]) -> str:
    is_instagram = "instagram" in entry.name.lower() or "instagram" in head.get("thread_path", "").lower()
    return "Instagram" if is_instagram else "Messenger"


def _moment(fields: dict[str, Any]) -> int | None:
    return parse_instant(fields.get("timestamp_ms", fields.get("timestamp")))


def _message(key: str, fields: dict[str, Any]) -> MessageRecord:
    marks = []
    for name in _MEDIA:
        for part in row(fields.get(name)):
            file = repaired(first_text(table(part), "uri")).rpartition("/")[2]
            marks.append(f"[{name.removesuffix('_files').removesuffix('s')}: {file}]")
    if table(fields.get("sticker")):
        marks.append("[sticker]")
    share = table(fields.get("share"))
    link = repaired(first_text(share, "link"))
    content = repaired(first_text(fields, "content", "text"))
    if link and link not in content:
        marks.append(link)
    payload = _deep(filled(fields, without=_OWN))
    if rest := unread(_deep(fields), _METADATA, [content, *marks]):
        marks.append(rest)
    author = repaired(first_text(fields, "sender_name", "senderName"))
    foreign = content_hash(str(fields.get("timestamp_ms", fields.get("timestamp"))), author, content)
    words = chat_records.joined(content, *marks)
    return chat_records.message(key, author, words, _moment(fields), foreign_id=foreign, payload=payload)


def _deep(value: Any) -> Any:
    if isinstance(value, str):
        return repaired(value)
    if isinstance(value, dict):
        return {name: _deep(inner) for name, inner in value.items()}
    return [_deep(inner) for inner in value] if isinstance(value, list) else value


def repaired(text: str) -> str:
    """Return a text with UTF-8 that was read as Latin-1 repaired.

    Any other text stays as it is.
    """
    if not _LATIN.search(text):
        return text
    try:
        return text.encode("latin-1").decode("utf-8")
    except (UnicodeEncodeError, UnicodeDecodeError):
        return text


SPEC = FormatSpec(
    name=FORMAT,
    title="Messenger or Instagram",
    read=read,
    kind="chat",
    help="Messenger and Instagram",
    suffixes=(".json",),
    fields=fields("messages.item.sender_name", "messages.item.senderName participants"),
    names=re.compile(r"(?:.*/)?(?:inbox|e2ee_cutover|archived_threads|message_requests)/.*/message_\d+\.json"),
    files=FILES,
    noise=NOISE,
    has_other_products=True,
    is_folder=True,
)
