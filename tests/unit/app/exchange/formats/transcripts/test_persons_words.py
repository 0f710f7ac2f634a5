"""Transcripts: what a person and an agent said goes in once, and what their programs add does not count as said."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.exchange.formats.detect import detect
from app.exchange.formats.known_formats import SPECS
from app.exchange.formats.transcripts import claude_code, codex
from app.exchange.formats.transcripts.program_text import parted
from app.host import Host
from tests.helpers import transcripts as made
from tests.unit.app.exchange.reading import messages, problems, records, sessions


def said(path: Path, *roles: str) -> list[str]:
    found = records(SPECS[detect(path)].read, path)
    assert not [problem for problem in problems(found) if not problem.foreign]
    return [message.message.content for message in messages(found) if not roles or message.message.role in roles]


def write(path: Path, *events: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(made.lines(events))
    return path


def queue(operation: str, words: Any = None, second: int = 0) -> dict[str, Any]:
    given = {} if words is None else {"content": words}
    time = f"2026-03-01T10:00:{second:02}.000Z"
    return {"type": "queue-operation", "operation": operation, "timestamp": time, "sessionId": "s", **given}


def queued_command(words: Any) -> dict[str, Any]:
    attached = {"type": "queued_command", "prompt": words}
    return {**made.claude_line(8, "user", "x", session="s"), "type": "attachment", "attachment": attached}


def user(words: Any, number: int = 9) -> dict[str, Any]:
    return made.claude_line(number, "user", words, session="s")


ANSWER = made.claude_line(7, "assistant", [{"type": "text", "text": "done"}], session="s")
QUEUES: dict[str, tuple[list[dict[str, Any]], list[str]]] = {
    "never repeated": ([queue("enqueue", "pelican"), queue("remove"), ANSWER], ["pelican"]),
    "still waiting at the end": ([ANSWER, queue("enqueue", "pelican")], ["pelican"]),
    "alone in its file": ([queue("enqueue", "pelican"), queue("dequeue")], ["pelican"]),
    "as parts": ([queue("enqueue", [{"type": "text", "text": "pelican"}]), queue("dequeue")], ["pelican"]),
    "repeated as a message": ([queue("enqueue", "pelican"), queue("dequeue"), user("pelican")], ["pelican"]),
    "repeated in parts": (
        [queue("enqueue", "pelican"), queue("dequeue"), user([{"type": "text", "text": "pelican"}])],
        ["pelican"],
    ),
    "repeated as an attachment": (
        [queue("enqueue", "pelican"), queued_command("pelican"), queue("remove")],
        ["pelican"],
    ),
    "repeated later": ([queue("enqueue", "pelican"), queue("remove"), ANSWER, queued_command("pelican")], ["pelican"]),
    "two in one message": (
        [
            queue("enqueue", "pelican"),
            queue("enqueue", "heron"),
            queue("dequeue"),
            queue("dequeue"),
            user("pelican\nheron"),
        ],
        ["pelican", "heron"],
    ),
    "the same twice": (
        [queue("enqueue", "on", 1), queue("enqueue", "on", 2), queue("dequeue"), user("on")],
        ["on", "on"],
    ),
    "taken back": ([queue("enqueue", "pelican"), queue("popAll", "pelican"), ANSWER], []),
    "taken back and sent": (
        [queue("enqueue", "pelican"), queue("popAll"), user("pelican and heron")],
        ["pelican and heron"],
    ),
    "one before the others are taken back": (
        [queue("enqueue", "a"), queue("enqueue", "b"), queue("dequeue"), user("a"), queue("popAll"), ANSWER],
        ["a"],
    ),
    "said again afterwards": (
        [queue("enqueue", "on"), queue("remove"), ANSWER, user("wait", 20), user("on", 21)],
        ["on", "wait", "on"],
    ),
    "a task's own notice": ([queue("enqueue", "<task-notification>x</task-notification>"), ANSWER], []),
}


def test_prompts_that_were_taken_back_are_no_unknown_words(host: Host, tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", queue("enqueue", "pelican"), queue("enqueue", "heron"), queue("popAll"), ANSWER)
    report = host.ask("exchange.import", path=str(path))
    assert (report.messages, report.lost) == (1, 0)
    assert report.problems == ()


@pytest.mark.parametrize("name", QUEUES)
def test_queued_prompts_are_told_once(tmp_path: Path, name: str) -> None:
    events, words = QUEUES[name]
    path = write(tmp_path / "s.jsonl", *events)
    assert said(path, "user") == words
    ids = [(message.message.payload or {})["id"] for message in messages(records(claude_code.read, path))]
    assert len(ids) == len({*ids})


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_a_transcript_that_grows_tells_queued_prompts_once(tmp_path: Path, cut: int) -> None:
    lines = made.lines(
        [user("start", 1), queue("enqueue", "pelican"), queue("dequeue"), user("pelican"), ANSWER]
    ).split(b"\n")
    words, state = [], dict[str, Any]()
    for part in (lines[:cut], lines[cut:]):
        parser = claude_code.ClaudeCodeParser("s", json.loads(json.dumps(state)))
        parser.look_ahead(part)
        words += [message.message.content for line in part for message in messages(list(parser.records(line, "")))]
        state = parser.state
    assert words == ["start", "pelican", "done"]


EMPTY = "<command-message>x</command-message>\n<command-args></command-args>"
TURNS = [
    ("sow peas", "sow peas", ""),
    ("<system-reminder>\nbe brief\n</system-reminder>\nsow peas", "sow peas", "be brief"),
    ("sow peas\n\n<system-reminder>be brief</system-reminder>", "sow peas", "be brief"),
    (f"<command-name>/clear</command-name>\n{EMPTY}", "", "/clear"),
    (f"<command-name>/review</command-name>\n{EMPTY.replace('><', '>the gate<')}", "/review the gate", "review"),
    ("<local-command-caveat>Caveat: x</local-command-caveat>", "", "Caveat"),
    ("<local-command-stdout>Bye!</local-command-stdout>", "", "Bye!"),
    ("[Request interrupted by user]", "", "interrupted"),
    ("[Request interrupted by user for tool use]\nno, peas", "no, peas", "interrupted"),
    ("<session_context>Today is Monday</session_context>", "", "Monday"),
    ("<environment_context>\n  <cwd>/w</cwd>\n</environment_context>", "", "/w"),
    ("<ide_opened_file>The user opened a.py</ide_opened_file>\nfix it", "fix it", "a.py"),
    ("<user_query>\nsow peas\n</user_query>", "sow peas", ""),
    ("<user-memory-input>peas in March</user-memory-input>", "peas in March", ""),
    ("what does <skill> mean in </skill>?", "what does <skill> mean in </skill>?", ""),
    ("<div>my page</div>", "<div>my page</div>", ""),
]


@pytest.mark.parametrize(("content", "words", "added"), TURNS)
def test_what_a_program_puts_into_a_turn_is_not_said(tmp_path: Path, content: str, words: str, added: str) -> None:
    turn = parted(content)
    assert turn.said == words
    assert added in turn.added
    assert bool(turn.added) == bool(added)
    path = write(tmp_path / "s.jsonl", user(content), ANSWER)
    assert said(path, "user") == ([words] if words else [])
    assert added in "".join(said(path, "system"))


TITLES: list[tuple[list[dict[str, Any]], str]] = [
    ([{"type": "summary", "summary": "Mend the gate", "leafUuid": "uuid-9"}], "Mend the gate"),
    ([{"type": "ai-title", "aiTitle": "Gates", "sessionId": "s"}], "Gates"),
    (
        [
            {"type": "summary", "summary": "Mend the gate", "leafUuid": "uuid-9"},
            {"type": "custom-title", "customTitle": "My gate", "sessionId": "s"},
            {"type": "ai-title", "aiTitle": "Gates", "sessionId": "s"},
        ],
        "My gate",
    ),
]


@pytest.mark.parametrize(("lines", "title"), TITLES)
@pytest.mark.parametrize("is_first", [True, False])
def test_a_session_is_titled_by_its_title_wherever_it_stands(
    host: Host, tmp_path: Path, lines: list[dict[str, Any]], title: str, is_first: bool
) -> None:
    events = [user("<command-name>/clear</command-name>", 1), user("the gate is broken")]
    path = write(tmp_path / "s.jsonl", *(lines + events if is_first else events + lines))
    assert {head.title for head in sessions(records(claude_code.read, path))} == {title}
    host.ask("exchange.import", path=str(path))
    assert [row.label for row in host.ask("session.list")] == [title]


def test_a_session_that_begins_with_a_command_is_called_by_what_was_said(host: Host, tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", user("<command-name>/clear</command-name>", 1), user("the gate is broken"))
    host.ask("exchange.import", path=str(path))
    assert [row.label for row in host.ask("session.list")] == ["the gate is broken"]
    write(
        path,
        *(json.loads(line) for line in path.read_text().splitlines()),
        {"type": "custom-title", "customTitle": "Gate", "sessionId": "s"},
    )
    host.ask("exchange.import", path=str(path))
    assert [row.label for row in host.ask("session.list")] == ["Gate"]


def test_thoughts_are_kept_and_not_said(tmp_path: Path) -> None:
    path = write(
        tmp_path / "s.jsonl", user("hi"), made.claude_line(2, "assistant", [{"type": "thinking", "thinking": "hm"}])
    )
    (thought,) = (
        message.message for message in messages(records(claude_code.read, path)) if message.message.content == "hm"
    )
    assert (thought.role, thought.author, thought.importance) == ("system", "Claude Code", 0.1)


def item(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    return {"timestamp": "2026-08-07T10:00:01Z", "type": kind, "payload": payload}


def response(role: str, text: str) -> dict[str, Any]:
    return item("response_item", {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]})


def completed(kind: str, text: str) -> dict[str, Any]:
    part = {"type": "Text", "text": text}
    return item("event_msg", {"type": "item_completed", "item": {"type": kind, "content": [part]}})


HEAD = item("session_meta", {"id": "cx", "cwd": "/w"})
CODEX: dict[str, list[dict[str, Any]]] = {
    "items": [HEAD, response("user", "list"), response("assistant", "nine")],
    "completed alone": [HEAD, completed("UserMessage", "list"), completed("AgentMessage", "nine")],
    "completed in other words": [HEAD, completed("user_message", "list"), completed("agent_message", "nine")],
    "both": [
        HEAD,
        response("user", "list"),
        completed("UserMessage", "list"),
        completed("AgentMessage", "nine"),
        response("assistant", "nine"),
    ],
    "events alone": [
        HEAD,
        item("event_msg", {"type": "user_message", "message": "list"}),
        item("event_msg", {"type": "agent_message", "message": "nine"}),
    ],
    "without a head": [response("user", "list"), response("assistant", "nine")],
}


@pytest.mark.parametrize("name", CODEX)
def test_codex_messages_are_read_once_wherever_they_stand(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / "rollout-x.jsonl", *CODEX[name])
    assert said(path, "user", "assistant") == ["list", "nine"]


def test_codex_parts_tell_nothing_twice() -> None:
    state, words = dict[str, Any](), []
    for part in (CODEX["completed alone"], CODEX["items"]):
        parser, lines = codex.CodexParser("x", json.loads(json.dumps(state))), made.lines(part).split(b"\n")
        parser.look_ahead(lines)
        words += [message.message.content for line in lines for message in messages(list(parser.records(line, "")))]
        state = parser.state
    assert words == ["list", "nine"]


def test_codex_keeps_messages_between_agents_and_unknown_items(tmp_path: Path) -> None:
    part = [{"type": "input_text", "text": "eider report"}]
    path = write(
        tmp_path / "rollout-x.jsonl",
        HEAD,
        item("response_item", {"type": "agent_message", "author": "helper", "content": part}),
        item("response_item", {"type": "plan_note", "text": "count the gulls"}),
        item("response_item", {"type": "ghost_snapshot", "ghost_commit": {"id": "x"}}),
    )
    found = [message.message for message in messages(records(codex.read, path))]
    assert [(one.role, one.author, one.content) for one in found] == [
        ("assistant", "helper", "eider report"),
        ("system", "", "count the gulls"),
    ]


def test_gemini_reads_subagents_and_both_shapes_of_messages(tmp_path: Path) -> None:
    head = {"projectHash": "h", "startTime": "2026-05-22T14:59:00Z"}
    context = {"id": "0", "type": "user", "content": "<session_context>Monday</session_context>"}
    write(
        tmp_path / "h" / "chats" / "session-a.jsonl",
        {"sessionId": "a", **head},
        context,
        {"id": "1", "type": "user", "content": "rails"},
    )
    write(
        tmp_path / "h" / "chats" / "uuid" / "sub.jsonl",
        {"sessionId": "b", **head},
        {"id": "1", "type": "gemini", "content": "spoonbill"},
    )
    parts = [{"role": "user", "parts": [{"text": "ducks"}]}, {"role": "model", "parts": [{"text": "nine"}]}]
    write(tmp_path / "h" / "chats" / "session-c.json", {"sessionId": "c", **head, "messages": parts})
    write(tmp_path / "h" / "logs.json", {"x": 1})
    found = records(SPECS[detect(tmp_path)].read, tmp_path)
    assert {session.key for session in sessions(found)} == {"a", "b", "c"}
    assert {message.message.content for message in messages(found) if message.message.role == "user"} == {
        "rails",
        "ducks",
    }
    assert {message.message.content for message in messages(found) if message.message.role == "assistant"} == {
        "spoonbill",
        "nine",
    }


TEXT = [{"type": "text", "text": "here it is"}]
FOREIGN: dict[str, list[dict[str, Any]]] = {
    "pi": [
        {"type": "session", "version": 3, "id": "p", "timestamp": "2026-07-24T06:21:03Z", "cwd": "/w"},
        {"type": "model_change", "id": "1", "modelId": "m"},
        {"type": "message", "id": "2", "message": {"role": "user", "content": "whimbrels"}},
        {
            "type": "message",
            "id": "3",
            "message": {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "hm"},
                    *TEXT,
                    {"type": "toolCall", "id": "c", "name": "ls", "arguments": {}},
                ],
            },
        },
        {
            "type": "message",
            "id": "4",
            "message": {"role": "toolResult", "toolCallId": "c", "toolName": "ls", "content": TEXT},
        },
    ],
    "droid": [
        {"type": "session_start", "id": "d", "title": "Birds"},
        {
            "type": "message",
            "id": "2",
            "message": {
                "role": "user",
                "content": [
                    {"type": "text", "text": "<system-reminder>x</system-reminder>"},
                    {"type": "text", "text": "whimbrels"},
                ],
            },
        },
        {
            "type": "message",
            "id": "3",
            "message": {
                "role": "assistant",
                "content": [*TEXT, {"type": "tool_use", "id": "c", "name": "ls", "input": {}}],
            },
        },
        {
            "type": "message",
            "id": "4",
            "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": TEXT}]},
        },
    ],
    "cursor": [
        {"role": "user", "message": {"content": [{"type": "text", "text": "<user_query>\nwhimbrels\n</user_query>"}]}},
        {"role": "assistant", "message": {"content": TEXT}},
    ],
    "items": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "whimbrels"}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "here it is"}]},
    ],
}


@pytest.mark.parametrize("name", FOREIGN)
def test_sessions_of_other_agents_are_read(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / "session.jsonl", *FOREIGN[name])
    assert detect(path) == detect(tmp_path) == "agent-session"
    assert (said(path, "user"), said(path, "assistant")[0]) == (["whimbrels"], "here it is")
    tools = ["here it is"] if name in ("pi", "droid") else []
    assert said(path, "tool") == tools


@pytest.mark.parametrize("broken", [b'pe": "user", "cut": 1}', b'{"type": "us', b"\xfe\x00garbage\x80", b"# not json"])
@pytest.mark.parametrize(
    ("name", "events"),
    [("claude-code", [user("whimbrels"), ANSWER]), ("codex", CODEX["items"]), ("agent-session", FOREIGN["pi"])],
)
def test_a_broken_first_line_costs_itself_alone(
    tmp_path: Path, broken: bytes, name: str, events: list[dict[str, Any]]
) -> None:
    path = tmp_path / "rollout-x.jsonl"
    path.write_bytes(broken + b"\n" + made.lines(events))
    assert detect(path) == name
    found = records(SPECS[name].read, path)
    assert len(problems(found)) == 1
    assert {"whimbrels", "list"} & {message.message.content for message in messages(found)}
