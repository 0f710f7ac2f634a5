"""Reader of Discord: JSON of DiscordChatExporter, and the package that Discord sends on request."""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.core.clock import parse_instant
from app.exchange.formats.chats import chat_records
from app.exchange.formats.chats.chat_records import Cancelled, folder_of
from app.exchange.formats.chats.chat_words import merged, unread
from app.exchange.formats.format_spec import FormatSpec, fields
from app.exchange.importing.source_files import DAMAGE, SourceEntry
from app.exchange.model import MessageRecord, Position, Record
from app.exchange.parsing import encoding
from app.exchange.parsing.item_places import numbered
from app.exchange.parsing.json_items import JsonItem, decode, entry_items
from app.exchange.parsing.json_stream import JsonValue, values
from app.exchange.parsing.lenient import filled, first_text, row, table, text
from app.exchange.parsing.source_words import Noise
from app.memories.foreign_record import Problem
from app.sentence import Sentence

FORMAT = "discord"
AGENT = "Discord"
PACKAGE = re.compile(r"(?:.*/)?messages/c?\d+/(?:channel\.json|messages\.(?:json|csv))", re.IGNORECASE)
FILES = re.compile(rf"{PACKAGE.pattern}|(?:.*/)?(?:account/user|messages/index)\.json|[^/]+\.json", re.IGNORECASE)
_WANTED = frozenset({"guild", "channel", "messages.item"})
_SPOKEN = frozenset({"", "Default", "Reply", "ChatInputCommand", "ContextMenuCommand", "ThreadStarterMessage"})
_OWN = ("id", "type", "timestamp", "content", "author", "attachments", "embeds", "stickers", "inlineEmojis", "isPinned")
_METADATA = frozenset({"type", "author", "mentions", "reactions", "reference", "interaction", "roles", "inlineEmojis"})
_OF_ROWS = frozenset({"ID", "Timestamp", "Contents", "Attachments"})
NOISE = ("roles", "nickname", "dateRange", "inlineEmojis", "emoji", "fileName", "interaction", "reactions")
_NOBODYS = Noise(NOISE)
_MAX_DIGITS = 25
_MAX_SMALL = 64 << 20


def read(path: Path, cancelled: Cancelled) -> Iterator[Record]:
    """Read chats; each channel is a conversation.

    Args:
        path: A file of DiscordChatExporter, a folder of them, or the package as zip or folder.
        cancelled: Asked now and then; reading stops when it says so.

    Raises:
        NotFoundError: There is nothing at ``path``.
        FormatError: The zip cannot be read at all.
    """
    with chat_records.files(path, FILES) as archive:
        package = [entry for entry in archive if PACKAGE.fullmatch(entry.name)]
        if package:
            yield from _package(archive, package, cancelled)
            return
        for entry in archive:
            yield from _exported(entry, cancelled)


def _exported(entry: SourceEntry, cancelled: Cancelled) -> Iterator[Record]:
    known: dict[str, dict[str, Any]] = {}
    key, number = "", 0
    for thing in values(entry, _WANTED, cancelled):
        if not isinstance(thing, JsonValue):
            yield thing
        elif thing.place in ("guild", "channel"):
            known[thing.place] = table(thing.value)
        else:
            number += 1
            fields = table(thing.value)
            if not fields:
                yield Problem(
                    numbered(entry.name, "message", number), Sentence("It is not an object and was left out.")
                )
                continue
            if not key:
                channel = known.get("channel", {})
                key = str(channel.get("id") or entry.name)
                yield _head(key, channel, known.get("guild", {}), fields)
            yield _message(key, fields)


def _head(key: str, channel: dict[str, Any], guild: dict[str, Any], first: dict[str, Any]) -> Record:
    names = [first_text(guild, "name"), first_text(channel, "category"), first_text(channel, "name")]
    title = " / ".join(filter(None, names))
    moment = parse_instant(first.get("timestamp"))
    return chat_records.head(key, title, AGENT, moment, topic=channel.get("topic"), type=channel.get("type"))


def _message(key: str, fields: dict[str, Any]) -> MessageRecord:
    author = table(fields.get("author"))
    is_notice = text(fields.get("type")) not in _SPOKEN
    return chat_records.message(
        key,
        first_text(author, "nickname", "name"),
        _words(fields),
        parse_instant(fields.get("timestamp")),
        foreign_id=str(fields.get("id") or ""),
        is_notice=is_notice,
        payload=filled(fields, without=_OWN),
    )


def _words(fields: dict[str, Any]) -> str:
    """Return all words of a message or of a forwarded one."""
    files = [_file(table(part)) for part in row(fields.get("attachments"))]
    stickers = [f"[sticker: {first_text(table(part), 'name')}]" for part in row(fields.get("stickers"))]
    embeds = [_embed(table(part)) for part in row(fields.get("embeds"))]
    passed_on = _words(table(fields.get("forwardedMessage"))) if fields.get("forwardedMessage") else ""
    content = chat_records.joined(text(fields.get("content")), passed_on, *embeds, *files, *stickers)
    return chat_records.joined(content, unread(fields, _METADATA, [content], _NOBODYS))


def _file(part: dict[str, Any]) -> str:
    mark = f"[file: {first_text(part, 'fileName', 'url')}]"
    return merged(mark, unread(part, (), [mark], _NOBODYS, is_message=False))


def _embed(part: dict[str, Any]) -> str:
    fields = [
        ": ".join(filter(None, (first_text(field, "name"), first_text(field, "value"))))
        for field in map(table, row(part.get("fields")))
    ]
    author, footer = (first_text(table(part.get(name)), key) for name, key in (("author", "name"), ("footer", "text")))
    lines = (author, first_text(part, "title"), first_text(part, "description"), *fields, footer)
    words = "\n".join(filter(None, lines))
    return merged(words, unread(part, (), [words], _NOBODYS, is_message=False)) or first_text(part, "url")


def _small(entry: SourceEntry) -> dict[str, Any] | Problem:
    """Return the object in a small file of the package."""
    try:
        with entry.open() as stream:
            return table(decode(stream.read(_MAX_SMALL))[0])
    except (ValueError, *DAMAGE) as error:
        return Problem(
            entry.name, Sentence("It could not be read: {error}. Its names are missing.", error=error), lost=False
        )


def _package(entries: list[SourceEntry], parts: list[SourceEntry], cancelled: Cancelled) -> Iterator[Record]:
    known: dict[str, dict[str, Any]] = {}
    for entry in entries:
        if entry.name.lower().endswith(("account/user.json", "messages/index.json", "/channel.json")):
            value = _small(entry)
            if isinstance(value, Problem):
                yield value
            else:
                known[entry.name.lower()] = value
    user = next((value for name, value in known.items() if name.endswith("account/user.json")), {})
    author = first_text(user, "global_name", "username")
    index = next((value for name, value in known.items() if name.endswith("messages/index.json")), {})
    total, done = sum(entry.size for entry in parts), 0
    for entry in parts:
        if cancelled():
            return
        done += entry.size
        if not entry.name.lower().endswith("/channel.json"):
            channel = known.get(f"{folder_of(entry.name)}/channel.json".lower(), {})
            yield from _own_messages(entry, channel, index, author, cancelled)
        yield Position(done, total, entry.name)


def _own_messages(
    entry: SourceEntry, channel: dict[str, Any], index: dict[str, Any], author: str, cancelled: Cancelled
) -> Iterator[Record]:
    key = text(channel.get("id")) or folder_of(entry.name).rpartition("/")[2].removeprefix("c")
    title = text(index.get(key)) or text(channel.get("name"))
    messages: list[tuple[int, MessageRecord]] = []
    for row_of in _csv(entry) if entry.name.lower().endswith(".csv") else _rows(entry, cancelled):
        if isinstance(row_of, Problem):
            yield row_of
            continue
        moment = parse_instant(row_of.get("Timestamp"))
        files = [f"[file: {part}]" for part in str(row_of.get("Attachments") or "").split()]
        content = chat_records.joined(text(row_of.get("Contents")), *files)
        content = chat_records.joined(content, unread(row_of, _OF_ROWS, [content]))
        foreign = str(row_of.get("ID") or "")
        order = int(foreign) if foreign.isdecimal() and len(foreign) < _MAX_DIGITS else moment or 0
        messages.append((order, chat_records.message(key, author, content, moment, foreign_id=foreign)))
    # The package names the newest message first.
    messages.sort(key=lambda entry: entry[0])
    if messages:
        yield chat_records.head(key, title, AGENT, None, guild=table(channel.get("guild")).get("name"))
        yield from (record for _, record in messages)


def _rows(entry: SourceEntry, cancelled: Cancelled) -> Iterator[dict[str, Any] | Problem]:
    for thing in entry_items(entry, cancelled, "message"):
        if isinstance(thing, Problem):
            yield thing
        elif isinstance(thing, JsonItem):
            yield table(thing.value) or Problem(entry.name, Sentence("An item is not an object and was left out."))


def _csv(entry: SourceEntry) -> Iterator[dict[str, Any] | Problem]:
    try:
        with entry.open() as stream:
            decoded = encoding.decode(stream.read())
    except DAMAGE as error:
        yield Problem(entry.name, Sentence("The zip file is damaged here ({error}). Download it again.", error=error))
        return
    if decoded is None:
        yield Problem(entry.name, Sentence("It is not text and was left out."))
        return
    if decoded.repair:
        yield Problem(entry.name, decoded.repair, lost=False)
    lines = csv.DictReader(io.StringIO(decoded.text.replace("\0", "\ufffd"), newline=""))
    try:
        yield from lines
    except csv.Error as error:
        yield Problem(
            entry.name,
            Sentence("Nothing could be read after line {line}: {error}.", line=lines.line_num, error=error),
        )


SPEC = FormatSpec(
    name=FORMAT,
    title="Discord",
    read=read,
    kind="chat",
    help="Discord",
    suffixes=(".json", ".csv"),
    fields=fields("guild channel messages"),
    names=PACKAGE,
    files=FILES,
    noise=NOISE,
    has_other_products=True,
    is_folder=True,
)
