"""Reader of Claude Code's transcripts: ``~/.claude/projects/*/<session>.jsonl``, one event a line."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from app.core.clock import parse_instant
from app.exchange.formats.claude_content import ClaudeTurn, turns
from app.exchange.formats.transcripts import transcript_records
from app.exchange.formats.transcripts.transcript_records import line_id, turn
from app.exchange.model import Record, SessionRecord
from app.exchange.parsing.lenient import filled, first_text, row, table, text
from app.memories.foreign_record import Problem
from app.sessions.model import Role

FORMAT = "claude-code"
AGENT = transcript_records.AGENTS[FORMAT]
PATTERNS = ("*.jsonl",)
# What the program notes for itself: copies of files, results in another shape, reminders to the model.
NOISE = ("type=progress", "type=file-history-snapshot", "toolUseResult", "snapshot", "hookInfos", "type=attachment")
_SPOKEN = frozenset({"user", "assistant"})
_HEAD = ("cwd", "gitBranch", "version", "slug")


def read(path: Path, cancelled: Callable[[], bool]) -> Iterator[Record]:
    """Read a transcript.

    Args:
        path: The file, or a folder with such files in it or below.
        cancelled: Asked now and then; reading stops when it says so.
    """
    return transcript_records.each_file(
        path,
        PATTERNS,
        lambda file: transcript_records.read_with(ClaudeCodeParser(file.stem), file, cancelled),
        cancelled,
    )


def is_line(value: dict[str, Any]) -> bool:
    """Return whether a JSON object is a line of such a transcript."""
    kind = text(value.get("type"))
    if kind in _SPOKEN:
        return isinstance(value.get("message"), dict) and ("timestamp" in value or "uuid" in value)
    return kind in {"summary", "file-history-snapshot", "queue-operation", "system", "attachment", "progress"} and bool(
        value.keys() & {"leafUuid", "snapshot", "operation", "sessionId", "uuid", "messageId"}
    )


class ClaudeCodeParser:
    """Parser of the lines of one file.

    Args:
        name: What the session is called where no line says it.
        state: The state of an earlier parser of the same file.
    """

    def __init__(self, name: str, state: dict[str, Any] | None = None) -> None:
        self._name = name
        self.state: dict[str, Any] = dict(state or {})

    def records(self, line: bytes, place: str) -> Iterator[Record]:
        """See ``LineParser``."""
        event = transcript_records.parsed(line, place)
        if isinstance(event, Problem):
            yield event
        elif event is not None:
            yield from self._event(event, text(event.get("uuid")) or line_id(line))

    def _event(self, event: dict[str, Any], name: str) -> Iterator[Record]:
        kind = text(event.get("type"))
        if kind in {"summary", "ai-title", "custom-title"}:
            self.state["title"] = first_text(event, "summary", "customTitle", "aiTitle", "title")
            return
        if kind in _SPOKEN:
            made = list(self._message(event, name))
        elif kind == "system" and text(event.get("content")).strip():
            made = [self._notice(event, text(event["content"]), name)]
        elif kind == "attachment":
            made = list(self._queued(event, name))
        else:
            return
        yield from self._head(event)
        yield from made

    def _key(self, event: dict[str, Any]) -> str:
        session = text(event.get("sessionId")) or self._name
        agent = text(event.get("agentId"))
        return f"{session}:{agent}" if event.get("isSidechain") is True and agent else session

    def _head(self, event: dict[str, Any]) -> Iterator[Record]:
        key = self._key(event)
        if self.state.get("head") == key:
            return
        self.state["head"] = key
        yield SessionRecord(
            key,
            title=text(self.state.get("title")),
            agent=AGENT,
            created_ms=parse_instant(event.get("timestamp")),
            attributes={name: value for name, value in filled(event).items() if name in _HEAD},
        )

    def _message(self, event: dict[str, Any], name: str) -> Iterator[Record]:
        message = table(event.get("message"))
        role: Role = "assistant" if event.get("type") == "assistant" else "user"
        is_notice = event.get("isMeta") is True or event.get("isCompactSummary") is True
        for number, part in enumerate(turns({"content": message.get("content")})):
            yield self._part(event, part, "system" if is_notice else role, f"{name}#{number}" if number else name)

    def _part(self, event: dict[str, Any], part: ClaudeTurn, role: Role, name: str) -> Record:
        for call in part.calls:
            transcript_records.keep_tool(self.state, text(call.get("id")), text(call.get("name")))
        model = text(table(event.get("message")).get("model"))
        moment = parse_instant(event.get("timestamp"))
        if part.answers is not None:
            tool = part.tool or transcript_records.tool_of(self.state, part.answers)
            return turn(self._key(event), "tool", part.content, name, moment, author=tool, call=part.answers, tool=tool)
        return turn(
            self._key(event),
            role,
            part.content,
            name,
            moment,
            author=AGENT if role == "assistant" else "",
            importance=transcript_records.THOUGHT_IMPORTANCE if part.thought or role == "system" else None,
            calls=part.calls,
            payload={"model": model} if model else None,
        )

    def _notice(self, event: dict[str, Any], said: str, name: str) -> Record:
        moment = parse_instant(event.get("timestamp"))
        payload = {"subtype": text(event.get("subtype"))}
        return turn(
            self._key(event),
            "system",
            said,
            name,
            moment,
            importance=transcript_records.NOTICE_IMPORTANCE,
            payload=payload,
        )

    def _queued(self, event: dict[str, Any], name: str) -> Iterator[Record]:
        """Yield what the person typed while the agent worked; other attachments are the program's own."""
        attached = table(event.get("attachment"))
        said = attached.get("prompt")
        words = said if isinstance(said, str) else "\n\n".join(text(table(part).get("text")) for part in row(said))
        if attached.get("type") == "queued_command" and words.strip():
            yield turn(self._key(event), "user", words, name, parse_instant(event.get("timestamp")))
