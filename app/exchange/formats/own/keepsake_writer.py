"""Writer of Keepsake's own format: one JSON object with every field a line."""

import json
from datetime import datetime
from typing import Any, Protocol

import msgspec

from app.exchange.formats.own.keepsake_details import write_detail
from app.exchange.model import ForgottenSession, VaultDetail
from app.memories.archive.model import Archived
from app.memories.model import Memory
from app.sessions.model import Message, Session


class Writable(Protocol):
    """Destination of bytes."""

    def write(self, data: bytes, /) -> object:
        """Write bytes."""


class JsonlWriter:
    """Writes model objects as lines, in the order given; reading them gives equal values.

    Args:
        stream: Where the bytes go.
    """

    def __init__(self, stream: Writable) -> None:
        self._stream = stream
        self._encode = msgspec.json.Encoder().encode
        self.bytes = 0

    def session(self, session: Session) -> None:
        """Write a session's head line."""
        self._write(_session(session))

    def forgotten(self, forgotten: ForgottenSession) -> None:
        """Write the first line of a forgotten session, with when it was forgotten."""
        self._write({**_session(forgotten.session), "forgotten_at": _iso(forgotten.forgotten_at)})

    def message(self, message: Message) -> None:
        """Write one message."""
        self._write(
            {
                "type": "message",
                "session": message.session_id,
                "seq": message.seq,
                "role": message.role,
                "author": message.author,
                "content": message.content,
                "created_at": _iso(message.created_at),
                "importance": message.importance,
                "tool_call_id": message.tool_call_id,
                "tool_name": message.tool_name,
                "tool_calls": message.tool_calls,
                "meta": message.payload,
            }
        )

    def memory(self, memory: Memory) -> None:
        """Write one memory; one that is deleted says when."""
        self._write(_memory(memory))

    def archived(self, item: Archived) -> None:
        """Write one memory of the archive, with when and why it was put there."""
        self._write({**_memory(item.memory), "archived_at": _iso(item.archived_at), "archive_reason": item.reason})

    def detail(self, detail: VaultDetail) -> None:
        """Write what is neither session, message nor memory."""
        self._write(write_detail(detail))

    def _write(self, fields: dict[str, Any]) -> None:
        try:
            line = self._encode(fields) + b"\n"
        except (UnicodeEncodeError, ValueError, TypeError):
            line = json.dumps(fields, default=str).encode("ascii") + b"\n"
        self._stream.write(line)
        self.bytes += len(line)


def _session(session: Session) -> dict[str, Any]:
    return {
        "type": "session",
        "id": session.id,
        "title": session.title,
        "agent": session.agent,
        "channel": session.channel,
        "created_at": _iso(session.created_at),
        "updated_at": _iso(session.updated_at),
        "consolidated_at": _iso(session.consolidated_at),
        "message_count": session.message_count,
        "attributes": session.attributes,
    }


def _memory(memory: Memory) -> dict[str, Any]:
    return {
        "type": "memory",
        "kind": memory.kind,
        "id": memory.id,
        "title": memory.title,
        "content": memory.content,
        "tags": list(memory.tags),
        "store": memory.store,
        "category": memory.category,
        "key": memory.key,
        "facts": list(memory.facts),
        "observation_type": memory.type,
        "source": memory.source,
        "session": memory.session_id,
        "created_at": _iso(memory.created_at),
        "updated_at": _iso(memory.updated_at),
        "event_time": _iso(memory.event_time),
        "expires_at": _iso(memory.expires_at),
        "deleted_at": _iso(memory.deleted_at),
        "superseded_by": memory.superseded_by,
        "confidence": memory.confidence,
        "decay_rate": memory.decay_rate,
        "mention_count": memory.mention_count,
        "pinned": memory.pinned,
        "version": memory.version,
        "attributes": memory.attributes,
        "files": list(memory.files),
        "people": list(memory.people),
        "sources": [{"kind": source.kind, "id": source.id} for source in memory.sources],
        "access_count": memory.access_count,
        "last_accessed": _iso(memory.last_accessed),
    }


def _iso(when: datetime | None) -> str | None:
    return None if when is None else when.isoformat(timespec="milliseconds")
