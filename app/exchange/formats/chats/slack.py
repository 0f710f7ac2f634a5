"""Reader of Slack's workspace export: a folder of days for each channel."""

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from app.core.clock import parse_instant
from app.exchange.formats.chats import chat_records, slack_text
from app.exchange.formats.chats.chat_records import Cancelled, folder_of
from app.exchange.formats.chats.slack_text import SlackText
from app.exchange.formats.format_spec import FormatSpec, fields
from app.exchange.importing.source_files import SourceEntry
from app.exchange.model import MessageRecord, Position, Record
from app.exchange.parsing.json_items import JsonItem, entry_items
from app.exchange.parsing.lenient import filled, first_text, row, table, text
from app.memories.foreign_record import Problem
from app.sentence import Sentence

FORMAT = "slack"
AGENT = "Slack"
FILES = re.compile(r"(?:.*/)?(?:(?:users|channels|groups|dms|mpims)\.json|[^/]+/\d{4}-\d{2}-\d{2}\.json)")
_LISTS = re.compile(r"(?:.*/)?(channels|groups|dms|mpims)\.json")
_USERS = re.compile(r"(?:.*/)?users\.json")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\.json")
_SPOKEN = frozenset(
    {"", "bot_message", "file_share", "me_message", "thread_broadcast", "file_comment", "reply_broadcast"}
)
NOISE, STAND_INS = slack_text.NOISE, slack_text.STAND_INS
_OWN = ("type", "user", "text", "ts", "blocks", "user_profile", "client_msg_id", "team", "source_team", "user_team")
_METADATA = frozenset(
    {
        *("type", "user", "ts", "user_profile", "client_msg_id", "team", "source_team", "user_team", "subtype"),
        *("username", "bot_profile", "edited", "replies", "reply_users", "root", "parent_user_id", "thread_ts"),
        *("permalink", "upload", "pinned_to", "pinned_info", "inviter", "members", "icons", "event_ts", "channel"),
        *("last_read", "app_id", "bot_id", "reactions"),
    }
)


def read(path: Path, cancelled: Cancelled) -> Iterator[Record]:
    """Read an export; each channel is a conversation, a thread's answers name its first message.

    Args:
        path: The zip, the unpacked folder, or the file of one day.
        cancelled: Asked now and then; reading stops when it says so.

    Raises:
        NotFoundError: There is nothing at ``path``.
        FormatError: The zip cannot be read at all.
    """
    with chat_records.files(path, FILES) as archive:
        people: dict[str, str] = {}
        channels: dict[str, dict[str, Any]] = {}
        for entry in archive:
            if _USERS.fullmatch(entry.name):
                yield from _users(entry, people, cancelled)
            elif _LISTS.fullmatch(entry.name):
                yield from _channels(entry, channels, cancelled)
        days = [entry for entry in archive if _is_day(entry, path)]
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
    is_list = _USERS.fullmatch(entry.name) or _LISTS.fullmatch(entry.name)
    for thing in entry_items(entry, cancelled, "name" if is_list else "message"):
        if isinstance(thing, JsonItem):
            yield table(thing.value) or Problem(thing.place, Sentence("It is not an object and was left out."))
        elif isinstance(thing, Problem):
            yield thing


def _users(entry: SourceEntry, people: dict[str, str], cancelled: Cancelled) -> Iterator[Problem]:
    for item in _objects(entry, cancelled):
        if isinstance(item, Problem):
            yield item
        elif name := _name(item):
            people[text(item.get("id"))] = name


def _name(user: dict[str, Any]) -> str:
    profile = table(user.get("profile"))
    return first_text(profile, "real_name", "display_name") or first_text(user, "real_name", "name")


def _channels(entry: SourceEntry, channels: dict[str, dict[str, Any]], cancelled: Cancelled) -> Iterator[Problem]:
    for item in _objects(entry, cancelled):
        if isinstance(item, Problem):
            yield item
        else:
            channels[text(item.get("name")) or text(item.get("id"))] = item


class _Channel:
    """Messages of one channel, day by day."""

    def __init__(self, channel: dict[str, Any], name: str, people: dict[str, str]) -> None:
        self._people = people
        self._text = SlackText(people)
        self._channel = channel
        self._is_begun = False
        self.key = text(channel.get("id")) or name
        members = [people.get(text(member), text(member)) for member in row(channel.get("members"))]
        self._members = members
        self._title = f"#{name}" if text(channel.get("name")) else ", ".join(members) or name

    def day(self, entry: SourceEntry, cancelled: Cancelled) -> Iterator[Record]:
        """Yield the messages of one day's file, in order of time."""
        messages: list[tuple[float, dict[str, Any]]] = []
        for item in _objects(entry, cancelled):
            if isinstance(item, Problem):
                yield item
            else:
                messages.append((_seconds(item), item))
        for _, item in sorted(messages, key=lambda entry: entry[0]):
            if not self._is_begun:
                self._is_begun = True
                topic = text(table(self._channel.get("topic")).get("value"))
                purpose = text(table(self._channel.get("purpose")).get("value"))
                yield chat_records.head(
                    self.key, self._title, AGENT, _moment(item), topic=topic, purpose=purpose, members=self._members
                )
            yield self._message(item)

    def _message(self, fields: dict[str, Any]) -> MessageRecord:
        words = self._text.message(fields, _METADATA)
        is_notice = text(fields.get("subtype")) not in _SPOKEN
        payload = filled(fields, without=(*_OWN, "files", "file", "attachments"))
        if slack_text.is_stand_in(text(fields.get("text"))):
            payload["text"] = fields["text"]
        stamp = text(fields.get("ts"))
        if fields.get("thread_ts") == stamp:
            payload.pop("thread_ts", None)
        return chat_records.message(
            self.key,
            self._author(fields),
            words,
            _moment(fields),
            foreign_id=stamp,
            is_notice=is_notice,
            payload=payload,
        )

    def _author(self, fields: dict[str, Any]) -> str:
        user = text(fields.get("user")) or text(table(fields.get("comment")).get("user"))
        profile = table(fields.get("user_profile"))
        known = self._people.get(user) or first_text(profile, "real_name", "display_name", "name")
        named = first_text(fields, "username") or first_text(table(fields.get("bot_profile")), "name")
        return known or named or user or text(fields.get("bot_id"))


def _seconds(fields: dict[str, Any]) -> float:
    try:
        return float(text(fields.get("ts")))
    except ValueError:
        return 0.0


def _moment(fields: dict[str, Any]) -> int | None:
    return parse_instant(fields.get("ts"))


SPEC = FormatSpec(
    name=FORMAT,
    title="Slack",
    read=read,
    kind="chat",
    help="Slack",
    suffixes=(".json",),
    fields=fields("item.type item.ts"),
    names=re.compile(r"(?:[^/]*/)?(?:channels|dms|groups|integration_logs)\.json"),
    files=FILES,
    noise=NOISE,
    stand_ins=STAND_INS,
    has_other_products=True,
    is_folder=True,
)
