"""Reader of Letta's agent files (``.af``): memory blocks, conversations and the texts of files.

Memory blocks become notes. The format is described at https://github.com/letta-ai/agent-file; files of older versions
hold one agent with ``core_memory``.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from app.core.clock import optional_datetime, parse_instant
from app.core.text import content_hash, excerpt, storable
from app.errors import FormatError
from app.exchange.accounting import read_item
from app.exchange.model import MessageRecord, Position, Record, SessionRecord
from app.exchange.parsing.json_items import MAX_ITEM, decode
from app.exchange.parsing.lenient import clean, filled, first_text, row, table, text
from app.memories.foreign_record import MemoryRecord, Problem
from app.sessions.model import NewMessage, Role

NAME: Final = "letta"
NOTICE_IMPORTANCE: Final = 0.1
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
        raise FormatError(f"{path.name} is larger than {MAX_ITEM >> 20} MB; it was not read.", path=str(path))
    try:
        value, _ = decode(path.read_bytes())
    except ValueError as error:
        raise FormatError(f"{path.name} is not valid JSON: {error}. Nothing was imported.", path=str(path)) from error
    whole = table(value)
    read_item(path.name, whole, "file")
    agents = [table(agent) for agent in row(whole.get("agents"))] or [whole]
    blocks = {text(table(block).get("id")): table(block) for block in row(whole.get("blocks"))}
    for number, agent in enumerate(agents):
        if cancelled():
            return
        yield from _agent(agent, blocks, path.name, number)
    yield from _files(row(whole.get("files")), path.name)
    yield Position(size, size, path.name)


def _agent(agent: Fields, blocks: dict[str, Fields], file: str, number: int) -> Iterator[Record]:
    name = storable(first_text(agent, "name"))[0] or f"{NAME} {number + 1}"
    place = f'{file}, agent "{excerpt(name, 60)}"'
    own = [table(block) for block in (*row(agent.get("core_memory")), *row(agent.get("memory_blocks")))]
    for block in [
        *own,
        *(blocks[one] for one in row(agent.get("block_ids")) if isinstance(one, str) and one in blocks),
    ]:
        label, said = storable(text(block.get("label")))[0], storable(text(block.get("value")))[0]
        if said.strip():
            yield MemoryRecord(
                f"{NAME}/{name}/{label}",
                said.strip(),
                title=f"{name}: {label}" if label else name,
                tags=(NAME,),
                attributes={"description": clean(block.get("description")), **filled(block, without=_BLOCK)},
            )
    messages = [table(message) for message in row(agent.get("messages"))]
    moments = [parse_instant(message.get("created_at")) for message in messages]
    if not messages:
        return
    first = next((moment for moment in moments if moment is not None), None)
    key = f"{NAME}-{content_hash(name, text(agent.get('id')), str(first))[:32]}"
    yield SessionRecord(key, title=name, agent=name, created_ms=first)
    for place_number, (message, moment) in enumerate(zip(messages, moments, strict=True), 1):
        yield from _message(key, message, moment, f"{place}, message {place_number}")


def _message(key: str, message: Fields, moment: int | None, place: str) -> Iterator[Record]:
    role = _ROLES.get(text(message.get("role")))
    said = _text(message.get("content")) or text(message.get("text"))
    if role == "user":
        said = _unwrapped(said)
    calls = [_call(table(call)) for call in row(message.get("tool_calls"))]
    if not said.strip() and not calls:
        return
    said, replaced = storable(said)
    if replaced:
        yield Problem(place, f"{replaced} characters that cannot be stored were replaced.", lost=False)
    if role is None:
        shown = excerpt(text(message.get("role")), 40)
        yield Problem(place, f"Its role {shown!r} is unknown; it went in as 'system'.", lost=False)
    name = storable(text(message.get("name")))[0]
    identified = text(message.get("id"))
    yield MessageRecord(
        key,
        NewMessage(
            role=role or "system",
            content=said,
            author="" if role == "tool" else name,
            created_at=optional_datetime(moment),
            importance=NOTICE_IMPORTANCE if role in (None, "system") else None,
            tool_name=name or None if role == "tool" else None,
            tool_calls=calls or None,
            payload={"id": clean(identified)} if identified else None,
        ),
    )


def _text(content: object) -> str:
    """Return the text of a message: a string, or its parts of type ``text``."""
    if isinstance(content, str):
        return content
    parts = [table(part) for part in row(content)]
    return "\n\n".join(text(part.get("text")) for part in parts if text(part.get("text")).strip())


def _unwrapped(said: str) -> str:
    """Return what a person said in ``{"type": "user_message", "message": …}``, as older versions wrap it."""
    if not said.lstrip().startswith("{"):
        return said
    try:
        value = table(json.loads(said))
    except (ValueError, RecursionError):
        return said
    return text(value.get("message")) if text(value.get("type")) == "user_message" else said


def _call(call: Fields) -> Fields:
    function = table(call.get("function")) or call
    return {"name": clean(text(function.get("name"))), "arguments": clean(text(function.get("arguments")))}


def _files(files: list[Any], file: str) -> Iterator[Record]:
    for given in map(table, files):
        name = storable(first_text(given, "original_file_name", "file_name", "name"))[0]
        said = storable(text(given.get("content")))[0]
        if said.strip():
            yield MemoryRecord(f"{NAME}/files/{name}", said, title=name, tags=(NAME,))
        elif name:
            yield Problem(f"{file}, file {excerpt(name, 60)!r}", "Its text is not in the agent file.", foreign=True)
