"""Transcripts in the formats of Claude Code, Codex, Gemini CLI and Cursor, written as the clients document them.

Of Claude Code and Gemini CLI there are short real samples in the shared data; Codex and Cursor are written from their
published formats alone.
"""

import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

CLAUDE_SESSION = "6c073d8e-2bb1-45cb-90bc-a28ce44da090"
CODEX_SESSION = "019a2d7a-41c4-78b1-b7cc-a45d62a89cd5"


def lines(values: Iterable[Any]) -> bytes:
    return b"".join(json.dumps(value, ensure_ascii=False).encode() + b"\n" for value in values)


def claude_line(number: int, kind: str, content: Any, *, session: str = CLAUDE_SESSION, **extra: Any) -> dict[str, Any]:
    return {
        "parentUuid": None,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/alice/garden",
        "sessionId": session,
        "version": "2.1.37",
        "gitBranch": "main",
        "type": kind,
        "message": {"role": kind, "content": content, **({"model": "claude"} if kind == "assistant" else {})},
        "uuid": f"uuid-{number}",
        "timestamp": f"2026-03-01T10:{number // 60:02}:{number % 60:02}.000Z",
        **extra,
    }


def claude_events() -> list[dict[str, Any]]:
    """Return every kind of line that Claude Code writes; ``CLAUDE_MESSAGES`` of them are messages."""
    return [
        {"type": "summary", "summary": "Watering plan", "leafUuid": "x"},
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}, "isSnapshotUpdate": False},
        {"type": "queue-operation", "operation": "dequeue", "timestamp": "2026-03-01T10:00:00Z", "sessionId": "s"},
        claude_line(1, "user", "Plan the watering of the tomatoes"),
        claude_line(2, "assistant", [{"type": "thinking", "thinking": "They need much water", "signature": "sig"}]),
        claude_line(3, "assistant", [{"type": "text", "text": "I look at the plan first."}]),
        claude_line(
            4,
            "assistant",
            [{"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": "/garden/plan.md"}}],
        ),
        claude_line(
            5,
            "user",
            [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "marrowfat peas every morning"}],
            toolUseResult={"type": "text"},
        ),
        claude_line(6, "assistant", [{"type": "text", "text": "Water them at six."}]),
        {
            **claude_line(7, "user", "x"),
            "type": "system",
            "subtype": "compact_boundary",
            "content": "Conversation compacted",
        },
        {
            **claude_line(8, "user", "x"),
            "type": "attachment",
            "attachment": {"type": "queued_command", "prompt": "and the beans too"},
        },
        {
            **claude_line(9, "user", "x"),
            "type": "attachment",
            "attachment": {"type": "hook_success", "stdout": "noise", "content": "noise"},
        },
        claude_line(10, "user", "Caveat: made by a local command", isMeta=True),
        claude_line(11, "user", "ok"),
        claude_line(12, "user", "ok"),
        claude_line(13, "user", "side question", isSidechain=True, agentId="af1ff21"),
    ]


CLAUDE_MESSAGES = 12


def codex_events() -> list[dict[str, Any]]:
    """Return every kind of line that Codex writes; ``CODEX_MESSAGES`` of them are messages."""

    def item(second: int, kind: str, payload: dict[str, Any]) -> dict[str, Any]:
        return {"timestamp": f"2025-12-08T00:39:{second:02}.000Z", "type": kind, "payload": payload}

    def said(role: str, text: str) -> dict[str, Any]:
        part = "output_text" if role == "assistant" else "input_text"
        return {"type": "message", "role": role, "content": [{"type": part, "text": text}]}

    return [
        item(
            0, "session_meta", {"id": CODEX_SESSION, "cwd": "/home/alice", "cli_version": "0.77.0", "instructions": "x"}
        ),
        item(1, "response_item", said("user", "<environment_context>cwd</environment_context>")),
        item(2, "response_item", said("user", "Count the marrows")),
        item(2, "event_msg", {"type": "user_message", "message": "Count the marrows"}),
        item(3, "turn_context", {"model": "gpt-5", "cwd": "/home/alice"}),
        item(4, "response_item", {"type": "reasoning", "summary": [{"type": "summary_text", "text": "**Counting**"}]}),
        item(5, "response_item", {"type": "reasoning", "summary": [], "encrypted_content": "gAAA"}),
        item(
            6,
            "response_item",
            {"type": "function_call", "name": "shell", "arguments": '{"command": ["ls"]}', "call_id": "call_1"},
        ),
        item(
            7,
            "response_item",
            {
                "type": "function_call_output",
                "call_id": "call_1",
                "output": '{"output": "marrow1 marrow2", "metadata": {"exit_code": 0}}',
            },
        ),
        item(
            8,
            "response_item",
            {"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin", "call_id": "c2"},
        ),
        item(9, "response_item", {"type": "custom_tool_call_output", "call_id": "c2", "output": "done"}),
        item(10, "response_item", said("assistant", "There are two.")),
        item(11, "event_msg", {"type": "agent_message", "message": "There are two."}),
        item(12, "event_msg", {"type": "token_count", "info": {}}),
        item(13, "compacted", {"message": "Two marrows were counted."}),
    ]


CODEX_MESSAGES = 9


def gemini_document() -> dict[str, Any]:
    return {
        "sessionId": "477739d0-1b78-4aa7-9116-02d08c952344",
        "projectHash": "8876362f",
        "startTime": "2025-12-03T06:35:37.302Z",
        "lastUpdated": "2025-12-03T06:38:32.429Z",
        "messages": gemini_messages(),
    }


def gemini_messages() -> list[dict[str, Any]]:
    return [
        {"id": "g1", "timestamp": "2025-12-03T06:35:37Z", "type": "user", "content": [{"text": "Review the beds"}]},
        {
            "id": "g2",
            "timestamp": "2025-12-03T06:35:51Z",
            "type": "gemini",
            "content": "The beds are fine.",
            "model": "gemini-2.5-pro",
            "thoughts": [{"subject": "Scope", "description": "All beds", "timestamp": "2025-12-03T06:35:40Z"}],
            "toolCalls": [
                {
                    "id": "read-1",
                    "name": "read_file",
                    "args": {"path": "beds.md"},
                    "result": [{"functionResponse": {"id": "read-1", "response": {"output": "bed one, bed two"}}}],
                    "status": "success",
                    "timestamp": "2025-12-03T06:35:50Z",
                }
            ],
        },
        {"id": "g3", "timestamp": "2025-12-03T06:36:00Z", "type": "info", "content": "Request cancelled."},
    ]


GEMINI_MESSAGES = 6


def gemini_lines() -> list[dict[str, Any]]:
    head = {key: value for key, value in gemini_document().items() if key != "messages"}
    first, second, third = gemini_messages()
    running = {**second, "toolCalls": [{**second["toolCalls"][0], "status": "executing", "result": None}]}
    return [head, first, running, second, {"$set": {"lastUpdated": "x"}}, {"$rewindTo": "g1"}, third]


def cursor_bubbles() -> list[dict[str, Any]]:
    return [
        {"_v": 3, "type": 1, "bubbleId": "b1", "text": "Rename the hose", "createdAt": "2026-02-01T08:00:00Z"},
        {
            "_v": 3,
            "type": 2,
            "bubbleId": "b2",
            "text": "",
            "thinking": {"text": "Which hose?"},
            "toolFormerData": {
                "name": "read_file",
                "rawArgs": '{"path": "hose.py"}',
                "result": '{"contents": "hose_green = 1"}',
                "status": "completed",
            },
            "createdAt": "2026-02-01T08:00:05Z",
        },
        {"_v": 3, "type": 2, "bubbleId": "b3", "text": "It is renamed.", "createdAt": "2026-02-01T08:00:09Z"},
    ]


CURSOR_MESSAGES = 5


def cursor_composer(**extra: Any) -> dict[str, Any]:
    headers = [{"bubbleId": bubble["bubbleId"], "type": bubble["type"]} for bubble in cursor_bubbles()]
    return {
        "_v": 10,
        "composerId": "98251e54",
        "name": "Hose",
        "fullConversationHeadersOnly": headers,
        "status": "completed",
        "createdAt": 1769932800000,
        "lastUpdatedAt": 1769932809000,
        **extra,
    }


def cursor_database(path: Path, composers: list[dict[str, Any]] | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path)
    with connection:
        for name in ("ItemTable", "cursorDiskKV"):
            connection.execute(f"CREATE TABLE {name} (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        connection.execute("INSERT INTO ItemTable VALUES ('cursorAuth/accessToken', 'never-read-this')")
        for composer in composers or [cursor_composer()]:
            put_composer(connection, composer)
    connection.close()
    return path


def put_composer(connection: sqlite3.Connection, composer: dict[str, Any], *bubbles: dict[str, Any]) -> None:
    name = composer["composerId"]
    connection.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (f"composerData:{name}", json.dumps(composer)))
    for bubble in bubbles or cursor_bubbles():
        key = f"bubbleId:{name}:{bubble['bubbleId']}"
        connection.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (key, json.dumps(bubble)))
