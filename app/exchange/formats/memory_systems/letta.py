"""Reader of Letta's agent files (``.af``): memory blocks, conversations and the texts of files.

Memory blocks become notes. The format is described at https://github.com/letta-ai/agent-file; files of older versions
hold one agent with ``core_memory``.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from app.core.clock import optional_datetime, parse_instant
from app.core.text import content_hash, excerpt, replaced_words, storable
from app.errors import FormatError
from app.exchange.formats.format_spec import FormatSpec, fields
from app.exchange.importing.accounting import read_item
from app.exchange.model import MessageRecord, Position, Record, SessionRecord
from app.exchange.parsing.item_places import numbered
from app.exchange.parsing.json_items import MAX_ITEM, decode
from app.exchange.parsing.lenient import clean, filled, first_text, row, table, text
from app.memories.foreign_record import MemoryRecord, Problem
from app.sentence import Sentence
from app.sessions.model import NewMessage, Role

NAME: Final = "letta"
NOTICE_IMPORTANCE: Final = 0.1
_SEND: Final = "send_message"
_ANSWERED: Final = frozenset({"ok", "none", "null", "success", ""})
# What the server says to an agent in the person's place.
_EVENTS: Final = frozenset({"heartbeat", "login", "system_alert", "package", "package_message"})
_MAX_WRAPPED: Final = 3
NOISE: Final = ("tools", "tool_rules", "llm_config", "embedding_config", "system", "mcp_servers")
_ROLES: Final[dict[str, Role]] = {
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
    "system": "system",
    "approval": "system",
}
_BLOCK: Final = ("id", "label", "value", "limit", "description")

Fields = dict[str, Any]


def read(path: Path, cancelled: Callable[[], bool]) -> Iterator[Record]:
    """Read an agent file.

    Args:
        path: The file.
        cancelled: Asked before every agent; reading stops when it says so.

    Raises:
        FormatError: It is not JSON, or larger than one value may be.
    """
    size = path.stat().st_size
    if size > MAX_ITEM:
        raise FormatError(
            Sentence("{name} is larger than {most} MB; it was not read.", name=path.name, most=MAX_ITEM >> 20),
            path=str(path),
        )
    try:
        value, _ = decode(path.read_bytes())
    except ValueError as error:
        raise FormatError(
            Sentence("{name} is not valid JSON: {reason}. Nothing was imported.", name=path.name, reason=error),
            path=str(path),
        ) from error
    whole = table(_unpacked(value))
    read_item(path.name, whole, "file")
    agents = [table(agent) for agent in row(whole.get("agents"))] or [whole]
    listed = [table(block) for block in row(whole.get("blocks"))]
    blocks = {text(block.get("id")) or f"block {at}": block for at, block in enumerate(listed)}
    for number, agent in enumerate(agents):
        if cancelled():
            return
        yield from _agent(agent, blocks, path.name, number)
    used = {identity for agent in agents for identity in row(agent.get("block_ids")) if isinstance(identity, str)}
    name = _name(agents[0], 0) if len(agents) == 1 else NAME
    yield from _notes(name, [block for key, block in blocks.items() if key not in used])
    yield from _files(row(whole.get("files")), path.name)
    yield Position(size, size, path.name)


def _agent(agent: Fields, blocks: dict[str, Fields], file: str, number: int) -> Iterator[Record]:
    name = _name(agent, number)
    place = f'{file}, agent "{excerpt(name, 60)}"'
    memory_blocks = (agent.get("core_memory"), agent.get("memory_blocks"), table(agent.get("memory")).get("blocks"))
    own = [table(block) for part in memory_blocks for block in row(part)]
    named = [
        blocks[identity] for identity in row(agent.get("block_ids")) if isinstance(identity, str) and identity in blocks
    ]
    yield from _notes(name, [*own, *named])
    messages = [table(message) for message in row(agent.get("messages"))]
    moments = [parse_instant(message.get("created_at")) for message in messages]
    if not messages:
        return
    first = next((moment for moment in moments if moment is not None), None)
    key = f"{NAME}-{content_hash(name, text(agent.get('id')), str(first))[:32]}"
    yield SessionRecord(key, title=name, agent=name, created_ms=first)
    sent: set[str] = set()
    for place_number, (message, moment) in enumerate(zip(messages, moments, strict=True), 1):
        yield from _message(key, message, moment, f"{place}, message {place_number}", sent)


def _name(agent: Fields, number: int) -> str:
    return storable(first_text(agent, "name"))[0] or f"{NAME} {number + 1}"


def _notes(name: str, blocks: Sequence[Fields]) -> Iterator[MemoryRecord]:
    """Yield a note for each memory block of the agent with this name."""
    for block in blocks:
        label, value = storable(text(block.get("label")))[0], storable(text(block.get("value")))[0]
        if value.strip():
            yield MemoryRecord(
                f"{NAME}/{name}/{label}",
                value.strip(),
                title=f"{name}: {label}" if label else name,
                tags=(NAME,),
                attributes={"description": clean(block.get("description")), **filled(block, without=_BLOCK)},
            )


def _message(key: str, message: Fields, moment: int | None, place: str, sent: set[str]) -> Iterator[Record]:
    """Yield what a message holds: thoughts, what was said, and calls of tools.

    Args:
        key: The conversation.
        message: The message.
        moment: When it was said.
        place: Where it stands, for a person.
        sent: Calls with which the agent spoke; those of this message are added.
    """
    role = _ROLES.get(text(message.get("role")))
    content = _text(message.get("content")) or text(message.get("text"))
    calls = [table(call) for call in row(message.get("tool_calls"))]
    spoken = [words for call in calls if (words := _sent(call))]
    sent.update(text(call.get("id")) for call in calls if _sent(call))
    is_to_person = text(message.get("tool_call_id")) in sent or text(message.get("name")) == _SEND
    if role == "tool" and is_to_person and _is_plain_answer(content):
        return
    thoughts = _thoughts(message.get("content"))
    if role == "user":
        content, is_person = _unwrapped(content)
        role = role if is_person else "system"
    elif role == "assistant" and spoken:
        # Beside a message that it sends, the agent's text is what it thinks.
        thoughts, content = "\n\n".join(filter(None, (thoughts, content))), "\n\n".join(spoken)
    name = storable(text(message.get("name")))[0]
    identified = text(message.get("id"))
    turn = _Turn(key, moment, name, identified, place)
    if thoughts.strip():
        yield turn.record("system", thoughts, mark="thought")
    others = [_call(call) for call in calls if not _sent(call)]
    if not content.strip() and not others:
        return
    content, replaced = storable(content)
    if replaced:
        yield Problem(place, replaced_words(replaced), lost=False)
    if role is None:
        shown = excerpt(text(message.get("role")), 40)
        yield Problem(
            place, Sentence("Its role {shown} is unknown; it went in as 'system'.", shown=repr(shown)), lost=False
        )
    yield turn.record(role or "system", content, calls=others)


@dataclass(frozen=True, slots=True)
class _Turn:
    """Fields of one message of Letta, of which several messages are made."""

    key: str
    moment: int | None
    name: str
    identified: str
    place: str

    def record(self, role: Role, text: str, *, mark: str = "", calls: Sequence[Fields] = ()) -> MessageRecord:
        identified = f"{self.identified}#{mark}" if self.identified and mark else self.identified
        payload = {**({"id": clean(identified)} if identified else {}), **({mark: True} if mark else {})}
        return MessageRecord(
            self.key,
            NewMessage(
                role=role,
                content=storable(text)[0],
                author="" if role == "tool" else self.name,
                created_at=optional_datetime(self.moment),
                importance=NOTICE_IMPORTANCE if role == "system" else None,
                tool_name=self.name or None if role == "tool" else None,
                tool_calls=[*calls] or None,
                payload=payload or None,
            ),
        )


def _sent(call: Fields) -> str:
    """Return what the agent says with a call, ``""`` for another call."""
    function = table(call.get("function")) or call
    if text(function.get("name")) != _SEND:
        return ""
    arguments = function.get("arguments")
    return first_text(table(_unpacked(arguments)), "message", "content", "text") or text(arguments)


def _is_plain_answer(content: str) -> bool:
    """Return whether a tool only says that it did what it was told."""
    value = _unpacked(content)
    if isinstance(value, dict):
        return text(value.get("message")).casefold() in _ANSWERED and not value.keys() - {"status", "message", "time"}
    return text(value).casefold().strip() in _ANSWERED


def _thoughts(content: object) -> str:
    """Return what a model thought, from the parts that hold it."""
    parts = [table(part) for part in row(content)]
    return "\n\n".join(filter(None, (first_text(part, "reasoning", "thinking", "summary") for part in parts)))


def _unpacked(value: object) -> object:
    """Return the JSON value in a string, and any other value as it is."""
    for _ in range(_MAX_WRAPPED):
        if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "[", '"'):
            break
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            break
    return value


def _text(content: object) -> str:
    """Return the text of a message: a string, or its parts of type ``text``."""
    if isinstance(content, str):
        return content
    parts = [table(part) for part in row(content)]
    return "\n\n".join(text(part.get("text")) for part in parts if text(part.get("text")).strip())


def _unwrapped(content: str) -> tuple[str, bool]:
    """Return what is said in ``{"type": "user_message", "message": …}``, and whether it is the person's.

    Older versions wrap what a person says so, and what happens too.
    """
    value = table(_unpacked(content))
    kind = text(value.get("type"))
    if kind == "user_message":
        return text(value.get("message")), True
    if kind in _EVENTS:
        return first_text(value, "reason", "message") or content, False
    return content, True


def _call(call: Fields) -> Fields:
    function = table(call.get("function")) or call
    return {"name": clean(text(function.get("name"))), "arguments": clean(text(function.get("arguments")))}


def _files(files: list[Any], file: str) -> Iterator[Record]:
    for file_fields in map(table, files):
        name = storable(first_text(file_fields, "original_file_name", "file_name", "name"))[0]
        content = storable(text(file_fields.get("content")))[0]
        if content.strip():
            yield MemoryRecord(f"{NAME}/files/{name}", content, title=name, tags=(NAME,))
        elif name:
            yield Problem(
                numbered(file, "file", repr(excerpt(name, 60))),
                Sentence("Its text is not in the agent file."),
                foreign=True,
            )


SPEC = FormatSpec(
    name=NAME,
    title="Letta",
    read=read,
    kind="memories",
    help="Letta",
    suffixes=(".json", ".af"),
    fields=fields(
        "agents.item.block_ids",
        "agents.item.in_context_message_ids",
        "agents.item.messages.item.role",
        "agents blocks tools",
        "agents.item.name blocks.item.label",
        "core_memory.item.label agent_type",
        "core_memory.item.label messages",
        "memory_blocks.item.label messages",
    ),
    noise=NOISE,
    keys="file",
)
