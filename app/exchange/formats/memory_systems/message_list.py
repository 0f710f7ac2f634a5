"""Reader of an agent's messages as JSON: a list of ``{"role", "content"}``, one conversation."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from app.core.clock import optional_datetime, parse_instant
from app.core.text import content_hash, excerpt, storable
from app.exchange.formats.assistants.claude_content import turns
from app.exchange.formats.format_spec import FormatSpec, fields
from app.exchange.model import MessageRecord, Record, SessionRecord
from app.exchange.parsing.json_items import JsonItem, items
from app.exchange.parsing.lenient import clean, first_text, row, table, text
from app.memories.foreign_record import Problem
from app.sentence import Sentence
from app.sessions.model import NewMessage, Role

NAME: Final = "messages"
_ROLES: Final[dict[str, Role]] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "tool": "tool",
    "function": "tool",
    "system": "system",
    "developer": "system",
}

_BLOCKS: Final = frozenset({"tool_use", "tool_result", "thinking", "document", "image"})


def read(path: Path, cancelled: Callable[[], bool]) -> Iterator[Record]:
    """Read the messages as one conversation, named like the file.

    Args:
        path: The file.
        cancelled: Asked now and then; reading stops when it says so.
    """
    key = ""
    for thing in items(path, cancelled, "message"):
        if not isinstance(thing, JsonItem):
            yield thing
            continue
        fields = table(thing.value)
        if not key:
            key = f"{NAME}-{content_hash(path.stem, content_text(fields.get('content')))[:32]}"
            yield SessionRecord(key, title=storable(path.stem)[0], created_ms=_moment(fields))
        yield _message(key, fields, thing.place)


def _moment(fields: dict[str, Any]) -> int | None:
    return parse_instant(fields.get("created_at")) or parse_instant(fields.get("timestamp"))


def _message(key: str, fields: dict[str, Any], place: str) -> Record:
    role = _ROLES.get(text(fields.get("role")).casefold())
    if role is None:
        shown = excerpt(text(fields.get("role")), 40)
        return Problem(
            place,
            Sentence(
                "Its role {shown} is none of {roles}; it was left out.", shown=repr(shown), roles=", ".join(_ROLES)
            ),
        )
    parts = list(turns({"content": fields.get("content")})) if _has_blocks(fields.get("content")) else []
    words = "\n\n".join(part.content for part in parts if part.content) or content_text(fields.get("content"))
    calls = [
        clean(table(call))
        for call in (*row(fields.get("tool_calls")), *(call for part in parts for call in part.calls))
    ]
    if not words.strip() and not calls:
        return Problem(place, Sentence("It holds no text and was left out."))
    name = storable(first_text(fields, "name"))[0]
    return MessageRecord(
        key,
        NewMessage(
            role=role,
            content=storable(words)[0],
            author="" if role == "tool" else name,
            created_at=optional_datetime(_moment(fields)),
            tool_name=name or None if role == "tool" else None,
            tool_calls=calls or None,
        ),
    )


def _has_blocks(content: object) -> bool:
    """Return whether a content has parts beside text, such as calls of tools."""
    return any(text(table(part).get("type")) in _BLOCKS for part in row(content))


def content_text(content: object) -> str:
    """Return the text of a message's content: a string, or the texts of its parts."""
    if isinstance(content, str):
        return content
    parts = [part if isinstance(part, str) else first_text(table(part), "text", "content") for part in row(content)]
    return "\n\n".join(part for part in parts if part.strip())


SPEC = FormatSpec(
    name=NAME,
    title="Messages of an agent",
    read=read,
    kind="memories",
    help="agents (messages as JSON)",
    suffixes=(".json",),
    fields=fields("item.role item.content"),
)
