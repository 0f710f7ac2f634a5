from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from app.exchange.formats.assistants.claude import read
from app.sessions.model import NewMessage
from tests.unit.app.exchange.reading import (
    claude_talk,
    contents,
    foreign_values,
    messages,
    problems,
    records,
    sessions,
    write_json,
    write_zip,
)


def of_one(tmp_path: Path, **fields: Any) -> list[NewMessage]:
    message = {"uuid": "u", "sender": "assistant", "text": "", "created_at": "2024-01-15T10:00:00Z", **fields}
    talk = {"uuid": "c", "name": "T", "chat_messages": [message]}
    return [record.message for record in messages(records(read, write_json(tmp_path / "c.json", talk)))]


def test_a_conversation_with_its_turns(tmp_path: Path) -> None:
    talk = claude_talk("c1", "Hi", "Hello", updated_at="2024-01-16T00:00:00Z", account={"uuid": "a"}, summary="")
    found = records(read, write_json(tmp_path / "conversations.json", [talk]))
    (head,) = sessions(found)
    assert (head.key, head.title, head.agent) == ("c1", "Talk c1", "Claude")
    assert (head.created_ms, head.updated_ms) == (1705312800000, 1705363200000)
    assert head.attributes == {"account": {"uuid": "a"}}
    said = [(m.message.role, m.message.author, m.message.content, m.message.payload) for m in messages(found)]
    assert said == [("user", "", "Hi", {"id": "c1-0"}), ("assistant", "Claude", "Hello", {"id": "c1-1"})]
    assert not problems(found)


def test_one_conversation_alone_and_a_zip(tmp_path: Path) -> None:
    alone = write_json(tmp_path / "talk.json", claude_talk("c", "Hi"))
    archive = write_zip(tmp_path / "data.zip", {"conversations.json": alone.read_bytes(), "users.json": b"[]"})
    assert contents(records(read, alone)) == contents(records(read, archive)) == ["Hi"]


def test_thinking_calls_and_answers_become_turns_of_their_own(tmp_path: Path) -> None:
    blocks = [
        {"type": "thinking", "thinking": "Let me look."},
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "t1", "name": "web_search", "input": {"query": "x"}},
        {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "found"}], "is_error": False},
        {"type": "text", "text": "Here it is."},
    ]
    thought, look, answer, end = of_one(tmp_path, content=blocks)
    assert (thought.role, thought.content, thought.importance) == ("assistant", "Let me look.", 0.1)
    assert look.tool_calls == [{"id": "t1", "name": "web_search", "input": {"query": "x"}}]
    assert (answer.role, answer.tool_call_id, answer.tool_name, answer.content) == ("tool", "t1", "web_search", "found")
    assert (end.role, end.content) == ("assistant", "Here it is.")
    assert [turn.payload["id"] for turn in (thought, look, answer, end) if turn.payload] == ["u", "u#1", "u#2", "u#3"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ([], "plain"),
        (None, "plain"),
        ([{"type": "text", "text": ""}], "plain"),
        ([{"type": "text", "text": None}], "plain"),
        ("as text", "as text\n\nplain"),
        (7, "plain"),
        ([None, 3, {"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\n\nb\n\nplain"),
    ],
)
def test_sloppy_content_falls_back_to_the_text(tmp_path: Path, content: object, said: str) -> None:
    assert [message.content for message in of_one(tmp_path, text="plain", content=content)] == [said]


def test_attachments_and_files_are_kept(tmp_path: Path) -> None:
    (message,) = of_one(
        tmp_path,
        text="See this",
        attachments=[{"file_name": "a.txt", "file_size": 5, "extracted_content": "inside ``` it"}],
        files=[{"file_name": "photo.png", "file_kind": "image"}],
    )
    assert message.content == "See this\n\n[attachment: a.txt]\n\n````\ninside ``` it\n````\n\n[image: photo.png]"
    assert message.payload is not None
    assert message.payload["attachments"] == [{"file_name": "a.txt", "file_size": 5}]


def test_an_unknown_block_is_kept_and_readable(tmp_path: Path) -> None:
    (message,) = of_one(tmp_path, content=[{"type": "hologram", "cells": [1, 2]}])
    assert message.content.startswith("[hologram]")
    assert message.payload is not None
    assert message.payload["blocks"] == [{"type": "hologram", "cells": [1, 2]}]


def test_the_branch_in_use_is_kept(tmp_path: Path) -> None:
    talk = claude_talk("c", "Hi", "one", "two", current_leaf_message_uuid="c-2")
    root = "00000000-0000-4000-8000-000000000000"
    for message, parent in zip(talk["chat_messages"], (root, "c-0", "c-0"), strict=True):
        message["parent_message_uuid"] = parent
    found = records(read, write_json(tmp_path / "conversations.json", [talk]))
    assert contents(found) == ["Hi", "two"]
    assert sessions(found)[0].attributes["other_branches"] == 1
    assert [(problem.lost, problem.foreign, problem.count) for problem in problems(found)] == [(False, True, 1)]


@pytest.mark.parametrize("value", [{}, {"uuid": "x"}, {"chat_messages": None}, {"chat_messages": "x"}, 1])
def test_what_is_no_conversation_is_reported_and_the_next_goes_in(tmp_path: Path, value: object) -> None:
    found = records(read, write_json(tmp_path / "conversations.json", [value, claude_talk("c", "Hi")]))
    assert contents(found) == ["Hi"]
    assert [problem.lost for problem in problems(found)] == [True]


def test_broken_messages_are_reported_with_their_place(tmp_path: Path) -> None:
    talk = claude_talk("c", "Hi")
    talk["chat_messages"] += [None, {"sender": "alien", "text": "beep\x00"}]
    found = records(read, write_json(tmp_path / "conversations.json", [talk]))
    assert contents(found) == ["Hi", "beep\u2400"]
    assert [(problem.place[-9:], problem.lost) for problem in problems(found)] == [
        ("message 2", True),
        ("message 3", False),
        ("message 3", False),
    ]


VALUES = foreign_values("uuid", "name", "chat_messages", "sender", "text", "content", "type", "thinking", "input", "id")
CONTENT = foreign_values("type", "text", "tool_use", "tool_result", "thinking", "content", "name", "id", "tool_use_id")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("foreign") / "conversations.json"


@given(value=VALUES)
def test_values_of_any_shape_end_in_records(path: Path, value: Any) -> None:
    records(read, write_json(path, [value]))


@given(content=CONTENT, attachments=CONTENT)
def test_messages_of_any_shape_cost_no_other(path: Path, content: Any, attachments: Any) -> None:
    talk = claude_talk("c", "Hi", "middle", "end")
    talk["chat_messages"][1] |= {"content": content, "attachments": attachments, "files": attachments}
    said = contents(records(read, write_json(path, [talk])))
    assert (said[0], said[-1]) == ("Hi", "end")
