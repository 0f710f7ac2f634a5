"""Reader of Slack's workspace export: a folder of days for each channel."""

import html
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from app.core.clock import parse_instant
from app.exchange.formats.chats import chat_records
from app.exchange.formats.chats.chat_records import Cancelled, folder_of
from app.exchange.model import MessageRecord, Position, Record
from app.exchange.parsing.json_items import JsonItem, entry_items
from app.exchange.parsing.lenient import filled, first_text, row, table, text
from app.exchange.source_files import SourceEntry
from app.memories.foreign_record import Problem

FORMAT = "slack"
AGENT = "Slack"
FILES = re.compile(r"(?:.*/)?(?:(?:users|channels|groups|dms|mpims)\.json|[^/]+/\d{4}-\d{2}-\d{2}\.json)")
_LISTS = re.compile(r"(?:.*/)?(channels|groups|dms|mpims)\.json")
_USERS = re.compile(r"(?:.*/)?users\.json")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\.json")
_SPOKEN = frozenset(
    {"", "bot_message", "file_share", "me_message", "thread_broadcast", "file_comment", "reply_broadcast"}
)
NOISE = ("user_profile", "profile", "edited", "fallback", "video_html")
_TOKEN = re.compile(r"<([@#!])?([^<>|]{1,4000})(?:\|([^<>]{0,4000}))?>")
_OWN = ("type", "user", "text", "ts", "blocks", "user_profile", "client_msg_id", "team", "source_team", "user_team")


def read(path: Path, cancelled: Cancelled) -> Iterator[Record]:
    """Read an export; each channel is a conversation, a thread's answers name its first message.

    Args:
        path: The zip, the unpacked folder, or the file of one day.
        cancelled: Asked now and then; reading stops when it says so.

    Raises:
        NotFoundError: There is nothing at ``path``.
        FormatError: The zip cannot be read at all.
    """
    with chat_records.files(path, FILES) as found:
        people: dict[str, str] = {}
        channels: dict[str, dict[str, Any]] = {}
        for entry in found:
            if _USERS.fullmatch(entry.name):
                yield from _users(entry, people, cancelled)
            elif _LISTS.fullmatch(entry.name):
                yield from _channels(entry, channels, cancelled)
        days = [entry for entry in found if _is_day(entry, path)]
        total, done = sum(entry.size for entry in days), 0
        for folder, group in groupby(days, key=lambda entry: folder_of(entry.name)):
            name = folder.rpartition("/")[2] or path.resolve().parent.name
            talk = _Channel(channels.get(name, {}), name, people)
            for entry in group:
                if cancelled():
                    return
                yield from talk.day(entry, cancelled)
                done += entry.size
                yield Position(done, total, entry.name)


def _is_day(entry: SourceEntry, path: Path) -> bool:
    name = entry.name.rpartition("/")[2]
    return _DAY.fullmatch(name) is not None or (path.is_file() and entry.name == path.name)


def _objects(entry: SourceEntry, cancelled: Cancelled) -> Iterator[dict[str, Any] | Problem]:
    for thing in entry_items(entry, cancelled):
        if isinstance(thing, JsonItem):
            found = table(thing.value)
            place = thing.place.replace(", conversation ", ", item ")
            yield found or Problem(place, "It is not an object and was left out.")
        elif isinstance(thing, Problem):
            yield Problem(thing.place.replace(", conversation ", ", item "), thing.what, lost=thing.lost)


def _users(entry: SourceEntry, people: dict[str, str], cancelled: Cancelled) -> Iterator[Problem]:
    for found in _objects(entry, cancelled):
        if isinstance(found, Problem):
            yield found
        elif name := _name(found):
            people[text(found.get("id"))] = name


def _name(user: dict[str, Any]) -> str:
    profile = table(user.get("profile"))
    return first_text(profile, "real_name", "display_name") or first_text(user, "real_name", "name")


def _channels(entry: SourceEntry, channels: dict[str, dict[str, Any]], cancelled: Cancelled) -> Iterator[Problem]:
    for found in _objects(entry, cancelled):
        if isinstance(found, Problem):
            yield found
        else:
            channels[text(found.get("name")) or text(found.get("id"))] = found


class _Channel:
    """Messages of one channel, day by day."""

    def __init__(self, channel: dict[str, Any], name: str, people: dict[str, str]) -> None:
        self._people = people
        self._channel = channel
        self._is_begun = False
        self.key = text(channel.get("id")) or name
        members = [people.get(text(member), text(member)) for member in row(channel.get("members"))]
        self._members = members
        self._title = f"#{name}" if text(channel.get("name")) else ", ".join(members) or name

    def day(self, entry: SourceEntry, cancelled: Cancelled) -> Iterator[Record]:
        """Yield the messages of one day's file, in order of time."""
        said: list[tuple[float, dict[str, Any]]] = []
        for found in _objects(entry, cancelled):
            if isinstance(found, Problem):
                yield found
            else:
                said.append((_seconds(found), found))
        for _, found in sorted(said, key=lambda one: one[0]):
            if not self._is_begun:
                self._is_begun = True
                topic = text(table(self._channel.get("topic")).get("value"))
                purpose = text(table(self._channel.get("purpose")).get("value"))
                yield chat_records.head(
                    self.key, self._title, AGENT, _moment(found), topic=topic, purpose=purpose, members=self._members
                )
            yield self._message(found)

    def _message(self, found: dict[str, Any]) -> MessageRecord:
        attachments = [_attachment(table(part)) for part in row(found.get("attachments"))]
        files = [_file(table(part)) for part in [*row(found.get("files")), found.get("file")] if table(part)]
        said = chat_records.joined(self.words(text(found.get("text"))), *map(self.words, attachments), *files)
        is_notice = text(found.get("subtype")) not in _SPOKEN
        payload = filled(found, without=(*_OWN, "files", "file", "attachments"))
        stamp = text(found.get("ts"))
        if found.get("thread_ts") == stamp:
            payload.pop("thread_ts", None)
        return chat_records.message(
            self.key,
            self._author(found),
            said,
            _moment(found),
            foreign_id=stamp,
            is_notice=is_notice,
            payload=payload,
        )

    def _author(self, found: dict[str, Any]) -> str:
        user = text(found.get("user")) or text(table(found.get("comment")).get("user"))
        profile = table(found.get("user_profile"))
        known = self._people.get(user) or first_text(profile, "real_name", "display_name", "name")
        return known or first_text(found, "username") or user or text(found.get("bot_id"))

    def words(self, said: str) -> str:
        """Return Slack's markup as Markdown, with people by their names."""
        return html.unescape(_TOKEN.sub(self._token, said))

    def _token(self, found: re.Match[str]) -> str:
        kind, what, label = found[1], found[2], found[3]
        if kind == "@":
            return f"@{self._people.get(what) or label or what}"
        if kind == "#":
            return f"#{label or what}"
        if kind == "!":
            return f"@{label or what.partition('^')[0]}"
        return f"[{label}]({what})" if label and label != what else what


def _attachment(part: dict[str, Any]) -> str:
    lines = [first_text(part, name) for name in ("pretext", "title", "text")]
    return "\n".join(filter(None, lines)) or first_text(part, "fallback")


def _file(part: dict[str, Any]) -> str:
    return f"[file: {first_text(part, 'title', 'name', 'id') or 'without a name'}]"


def _seconds(found: dict[str, Any]) -> float:
    try:
        return float(text(found.get("ts")))
    except ValueError:
        return 0.0


def _moment(found: dict[str, Any]) -> int | None:
    return parse_instant(found.get("ts"))
