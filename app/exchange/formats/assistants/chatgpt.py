"""Reader of ChatGPT's data export.

It takes ``conversations.json``, its numbered shards, or the zip or folder around them, with the pictures, recordings
and documents that lie there.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from app.core.clock import optional_datetime, parse_instant
from app.core.text import content_hash, excerpt, replaced_words, storable
from app.exchange.formats.assistants.chatgpt_content import render
from app.exchange.formats.assistants.conversation_files import ConversationFiles, attached_files, pointers
from app.exchange.formats.format_spec import FormatSpec, fields
from app.exchange.formats.notebooks.archive_files import open_files
from app.exchange.importing.accounting import list_file, read_item
from app.exchange.importing.unread_files import is_media
from app.exchange.model import MessageRecord, Record, SessionRecord
from app.exchange.parsing.item_places import numbered, titled
from app.exchange.parsing.json_items import JsonItem, items
from app.exchange.parsing.lenient import clean, filled, row, table, text
from app.exchange.parsing.message_tree import apart, branch, other_branches, replaced_messages
from app.memories.foreign_record import Problem
from app.sentence import Sentence
from app.sessions.model import NewMessage, Role

AGENT = "ChatGPT"
WITH_BRANCHES = "chatgpt-branches"
"""Format that also imports the branches which were left by an edit or a retry."""
THOUGHT_IMPORTANCE = 0.1
_ROLES: dict[str, Role] = {
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "system": "system",
    "developer": "system",
}
_THOUGHTS = ("thoughts", "reasoning_recap")
_CONTEXT = ("user_editable_context", "model_editable_context")
# What the interpreter says to its notebook, pages that a search found, names of files, and texts of the program itself.
NOISE = (
    *("jupyter_messages", "aggregate_result", "citations", "content_references", "search_result_groups", "attachments"),
    *("search_queries", "image_results", "cite_metadata", "_cite_metadata", "safe_urls", "model_switcher_deny"),
    *("finish_details", "reasoning_title", "initial_text", "finished_text", "canvas"),
)
_PLACE = frozenset({"id", "parent", "children"})
_OWN = ("id", "conversation_id", "title", "create_time", "update_time", "mapping", "current_node")

Node = dict[str, Any]


def read(path: Path, cancelled: Callable[[], bool], *, all_branches: bool = False) -> Iterator[Record]:
    """Read an export; of each conversation the branch in use.

    Args:
        path: ``conversations.json``, the zip, or the unpacked folder.
        cancelled: Asked now and then; reading stops when it says so.
        all_branches: Also return what was left by an edit or a retry, each as a conversation of its own.

    Raises:
        NotFoundError: There is nothing at ``path``.
        FormatError: The zip cannot be read at all.
    """
    with open_files(path, opens_nested=False) as exported:
        files = ConversationFiles(exported.files)
        if path.is_dir():
            for name, entry in exported.files.items():
                if is_media(name):
                    list_file(name, entry.size)
        for thing in items(path, cancelled, is_whole=False):
            if isinstance(thing, JsonItem):
                yield from _conversation(thing, files, all_branches=all_branches)
            else:
                yield thing


def _conversation(item: JsonItem, files: ConversationFiles, *, all_branches: bool) -> Iterator[Record]:
    talk = table(item.value)
    mapping = table(talk.get("mapping"))
    nodes = {name: node for name, node in mapping.items() if isinstance(node, dict)}
    title, _ = storable(text(talk.get("title")))
    place = titled(item.place, excerpt(title, 60))
    head_fields = {name: value for name, value in talk.items() if value is not mapping}
    read_item(place, head_fields if isinstance(item.value, dict) else item.value, "conversation")
    for name, node in mapping.items():
        if name not in nodes:
            read_item(numbered(place, "message", name), node, "message")
    if not nodes:
        yield Problem(place, Sentence("It has no messages ('mapping' is missing or empty) and was left out."))
        return
    moments = {name: _moment(node) for name, node in nodes.items()}
    parents = {name: _parent(node) for name, node in nodes.items()}
    way = branch(parents, moments, text(talk.get("current_node")))
    if way.broken:
        yield Problem(
            place, Sentence("A message's predecessor is missing from the file; the messages before it are not there.")
        )
    spoken = [nodes[name] for name in way.nodes if _is_spoken(nodes[name])]
    lost = [name for name in apart(parents, way) if _is_spoken(nodes[name])]
    left_out = sum(map(_is_spoken, nodes.values())) - len(spoken) - len(lost)
    if lost and not all_branches:
        for name in lost:
            yield Problem(
                numbered(place, "message", excerpt(name, 40)),
                Sentence(
                    "It is joined to no other message by its 'parent' and was left out; the format '{name}' takes it.",
                    name=WITH_BRANCHES,
                ),
            )
    head = _head(talk, title, spoken, left_out)
    yield head
    yield from _messages(head, spoken, talk, files, place)
    others = other_branches(parents, moments, way) if all_branches else []
    if left_out and not all_branches:
        yield replaced_messages(place, left_out, Sentence("The format '{name}' takes it too.", name=WITH_BRANCHES))
    for number, (after, other) in enumerate(others, 2):
        rest = [nodes[name] for name in other.nodes if _is_spoken(nodes[name])]
        if rest:
            remainder = replace(
                head,
                key=f"{head.key}~{storable(other.nodes[-1])[0]}",
                title=f"{title or AGENT} ({number})",
                attributes={"branch_of": head.key, **({} if after is None else {"branches_after": clean(after)})},
            )
            yield remainder
            yield from _messages(remainder, rest, talk, files, f"{place}, branch {number}")


def _head(talk: Node, title: str, spoken: list[Node], left_out: int) -> SessionRecord:
    attributes = filled(talk, without=_OWN)
    if left_out:
        attributes["other_branches"] = left_out
    key = text(talk.get("conversation_id")) or text(talk.get("id"))
    first = text(table(spoken[0].get("message")).get("id")) if spoken else ""
    return SessionRecord(
        key=storable(key or content_hash(title, str(talk.get("create_time")), first))[0],
        title=title,
        agent=AGENT,
        created_ms=parse_instant(talk.get("create_time")),
        updated_ms=parse_instant(talk.get("update_time")),
        attributes=attributes,
    )


def _messages(
    head: SessionRecord, spoken: list[Node], talk: Node, files: ConversationFiles, place: str
) -> Iterator[Record]:
    moment = head.created_ms
    for number, node in enumerate(spoken, 1):
        where = numbered(place, "message", number)
        read_item(where, node, "message")
        message = table(node.get("message"))
        yield from _files(message, files, where)
        words, payload = render(message.get("content"), files.link)
        words = "\n\n".join(filter(None, (words, *_unshown(message, files, words))))
        moment = parse_instant(message.get("create_time")) or moment
        if not words.strip():
            continue
        words, replaced = storable(words)
        if replaced:
            yield Problem(where, replaced_words(replaced), lost=False)
        role = _ROLES.get(text(table(message.get("author")).get("role")))
        if role is None:
            yield Problem(
                where,
                Sentence("Its role {shown} is unknown; it went in as 'system'.", shown=repr(_foreign_role(message))),
                lost=False,
            )
        yield MessageRecord(head.key, _message(message, words, payload, role or "system", moment, talk))


def _files(message: Node, files: ConversationFiles, place: str) -> Iterator[Record]:
    """Yield the files of a message, under the names that the person gave them."""
    for key, name in attached_files(message):
        yield from files.take(key, name, place)
    content = message.get("content")
    for part in row(content) or row(table(content).get("parts")):
        for address in pointers(part):
            yield from files.take(address, "", place)


def _unshown(message: Node, files: ConversationFiles, text: str) -> list[str]:
    """Return links to a message's files that its text lacks."""
    links = (files.link(key) for key, _ in attached_files(message))
    return [link for link in dict.fromkeys(links) if link and link not in text]


def _message(message: Node, content: str, left: Node, role: Role, moment: int | None, talk: Node) -> NewMessage:
    author = table(message.get("author"))
    metadata = table(message.get("metadata"))
    kind = left.get("content_type")
    name = text(author.get("name"))
    if role == "assistant":
        name = name or text(metadata.get("model_slug")) or text(talk.get("default_model_slug")) or AGENT
    recipient = text(message.get("recipient")) or "all"
    calls = [{"name": clean(recipient), "arguments": content}] if role == "assistant" and recipient != "all" else None
    payload = filled(message, without=("content", "create_time", "author", "recipient"))
    extra = {
        "content": left,
        "author": filled(author, without=("role",)),
        "recipient": "" if calls else clean(recipient),
    }
    payload.update({field: value for field, value in extra.items() if value not in ("", "all", {})})
    return NewMessage(
        role="system" if kind in _CONTEXT else role,
        content=content,
        author="" if kind in _CONTEXT else storable(name)[0],
        created_at=optional_datetime(moment),
        importance=THOUGHT_IMPORTANCE if kind in _THOUGHTS else None,
        tool_name=storable(name)[0] or None if role == "tool" else None,
        tool_calls=calls,
        payload=payload,
    )


def _is_spoken(node: Node) -> bool:
    """Return whether a node holds more than its place in the tree."""
    return any(node.get(name) for name in node.keys() - _PLACE)


def _parent(node: Node) -> str | None:
    return text(node.get("parent")) or None


def _moment(node: Node) -> float | None:
    return parse_instant(table(node.get("message")).get("create_time"))


def _foreign_role(message: Node) -> str:
    return excerpt(str(table(message.get("author")).get("role")), 40)


SPEC = FormatSpec(
    name="chatgpt",
    title="ChatGPT export",
    read=read,
    kind="conversations",
    help="ChatGPT (conversations.json or the zip)",
    suffixes=(".json",),
    fields=fields("item.mapping", "mapping", "conversations.item.mapping"),
    broken=re.compile(rb'"mapping"\s*:\s*\{'),
    noise=NOISE,
)


BRANCHES_SPEC = FormatSpec(
    name=WITH_BRANCHES,
    title="ChatGPT, with branches",
    read=partial(read, all_branches=True),
    kind="conversations",
    noise=NOISE,
    stored_as="chatgpt",
)
