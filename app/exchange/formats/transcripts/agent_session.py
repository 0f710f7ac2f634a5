"""Reader of sessions of pi and its relatives, of Factory's droid, and of Cursor's agents.

A line has an object with ``role`` and ``content``, mostly in a field ``message``; pi and droid begin with a line about
the session. Items of OpenAI's responses, one a line, are read too.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from app.core.clock import parse_instant
from app.exchange.formats.assistants.claude_content import CIPHERED, ClaudeTurn, turns
from app.exchange.formats.format_spec import FormatSpec
from app.exchange.formats.transcripts import transcript_records
from app.exchange.formats.transcripts.transcript_records import LineParser, line_id, persons_turn, turn
from app.exchange.model import Record, SessionRecord
from app.exchange.parsing.lenient import filled, first_text, row, table, text
from app.sessions.model import Role

FORMAT: Final = "agent-session"
PATTERNS: Final = ("*.jsonl",)
NOISE: Final = ("type=session_info", "type=custom_title", "type=title", "type=model_change", CIPHERED)
_OPENINGS: Final = {"session": "Pi", "session_start": "Droid"}
_ROLES: Final[dict[str, Role]] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "model": "assistant",
    "tool": "tool",
    "toolresult": "tool",
    "tool_result": "tool",
    "bashexecution": "tool",
}
_CALLS: Final = frozenset({"toolcall", "tool_call", "tool_use", "function_call"})
_TEXTS: Final = frozenset({"text", "input_text", "output_text", "summary_text"})
_NAMED: Final = ("session_info", "custom_title", "title")


def is_line(value: dict[str, Any]) -> bool:
    """Return whether a JSON object is a line of such a transcript."""
    kind, message = text(value.get("type")), table(value.get("message"))
    if kind == "session":
        return "timestamp" in value and bool({"cwd", "version"} & value.keys())
    if kind == "session_start":
        return "id" in value
    if kind == "message" and isinstance(value.get("content"), list):
        return isinstance(value.get("role"), str)
    has_role = isinstance(message.get("role"), str) or isinstance(value.get("role"), str)
    return kind in ("", "message") and has_role and "content" in message


class AgentSessionParser(LineParser):
    """Parser of the lines of one file."""

    _title = ""

    def look_ahead(self, lines: Iterable[bytes]) -> None:
        """See ``LineParser``: titles stand behind what they are titles of."""
        for line in lines:
            event = transcript_records.peeked(line) if b"name" in line or b"title" in line else {}
            if text(event.get("type")) in (*_OPENINGS, *_NAMED):
                self._title = first_text(event, "name", "title", "sessionTitle") or self._title

    def _event(self, event: dict[str, Any], line: bytes, place: str) -> Iterator[Record]:
        records = list(self._turns(event, first_text(event, "id", "uuid") or line_id(line)))
        if records and not self.state.get("is_begun"):
            self.state["is_begun"] = True
            yield self._head(parse_instant(event.get("timestamp")))
        yield from records

    def _head(self, moment: int | None) -> SessionRecord:
        begun = self.state.get("begun") or moment
        attributes = transcript_records.head_attributes(filled({"cwd": self.state.get("cwd")}))
        return SessionRecord(self._key, title=self._title, agent=self._agent, created_ms=begun, attributes=attributes)

    @property
    def _agent(self) -> str:
        return text(self.state.get("source")) or transcript_records.AGENTS[FORMAT]

    def _turns(self, event: dict[str, Any], name: str) -> Iterator[Record]:
        kind = text(event.get("type"))
        message = table(event.get("message")) or event
        if kind in _OPENINGS:
            self.state |= {
                "session": first_text(event, "id", "sessionId"),
                "source": _OPENINGS[kind],
                "cwd": text(event.get("cwd")),
                "begun": parse_instant(event.get("timestamp")),
            }
        elif kind in _NAMED:
            return
        elif "role" in message or "role" in event:
            if not kind and message is not event:
                self.state.setdefault("source", "Cursor")
            yield from self._message({"role": event.get("role"), **message}, event, name)
        else:
            # Summaries and whatever else has words.
            words = first_text(event, "summary", "text") or transcript_records.readable(event.get("content"))
            if words.strip():
                moment = parse_instant(event.get("timestamp"))
                yield turn(self._key, "system", words, name, moment, importance=transcript_records.NOTICE_IMPORTANCE)

    def _message(self, message: dict[str, Any], event: dict[str, Any], name: str) -> Iterator[Record]:
        moment = parse_instant(event.get("timestamp")) or parse_instant(message.get("timestamp"))
        role = _ROLES.get(text(message.get("role")).casefold(), "system")
        for number, part in enumerate(turns({"content": _blocks(message, role)})):
            yield from self._part(part, role, f"{name}#{number}" if number else name, moment, message)

    def _part(
        self, part: ClaudeTurn, role: Role, name: str, moment: int | None, message: dict[str, Any]
    ) -> Iterator[Record]:
        for call in part.calls:
            transcript_records.keep_tool(self.state, text(call.get("id")), text(call.get("name")))
        if part.answers is not None:
            tool = part.tool or transcript_records.tool_of(self.state, part.answers)
            yield turn(self._key, "tool", part.content, name, moment, author=tool, call=part.answers, tool=tool)
        elif part.thought:
            yield transcript_records.thought(self._key, part.content, name, moment, self._agent)
        elif role == "user" and not part.calls:
            yield from persons_turn(self._key, part.content, name, moment)
        else:
            model = text(message.get("model"))
            yield turn(
                self._key,
                role,
                part.content,
                name,
                moment,
                author=self._agent if role == "assistant" else "",
                importance=transcript_records.NOTICE_IMPORTANCE if role == "system" else None,
                calls=part.calls,
                payload={"model": model} if model else None,
            )


def _blocks(message: dict[str, Any], role: Role) -> list[dict[str, Any]]:
    """Return the parts of a message as Claude names them."""
    content = message.get("content")
    if role == "tool":
        words = transcript_records.readable(content) or first_text(message, "output", "text")
        call = first_text(message, "toolCallId", "tool_call_id", "call_id")
        tool = first_text(message, "toolName", "tool_name", "name", "command")
        return [{"type": "tool_result", "tool_use_id": call, "name": tool, "content": words}]
    parts = [content] if isinstance(content, str) else row(content)
    return [{"type": "text", "text": part} if isinstance(part, str) else _block(table(part)) for part in parts]


def _block(part: dict[str, Any]) -> dict[str, Any]:
    kind = text(part.get("type"))
    if kind.casefold() in _CALLS:
        arguments = next((part[name] for name in ("input", "arguments", "args") if name in part), None)
        call = first_text(part, "id", "toolCallId", "call_id")
        return {**part, "type": "tool_use", "id": call, "input": transcript_records.arguments_of(arguments)}
    if kind in _TEXTS:
        return {"type": "text", "text": first_text(part, "text")}
    return {**part, "type": "thinking"} if kind == "reasoning" else part


read = transcript_records.reader_of(PATTERNS, AgentSessionParser)
SPEC = FormatSpec(
    name=FORMAT,
    title="Session of an agent",
    read=read,
    kind="transcript",
    help="pi and droid",
    suffixes=(".jsonl",),
    is_line=is_line,
    noise=NOISE,
)
