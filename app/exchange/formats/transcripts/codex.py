"""Reader of Codex's transcripts: ``~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl``, one item a line."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from app.core.clock import parse_instant
from app.core.text import content_hash
from app.exchange.formats.format_spec import FormatSpec
from app.exchange.formats.transcripts import transcript_records
from app.exchange.formats.transcripts.transcript_records import LineParser, head_attributes, line_id, turn
from app.exchange.model import Record, SessionRecord
from app.exchange.parsing.lenient import filled, first_text, row, table, text
from app.sessions.model import Role

FORMAT = "codex"
AGENT = transcript_records.AGENTS[FORMAT]
PATTERNS = ("rollout-*.jsonl",)
# Which lines hold the messages: items, or in some versions only what events say of them.
_SOURCES = ("item_message", "item_completed", "event_message")
_EVENT_ROLES: dict[str, Role] = {"user_message": "user", "agent_message": "assistant"}
_ITEM_ROLES: dict[str, Role] = {"usermessage": "user", "agentmessage": "assistant"}
_MAX_SAID = 64
# What the program tells the model and itself; what is said in events is said in items too.
NOISE = ("type=turn_context", "base_instructions", "instructions", "type=token_count")
_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}
_TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_HEAD = ("cwd", "originator", "cli_version", "model_provider", "source", "git")
# What the program tells the model in the person's place.
_NOTICES = (
    "<environment_context>",
    "<user_instructions>",
    "<permissions",
    "# AGENTS.md instructions",
    "<turn_aborted>",
)


def is_line(value: dict[str, Any]) -> bool:
    """Return whether a JSON object is a line of such a transcript.

    The first versions wrote a head without a type.
    """
    if isinstance(value.get("payload"), dict):
        return text(value.get("type")) in _TYPES
    return "type" not in value and {"id", "timestamp", "instructions"} <= value.keys()


class CodexParser(LineParser):
    """Parser of the lines of one file."""

    def look_ahead(self, lines: Iterable[bytes]) -> None:
        """See ``LineParser``: of lines that say the same, one kind is read."""
        sources = {_source_of(line) for line in lines} | {self.state.get("source")}
        self.state["source"] = next((source for source in _SOURCES if source in sources), "")

    def _event(self, event: dict[str, Any], line: bytes, place: str) -> Iterator[Record]:
        item = event["payload"] if isinstance(event.get("payload"), dict) else event
        kind = text(event.get("type"))
        moment = parse_instant(event.get("timestamp")) or parse_instant(item.get("timestamp"))
        if kind == "session_meta" or (not kind and "id" in event):
            # Of a conversation that was taken up again, the file tells the head of the first one too.
            self.state.setdefault("session", text(item.get("id")) or self._name)
            self.state.setdefault("head", {name: value for name, value in filled(item).items() if name in _HEAD})
            self.state.setdefault("begun", moment)
            return
        if kind == "turn_context":
            self.state["model"] = text(item.get("model"))
            return
        event_records: list[Record | None] = []
        if kind == "compacted":
            event_records = [self._notice(text(item.get("message")), line, moment)]
        elif kind == "response_item" or item is event:
            event_records = [*self._item(item, line, moment)]
        elif kind == "event_msg":
            event_records = [*self._said_in_event(item, line, moment)]
        records = [record for record in event_records if record is not None]
        if records:
            yield from self._begin(moment)
        yield from records

    def _begin(self, moment: int | None) -> Iterator[Record]:
        if not self.state.get("is_begun"):
            self.state["is_begun"] = True
            begun = self.state.get("begun") or moment
            head = table(self.state.get("head"))
            attributes = head_attributes(head, text(table(head.get("git")).get("repository_url")))
            yield SessionRecord(self._key, agent=AGENT, created_ms=begun, attributes=attributes)

    def _item(self, item: dict[str, Any], line: bytes, moment: int | None) -> Iterator[Record | None]:
        kind = text(item.get("type"))
        if kind in ("message", "agent_message"):
            yield from self._message(item, line, moment)
        elif kind == "reasoning":
            yield self._thought(item, line, moment)
        elif kind.endswith("_output"):
            yield self._answer(item, line, moment)
        elif kind.endswith("_call"):
            yield self._call(item, kind, line, moment)
        else:
            # What a newer version says in its own way.
            words = _content(item.get("content")) or first_text(item, "text", "message", "summary")
            yield self._notice(words, line, moment)

    def _said_in_event(self, item: dict[str, Any], line: bytes, moment: int | None) -> Iterator[Record | None]:
        """Yield what an event says where no item does."""
        kind, source = text(item.get("type")), self.state.get("source")
        if kind == "item_completed" and source == "item_completed":
            completed = table(item.get("item"))
            name = text(completed.get("type")).replace("_", "").casefold()
            words = _content(completed.get("content")) or first_text(completed, "text")
            if name == "reasoning":
                yield self._thought({**completed, "summary": completed.get("summary_text")}, line, moment)
            elif words.strip():
                yield from self._turn(_ITEM_ROLES.get(name, "system"), words, line, moment)
        elif kind in _EVENT_ROLES and source == "event_message":
            yield from self._turn(_EVENT_ROLES[kind], first_text(item, "message"), line, moment)
        elif kind == "agent_reasoning" and source == "event_message":
            yield self._thought({"summary": [item]}, line, moment)

    def _message(self, item: dict[str, Any], line: bytes, moment: int | None) -> Iterator[Record]:
        words = _content(item.get("content")) or first_text(item, "text", "message")
        author = text(item.get("author")) if item.get("type") == "agent_message" else ""
        role = "assistant" if item.get("type") == "agent_message" else _ROLES.get(text(item.get("role")), "system")
        events: list[str] = self.state.get("events", [])
        if (name := content_hash(role, words)) in events:
            events.remove(name)  # an event of an earlier part said it
            return
        yield from self._turn(role, words, line, moment, author)

    def _turn(self, role: Role, text: str, line: bytes, moment: int | None, author: str = "") -> Iterator[Record]:
        if self.state.get("source") not in ("item_message", None):
            self.state["events"] = [*self.state.get("events", []), content_hash(role, text)][-_MAX_SAID:]
        if role == "user" and not text.lstrip().startswith(_NOTICES):
            yield from transcript_records.persons_turn(self._key, text, line_id(line), moment)
        elif text.strip():
            role = "system" if role == "user" else role
            importance = transcript_records.NOTICE_IMPORTANCE if role == "system" else None
            yield self._spoken(role, text, line_id(line), moment, importance, author)

    def _thought(self, item: dict[str, Any], line: bytes, moment: int | None) -> Record | None:
        parts = (*row(item.get("summary")), *row(item.get("content")))
        words = "\n\n".join(
            filter(None, (part if isinstance(part, str) else text(table(part).get("text")) for part in parts))
        )
        return transcript_records.thought(self._key, words, line_id(line), moment, AGENT) if words.strip() else None

    def _spoken(
        self, role: Role, content: str, name: str, moment: int | None, importance: float | None, author: str = ""
    ) -> Record:
        model = text(self.state.get("model")) if role == "assistant" else ""
        author = (author or AGENT) if role == "assistant" else ""
        payload = {"model": model} if model else None
        return turn(self._key, role, content, name, moment, author=author, importance=importance, payload=payload)

    def _notice(self, text: str, line: bytes, moment: int | None) -> Record | None:
        return (
            self._spoken("system", text, line_id(line), moment, transcript_records.NOTICE_IMPORTANCE)
            if text.strip()
            else None
        )

    def _call(self, item: dict[str, Any], kind: str, line: bytes, moment: int | None) -> Record:
        call, tool = first_text(item, "call_id", "id"), text(item.get("name")) or kind.removesuffix("_call")
        transcript_records.keep_tool(self.state, call, tool)
        arguments = next((item[name] for name in ("arguments", "input", "action") if name in item), None)
        calls = [filled({"id": call, "name": tool, "input": transcript_records.arguments_of(arguments)})]
        name = f"{call}#call" if call else line_id(line)
        return turn(self._key, "assistant", "", name, moment, author=AGENT, calls=calls)

    def _answer(self, item: dict[str, Any], line: bytes, moment: int | None) -> Record:
        call = first_text(item, "call_id", "id")
        tool = transcript_records.tool_of(self.state, call)
        words = transcript_records.readable(transcript_records.arguments_of(item.get("output"))) or "[no answer]"
        name = f"{call}#answer" if call else line_id(line)
        return turn(self._key, "tool", words, name, moment, author=tool, call=call, tool=tool)


def _content(content: object) -> str:
    parts = [content] if isinstance(content, str) else [_said(table(part)) for part in row(content)]
    return "\n\n".join(filter(None, parts))


def _source_of(line: bytes) -> str:
    """Return which of ``_SOURCES`` a line is, ``""`` for none."""
    if b"message" not in line and b"item_completed" not in line:
        return ""
    event = transcript_records.peeked(line)
    item = table(event.get("payload")) or event
    kind = text(item.get("type"))
    if event.get("type") == "event_msg":
        return kind if kind == "item_completed" else "event_message" if kind in _EVENT_ROLES else ""
    return "item_message" if kind == "message" else ""


def _said(part: dict[str, Any]) -> str:
    words = first_text(part, "text")
    if words or text(part.get("type")).casefold().endswith("text"):
        return words
    kind = text(part.get("type")).removeprefix("input_") or "part"
    return f"[{kind}]" if kind == "image" else json.dumps(part, ensure_ascii=False)


read = transcript_records.reader_of(PATTERNS, CodexParser)
SPEC = FormatSpec(
    name=FORMAT,
    title="Codex",
    read=read,
    kind="transcript",
    help="Codex",
    suffixes=(".json", ".jsonl"),
    is_line=is_line,
    noise=NOISE,
)
