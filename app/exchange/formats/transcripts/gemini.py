"""Reader of Gemini CLI's transcripts: ``~/.gemini/tmp/*/chats/session-*``, one JSON document or one record a line.

In the newer files a line may repeat an earlier message, with the answers of its tools; a rewind takes nothing back
here, because what was said was said.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from app.core.clock import parse_instant
from app.core.text_rules.project_name import project_of, with_project
from app.exchange.formats.format_spec import FormatSpec
from app.exchange.formats.transcripts import transcript_records
from app.exchange.formats.transcripts.transcript_records import LineParser, line_id, turn
from app.exchange.importing.accounting import read_item
from app.exchange.model import Position, Record, SessionRecord
from app.exchange.parsing.item_places import numbered
from app.exchange.parsing.lenient import filled, first_text, row, table, text
from app.memories.foreign_record import Problem
from app.sentence import Sentence
from app.sessions.model import Role

FORMAT = "gemini"
AGENT = transcript_records.AGENTS[FORMAT]
PATTERNS = ("*.json", "*.jsonl")
FOLDER = "chats"
MAX_BYTES = 256 << 20
_FIRST_LINES = 5
_ROLES: dict[str, Role] = {"user": "user", "gemini": "assistant", "model": "assistant"}
NOISE = ("resultDisplay", "renderOutputAsMarkdown", "displayName", "description")
_RUNNING = frozenset({"validating", "scheduled", "executing", "awaiting_approval"})


def read(path: Path, cancelled: Callable[[], bool]) -> Iterator[Record]:
    """Read a transcript of either kind.

    Args:
        path: The file, or a folder with such files in it or below.
        cancelled: Asked now and then; reading stops when it says so.
    """
    return transcript_records.each_file(path, PATTERNS, lambda file: _read_file(file, cancelled), cancelled, _is_own)


def _is_own(file: Path) -> bool:
    """Return whether a file in a folder is a transcript, of a subagent too."""
    return file.name.startswith("session-") or FOLDER in file.resolve().parts[:-1]


def _read_file(path: Path, cancelled: Callable[[], bool]) -> Iterator[Record]:
    size = path.stat().st_size
    with path.open("rb") as file:
        first = [transcript_records.peeked(file.readline(1 << 20)) for _ in range(_FIRST_LINES)]
    if any((is_line(value) and "messages" not in value) or is_message(value) for value in first):
        yield from transcript_records.read_with(GeminiParser(path.stem), path, cancelled)
        return
    if size > MAX_BYTES:
        yield Problem(path.name, Sentence("It has more than {most} MB and was left out.", most=MAX_BYTES >> 20))
        return
    value = transcript_records.peeked(path.read_bytes())
    if not isinstance(value.get("messages"), list):
        yield Problem(path.name, Sentence("It is not complete JSON, or has no messages, and was left out."))
        return
    parser = GeminiParser(path.stem)
    yield from parser.document(value, path.name)
    yield Position(size, size, path.name)


def is_line(value: dict[str, Any]) -> bool:
    """Return whether a JSON object begins such a transcript, or is a whole one."""
    return isinstance(value.get("sessionId"), str) and (
        "projectHash" in value or isinstance(value.get("messages"), list)
    )


def is_message(value: dict[str, Any]) -> bool:
    """Return whether a JSON object is the line of a message."""
    is_turn = value.get("type") in _ROLES or value.get("role") in _ROLES
    return is_turn and bool({"content", "parts", "thoughts", "toolCalls"} & value.keys())


class GeminiParser(LineParser):
    """Parser of the lines of one file."""

    def document(self, value: dict[str, Any], place: str) -> Iterator[Record]:
        """Yield the records of a whole conversation."""
        read_item(place, {name: inner for name, inner in value.items() if name != "messages"}, "head")
        self._note_head(value)
        yield from self._messages(row(value.get("messages")), place)

    def _event(self, event: dict[str, Any], line: bytes, place: str) -> Iterator[Record]:
        if "$set" in event:
            yield from self._messages(row(table(event["$set"]).get("messages")), place)
        elif isinstance(event.get("sessionId"), str):
            self._note_head(event)
            yield from self._messages(row(event.get("messages")), place)
        elif "$rewindTo" not in event and ("type" in event or is_message(event)):
            yield from self._message(event, line_id(line))

    def _note_head(self, value: dict[str, Any]) -> None:
        self.state["session"] = text(value.get("sessionId")) or self._name
        self.state["begun"] = parse_instant(value.get("startTime"))
        self.state["title"] = text(value.get("summary"))
        folders = row(value.get("directories"))
        attributes = {name: text(value.get(name)) for name in ("projectHash", "kind")} | {"directories": folders}
        self.state["attributes"] = with_project(filled(attributes), project_of(text(folders[0])) if folders else "")

    def _messages(self, messages: list[Any], place: str) -> Iterator[Record]:
        for number, message in enumerate(messages, 1):
            if isinstance(message, dict):
                read_item(numbered(place, "message", number), message, "message")
                plain = json.dumps(message, sort_keys=True, default=str).encode("utf-8", "replace")
                yield from self._message(message, line_id(plain))
            else:
                yield Problem(numbered(place, "message", number), Sentence("It is not an object and was left out."))

    def _message(self, message: dict[str, Any], fallback: str) -> Iterator[Record]:
        records = list(self._parts(message, text(message.get("id")) or fallback))
        if records and not self.state.get("is_begun"):
            self.state["is_begun"] = True
            yield SessionRecord(
                self._key,
                title=text(self.state.get("title")),
                agent=AGENT,
                created_ms=self.state.get("begun") or parse_instant(message.get("timestamp")),
                attributes=table(self.state.get("attributes")),
            )
        yield from records

    def _parts(self, message: dict[str, Any], name: str) -> Iterator[Record]:
        moment = parse_instant(message.get("timestamp"))
        role = _ROLES.get(first_text(message, "type", "role"), "system")
        author = AGENT if role == "assistant" else ""
        for number, thought in enumerate(map(table, row(message.get("thoughts")))):
            words = "\n\n".join(filter(None, (text(thought.get("subject")), text(thought.get("description")))))
            if words:
                at = parse_instant(thought.get("timestamp")) or moment
                yield transcript_records.thought(self._key, words, f"{name}#thought{number}", at, AGENT)
        words = transcript_records.readable(message.get("content")) or transcript_records.readable(message.get("parts"))
        if role == "user":
            yield from transcript_records.persons_turn(self._key, words, name, moment)
        elif words.strip():
            weight = transcript_records.NOTICE_IMPORTANCE if role == "system" else None
            model = text(message.get("model"))
            payload = {"model": model} if model else None
            yield turn(self._key, role, words, name, moment, author=author, importance=weight, payload=payload)
        for call in map(table, row(message.get("toolCalls"))):
            yield from self._call(call, name, moment)

    def _call(self, call: dict[str, Any], message: str, moment: int | None) -> Iterator[Record]:
        number, tool = text(call.get("id")), text(call.get("name"))
        at = parse_instant(call.get("timestamp")) or moment
        name = number or f"{message}#{tool}"
        calls = [filled({"id": number, "name": tool, "input": call.get("args")})]
        yield turn(self._key, "assistant", "", f"{name}#call", at, author=AGENT, calls=calls)
        if text(call.get("status")) in _RUNNING:
            return
        words = (
            transcript_records.readable(call.get("result"))
            or first_text(call, "error", "resultDisplay")
            or "[no answer]"
        )
        yield turn(self._key, "tool", words, f"{name}#answer", at, author=tool, call=number, tool=tool)


SPEC = FormatSpec(
    name=FORMAT,
    title="Gemini CLI",
    read=read,
    kind="transcript",
    help="Gemini CLI",
    suffixes=(".json", ".jsonl"),
    is_line=is_line,
    noise=NOISE,
)
