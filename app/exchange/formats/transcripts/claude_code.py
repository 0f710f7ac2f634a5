"""Reader of Claude Code's transcripts: ``~/.claude/projects/*/<session>.jsonl``, one event a line."""

from collections.abc import Iterable, Iterator
from typing import Any

from app.core.clock import parse_instant
from app.exchange.formats.assistants.claude_content import CIPHERED, ClaudeTurn, turns
from app.exchange.formats.format_spec import FormatSpec
from app.exchange.formats.transcripts import transcript_records
from app.exchange.formats.transcripts.queued_prompts import QueuedPrompts, words_of
from app.exchange.formats.transcripts.transcript_records import (
    LineParser,
    head_attributes,
    line_id,
    persons_turn,
    turn,
)
from app.exchange.model import Record, SessionRecord
from app.exchange.parsing.item_places import of_session
from app.exchange.parsing.lenient import filled, first_text, table, text
from app.exchange.parsing.source_words import Noise, spoken
from app.memories.foreign_record import Problem
from app.sentence import Sentence
from app.sessions.model import Role

FORMAT = "claude-code"
AGENT = transcript_records.AGENTS[FORMAT]
PATTERNS = ("*.jsonl",)
# Attachments that the program makes itself; the others hold what a person or another program gave to the agent.
_REMINDERS = (
    *("already_read_file", "compact_file_reference", "opened_file_in_ide", "todo", "todo_reminder", "task_reminder"),
    *(
        "dynamic_skill",
        "skill_listing",
        "skill_discovery",
        "invoked_skills",
        "output_style",
        "diagnostics",
        "plan_mode",
    ),
    *("plan_mode_reentry", "plan_mode_exit", "auto_mode", "auto_mode_exit", "critical_system_reminder", "token_usage"),
    *("command_permissions", "task_status", "budget_usd", "output_token_usage", "team_context", "date_change"),
    *("verify_plan_reminder", "max_turns_reached", "deferred_tools_delta", "agent_listing_delta", "companion_intro"),
    *("mcp_instructions_delta", "compaction_reminder", "context_efficiency", "ultrathink_effort", "hook_cancelled"),
    *("hook_success", "hook_permission_decision", "current_session_memory", "agent_mention", "nested_memory"),
)
# What the program notes for itself: copies of files, results in another shape, reminders to the model, titles of which
# one is used, and prompts that go back to the input field.
NOISE = (
    *("type=progress", "type=file-history-snapshot", "toolUseResult", "snapshot", "hookInfos", "operation=popAll"),
    *("type=summary", "type=ai-title", "type=custom-title", *(f"type={kind}" for kind in _REMINDERS)),
    CIPHERED,
)
_NOISE = Noise(NOISE)
_SPOKEN = frozenset({"user", "assistant"})
_HEAD = ("cwd", "gitBranch", "version", "slug")
_MARKS = (b"-title", b'"summary"', b"queue-operation")
_TITLES = ("custom-title", "summary", "ai-title")  # the person's own first


def is_line(value: dict[str, Any]) -> bool:
    """Return whether a JSON object is a line of such a transcript."""
    kind = text(value.get("type"))
    if kind in _SPOKEN:
        return isinstance(value.get("message"), dict) and ("timestamp" in value or "uuid" in value)
    return kind in {*_TITLES, "file-history-snapshot", "queue-operation", "system", "attachment", "progress"} and bool(
        value.keys() & {"leafUuid", "snapshot", "operation", "sessionId", "uuid", "messageId"}
    )


class ClaudeCodeParser(LineParser):
    """Parser of the lines of one file; see ``LineParser`` for its arguments."""

    def __init__(self, name: str, state: dict[str, Any] | None = None) -> None:
        super().__init__(name, state)
        self._queue = QueuedPrompts(self.state)
        self._titles: dict[str, str] = {}

    def look_ahead(self, lines: Iterable[bytes]) -> None:
        """See ``LineParser``: titles stand behind what they are titles of."""
        for line in lines:
            if not any(mark in line for mark in _MARKS):
                continue
            event = transcript_records.peeked(line)
            if event.get("type") == "queue-operation":
                self._queue.look_ahead(event)
            elif text(event.get("type")) in _TITLES:
                self._note_title(event)

    def _note_title(self, event: dict[str, Any]) -> None:
        title = first_text(event, "customTitle", "summary", "aiTitle", "title")
        if title:
            self._titles[text(event.get("type"))] = title

    @property
    def _title(self) -> str:
        return next((self._titles[kind] for kind in _TITLES if kind in self._titles), "")

    def _event(self, event: dict[str, Any], line: bytes, place: str) -> Iterator[Record]:
        name = text(event.get("uuid")) or line_id(line)
        kind = text(event.get("type"))
        if kind in _TITLES:
            yield from self._late_title(event)
            return
        if kind in _SPOKEN:
            records = list(self._message(event, name))
        elif kind == "system" and text(event.get("content")).strip():
            records = [self._notice(event, text(event["content"]), name)]
        elif kind == "attachment":
            records = list(self._attached(event, name))
        elif kind == "queue-operation":
            records = list(self._enqueued(event))
        else:
            return
        if not all(isinstance(record, Problem) for record in records):
            yield from self._head(event)
        yield from records

    def _late_title(self, event: dict[str, Any]) -> Iterator[Record]:
        """Yield the head again where its title comes after it."""
        before = self._title
        self._note_title(event)
        key = text(event.get("sessionId")) or self._name
        if self._title != before and self.state.get("head") == key:
            yield SessionRecord(key, title=self._title, agent=AGENT)

    def _key_of(self, event: dict[str, Any]) -> str:
        session = text(event.get("sessionId")) or self._name
        agent = text(event.get("agentId"))
        return f"{session}:{agent}" if event.get("isSidechain") is True and agent else session

    def _head(self, event: dict[str, Any]) -> Iterator[Record]:
        key = self._key_of(event)
        if self.state.get("head") == key:
            return
        self.state["head"] = key
        yield SessionRecord(
            key,
            title="" if key != (text(event.get("sessionId")) or self._name) else self._title,
            agent=AGENT,
            created_ms=parse_instant(event.get("timestamp")),
            attributes=head_attributes({name: value for name, value in filled(event).items() if name in _HEAD}),
        )

    def _message(self, event: dict[str, Any], name: str) -> Iterator[Record]:
        message = table(event.get("message"))
        role: Role = "assistant" if event.get("type") == "assistant" else "user"
        is_notice = event.get("isMeta") is True or event.get("isCompactSummary") is True
        is_copy = role == "user" and not is_notice and self._queue.is_copy(words_of(message.get("content")))
        for number, part in enumerate(() if is_copy else turns({"content": message.get("content")})):
            foreign_id = f"{name}#{number}" if number else name
            yield from self._part(event, part, "system" if is_notice else role, foreign_id)

    def _part(self, event: dict[str, Any], part: ClaudeTurn, role: Role, name: str) -> Iterator[Record]:
        for call in part.calls:
            transcript_records.keep_tool(self.state, text(call.get("id")), text(call.get("name")))
        model = text(table(event.get("message")).get("model"))
        key, moment = self._key_of(event), parse_instant(event.get("timestamp"))
        if part.answers is not None:
            tool = part.tool or transcript_records.tool_of(self.state, part.answers)
            yield turn(key, "tool", part.content, name, moment, author=tool, call=part.answers, tool=tool)
        elif part.thought:
            yield transcript_records.thought(key, part.content, name, moment, AGENT)
        elif role == "user" and not part.calls:
            yield from persons_turn(key, part.content, name, moment)
        else:
            yield turn(
                key,
                role,
                part.content,
                name,
                moment,
                author=AGENT if role == "assistant" else "",
                importance=transcript_records.NOTICE_IMPORTANCE if role == "system" else None,
                calls=part.calls,
                payload={"model": model} if model else None,
            )

    def _notice(self, event: dict[str, Any], content: str, name: str) -> Record:
        moment = parse_instant(event.get("timestamp"))
        payload = {"subtype": text(event.get("subtype"))}
        return turn(
            self._key_of(event),
            "system",
            content,
            name,
            moment,
            importance=transcript_records.NOTICE_IMPORTANCE,
            payload=payload,
        )

    def _attached(self, event: dict[str, Any], name: str) -> Iterator[Record]:
        """Yield a prompt that was queued, or the text of another attachment."""
        attachment = table(event.get("attachment"))
        kind, moment = text(attachment.get("type")), parse_instant(event.get("timestamp"))
        if kind == "queued_command":
            words = words_of(attachment.get("prompt"))
            if words.strip() and not self._queue.is_copy(words):
                yield from persons_turn(self._key_of(event), words, name, moment)
        elif kind not in _REMINDERS and (words := _given_text(attachment)):
            shown = first_text(attachment, "filename", "displayPath", "path", "name", "uri", "title") or kind
            content = f"[attachment: {shown}]\n\n{words}"
            yield turn(
                self._key_of(event), "system", content, name, moment, importance=transcript_records.NOTICE_IMPORTANCE
            )

    def _enqueued(self, event: dict[str, Any]) -> Iterator[Record]:
        words, name = self._queue.prompt(event)
        if words:
            yield from persons_turn(self._key_of(event), words, name, parse_instant(event.get("timestamp")))
        elif event.get("operation") == "enqueue" and words_of(event.get("content")).strip():
            sentence = Sentence("A prompt that was taken back out of the queue was left out.")
            yield Problem(of_session(self._key_of(event)), sentence, lost=False, foreign=True)


def _given_text(attachment: dict[str, Any]) -> str:
    """Return the text of an attachment: that of its file, or else all."""
    file = first_text(table(table(attachment.get("content")).get("file")), "content")
    return file or "\n\n".join(value.text for value in spoken(attachment, _NOISE))


read = transcript_records.reader_of(PATTERNS, ClaudeCodeParser)
SPEC = FormatSpec(
    name=FORMAT,
    title="Claude Code",
    read=read,
    kind="transcript",
    help="Claude Code",
    suffixes=(".jsonl",),
    is_line=is_line,
    noise=NOISE,
)
