"""Reader of Claude's data export: ``conversations.json``, one conversation, or the zip or folder around them.

From the zip or folder it also takes the documents of projects, and what Claude remembers.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.core.clock import optional_datetime, parse_instant
from app.core.text import content_hash, excerpt, replaced_words, storable
from app.exchange.formats.assistants import claude_projects
from app.exchange.formats.assistants.claude_content import CIPHERED, ClaudeTurn, turns
from app.exchange.formats.format_spec import FormatSpec, fields
from app.exchange.importing.accounting import read_item
from app.exchange.model import MessageRecord, Record, SessionRecord
from app.exchange.parsing.item_places import titled
from app.exchange.parsing.json_items import JsonItem, items
from app.exchange.parsing.lenient import filled, row, table, text
from app.exchange.parsing.message_tree import branch, replaced_messages
from app.memories.foreign_record import Problem
from app.sentence import Sentence
from app.sessions.model import NewMessage, Role

AGENT = "Claude"
THOUGHT_IMPORTANCE = 0.1
_ROLES: dict[str, Role] = {
    "human": "user",
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "tool": "tool",
}
# Pages that a search found, what is shown of a tool's work, and names of files.
NOISE = ("citations", "display_content", "message", "site_name", "file_name", CIPHERED)
_OWN = ("uuid", "name", "created_at", "updated_at", "chat_messages", "messages", "conversation_id")
_MESSAGE_OWN = ("uuid", "sender", "role", "text", "content", "created_at", "updated_at", "attachments", "index")

Foreign = dict[str, Any]


@dataclass(slots=True)
class _Course:
    """State that carries over from one message to the next."""

    key: str
    moment: int | None
    tools: dict[str, str] = field(default_factory=dict)


def read(path: Path, cancelled: Callable[[], bool]) -> Iterator[Record]:
    """Read an export; of each conversation the branch in use.

    Args:
        path: ``conversations.json``, a single conversation, the zip, or the unpacked folder.
        cancelled: Asked now and then; reading stops when it says so.

    Raises:
        NotFoundError: There is nothing at ``path``.
        FormatError: The zip cannot be read at all.
    """
    for thing in items(path, cancelled, is_whole=False):
        if isinstance(thing, JsonItem):
            yield from _conversation(thing)
        else:
            yield thing
    yield from claude_projects.read(path, cancelled)


def _conversation(item: JsonItem) -> Iterator[Record]:
    talk = table(item.value)
    title, _ = storable(text(talk.get("name")) or text(talk.get("title")))
    place = titled(item.place, excerpt(title, 60))
    messages = talk.get("chat_messages", talk.get("messages"))
    rest = {name: value for name, value in talk.items() if value is not messages or not isinstance(messages, list)}
    read_item(place, rest if isinstance(item.value, dict) else item.value, "conversation")
    if not isinstance(messages, list):
        yield Problem(place, Sentence("It has no messages ('chat_messages' is missing) and was left out."))
        return
    known = [message if isinstance(message, dict) else {"text": message} for message in messages]
    spoken, broken = _in_use(known, text(talk.get("current_leaf_message_uuid")))
    if broken:
        yield Problem(
            place, Sentence("A message's predecessor is missing from the file; the messages before it are not there.")
        )
    head = _head(talk, title, known, len(known) - len(spoken))
    yield head
    course = _Course(head.key, head.created_ms)
    for number, message in enumerate(spoken, 1):
        where = f"{place}, message {number}"
        read_item(where, message, "message")
        yield from _message(message, course, where)
    if others := len(known) - len(spoken):
        yield replaced_messages(place, others)


def _in_use(known: list[Foreign], leaf: str) -> tuple[list[Foreign], bool]:
    """Return the messages of the branch in use.

    They are all messages where the file names no parents.
    """
    by_id = {text(message.get("uuid")): message for message in known}
    if len(by_id) != len(known) or "" in by_id or not any("parent_message_uuid" in message for message in known):
        return known, False
    parents = {name: text(message.get("parent_message_uuid")) or None for name, message in by_id.items()}
    roots = {name: parent if parent in by_id or not _is_root(parent) else None for name, parent in parents.items()}
    moments: dict[str, float | None] = {name: parse_instant(by_id[name].get("created_at")) for name in by_id}
    way = branch(roots, moments, leaf)
    return [by_id[name] for name in way.nodes], way.broken


def _is_root(parent: str | None) -> bool:
    """Return whether a parent id is the placeholder ``00000000-0000-4000-8000-000000000000``."""
    return parent is None or parent.startswith("00000000-0000-")


def _head(talk: Foreign, title: str, known: list[Foreign], left_out: int) -> SessionRecord:
    attributes = filled(talk, without=_OWN)
    if left_out:
        attributes["other_branches"] = left_out
    key = text(talk.get("uuid")) or text(talk.get("conversation_id"))
    first = text(known[0].get("created_at")) if known else ""
    return SessionRecord(
        key=storable(key or content_hash(title, str(talk.get("created_at")), first))[0],
        title=title,
        agent=AGENT,
        created_ms=parse_instant(talk.get("created_at")),
        updated_ms=parse_instant(talk.get("updated_at")),
        attributes=attributes,
    )


def _message(message: Foreign, course: _Course, place: str) -> Iterator[Record]:
    course.moment = parse_instant(message.get("created_at")) or course.moment
    sender = text(message.get("sender")) or text(message.get("role"))
    role = _ROLES.get(sender)
    if not any(message.values()):
        yield Problem(place, Sentence("It is empty and was left out."))
        return
    if role is None:
        yield Problem(
            place,
            Sentence("Its sender {text} is unknown; it went in as 'system'.", text=repr(excerpt(sender, 40))),
            lost=False,
        )
    for number, turn in enumerate(turns(message)):
        content, replaced = storable(turn.content)
        if replaced:
            yield Problem(place, replaced_words(replaced), lost=False)
        for call in turn.calls:
            course.tools[text(call.get("id"))] = text(call.get("name"))
        yield MessageRecord(course.key, _new(message, turn, content, role or "system", number, course))


def _new(message: Foreign, turn: ClaudeTurn, content: str, role: Role, number: int, course: _Course) -> NewMessage:
    answers = turn.answers is not None
    tool = turn.tool or course.tools.get(turn.answers or "", "")
    payload = filled(message, without=_MESSAGE_OWN) if number == 0 else {}
    uuid = storable(text(message.get("uuid")))[0]
    payload.update(turn.left)
    if uuid:
        payload["id"] = f"{uuid}#{number}" if number else uuid
    attachments = [filled(table(item), without=("extracted_content",)) for item in row(message.get("attachments"))]
    if number == 0 and any(attachments):
        payload["attachments"] = attachments
    return NewMessage(
        role="tool" if answers else role,
        content=content,
        author=storable(tool)[0] if answers else (AGENT if role == "assistant" else ""),
        created_at=optional_datetime(course.moment),
        importance=THOUGHT_IMPORTANCE if turn.thought else None,
        tool_call_id=storable(turn.answers)[0] if turn.answers else None,
        tool_name=storable(tool)[0] or None if answers else None,
        tool_calls=list(turn.calls) or None,
        payload=payload or None,
    )


__all__ = ["AGENT", "read"]

SPEC = FormatSpec(
    name="claude",
    title="Claude export",
    read=read,
    kind="conversations",
    help="Claude",
    suffixes=(".json",),
    fields=fields("item.chat_messages", "chat_messages", "conversations.item.chat_messages"),
    broken=re.compile(rb'"chat_messages"\s*:'),
    noise=NOISE,
)
