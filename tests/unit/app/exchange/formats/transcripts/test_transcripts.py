"""Readers of transcripts: every message goes in with its role, once; broken input costs only itself."""

import json
import sqlite3
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import FormatError
from app.exchange.formats.detect import detect, preview
from app.exchange.formats.known_formats import SPECS
from app.exchange.formats.transcripts import claude_code, codex, cursor, gemini
from tests.helpers import transcripts as made
from tests.unit.app.exchange.reading import contents, foreign_values, messages, problems, records, sessions, write_json


def write_claude(folder: Path) -> Path:
    path = folder / f"{made.CLAUDE_SESSION}.jsonl"
    path.write_bytes(made.lines(made.claude_events()))
    return path


def write_codex(folder: Path) -> Path:
    path = folder / f"rollout-2025-12-08T00-37-46-{made.CODEX_SESSION}.jsonl"
    path.write_bytes(made.lines(made.codex_events()))
    return path


def write_gemini(folder: Path) -> Path:
    return write_json(folder / "session-2025-12-03T06-35-477739d0.json", made.gemini_document())


def write_gemini_lines(folder: Path) -> Path:
    path = folder / "session-2026-07-01T10-00-477739d0.jsonl"
    path.write_bytes(made.lines(made.gemini_lines()))
    return path


def write_cursor(folder: Path) -> Path:
    return made.cursor_database(folder / "state.vscdb")


FILES: list[tuple[str, Callable[[Path], Path], int]] = [
    ("claude-code", write_claude, made.CLAUDE_MESSAGES),
    ("codex", write_codex, made.CODEX_MESSAGES),
    ("gemini", write_gemini, made.GEMINI_MESSAGES),
    ("gemini", write_gemini_lines, made.GEMINI_MESSAGES),
    ("cursor", write_cursor, made.CURSOR_MESSAGES),
]


@pytest.mark.parametrize(("name", "write", "count"), FILES)
def test_a_transcript_is_recognised_and_read_without_loss(
    tmp_path: Path, name: str, write: Callable[[Path], Path], count: int
) -> None:
    path = write(tmp_path)

    assert detect(path) == detect(tmp_path) == name
    found = records(SPECS[name].read, path)
    ids = {(record.session_key, (record.message.payload or {})["id"]) for record in messages(found)}
    assert len(ids) == count
    assert problems(found) == []
    assert preview(path).format == name
    assert preview(tmp_path).detail.endswith("1 transcript")
    assert contents(records(SPECS[name].read, tmp_path)) == contents(found)


def test_claude_code_keeps_tool_output_thoughts_and_notices_apart(tmp_path: Path) -> None:
    found = records(claude_code.read, write_claude(tmp_path))

    roles = Counter(record.message.role for record in messages(found))
    assert roles == {"user": 5, "assistant": 3, "tool": 1, "system": 3}
    answer = next(record.message for record in messages(found) if record.message.role == "tool")
    assert (answer.content, answer.tool_name, answer.tool_call_id) == (
        "marrowfat peas every morning",
        "Read",
        "toolu_1",
    )
    thought = next(record.message for record in messages(found) if "much water" in record.message.content)
    assert thought.importance == 0.1
    openings = {head.key: head for head in sessions(found)}
    assert openings[made.CLAUDE_SESSION].title == "Watering plan"
    assert openings[made.CLAUDE_SESSION].attributes["cwd"] == "/home/alice/garden"
    assert f"{made.CLAUDE_SESSION}:af1ff21" in openings
    assert "noise" not in " ".join(contents(found))


def test_codex_takes_what_the_program_says_in_the_persons_place_for_a_notice(tmp_path: Path) -> None:
    found = records(codex.read, write_codex(tmp_path))

    by_text = {record.message.content: record.message for record in messages(found)}
    assert by_text["<environment_context>cwd</environment_context>"].role == "system"
    assert by_text["Count the marrows"].role == "user"
    assert by_text["marrow1 marrow2"].tool_name == "shell"
    assert [head.key for head in sessions(found)] == [made.CODEX_SESSION]
    assert contents(found).count("There are two.") == 1


def test_the_first_versions_of_codex_wrote_items_without_a_frame(tmp_path: Path) -> None:
    path = tmp_path / "rollout-2025-05-07-x.jsonl"
    head = {"id": "old-1", "timestamp": "2025-05-07T17:24:21.123Z", "instructions": "be brief"}
    path.write_bytes(
        made.lines([head, {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]}])
    )

    assert detect(path) == "codex"
    found = records(codex.read, path)
    assert (contents(found), [head.key for head in sessions(found)]) == (["Hi"], ["old-1"])


def test_cursor_leaves_out_what_is_still_being_written_and_opens_nothing_for_writing(tmp_path: Path) -> None:
    path = made.cursor_database(tmp_path / "state.vscdb", [made.cursor_composer(status="generating")])
    before = (path.read_bytes(), sorted(tmp_path.iterdir()))

    found = records(cursor.read, path)

    assert "It is renamed." not in contents(found)
    assert "Rename the hose" in contents(found)
    assert "never-read-this" not in str(found)
    assert (path.read_bytes(), sorted(tmp_path.iterdir())) == before


def test_cursor_is_read_while_it_writes(tmp_path: Path) -> None:
    path = made.cursor_database(tmp_path / "state.vscdb")
    writer = sqlite3.connect(path)
    writer.execute("PRAGMA journal_mode = wal")
    with writer:
        made.put_composer(writer, made.cursor_composer(composerId="second"))

    assert len(sessions(records(cursor.read, path))) == 2
    writer.close()


def test_cursor_of_older_versions_and_as_json(tmp_path: Path) -> None:
    bubbles = [{"type": "user", "id": "u", "text": "Old question"}, {"type": "ai", "id": "a", "rawText": "Old answer"}]
    path = made.cursor_database(tmp_path / "state.vscdb", [{"composerId": "empty"}])
    with sqlite3.connect(path) as connection:
        tabs = json.dumps({"tabs": [{"tabId": "t1", "chatTitle": "Old", "bubbles": bubbles}]})
        connection.execute("INSERT INTO ItemTable VALUES (?, ?)", ("workbench.panel.aichat.view.aichat.chatdata", tabs))
    connection.close()
    exported = write_json(tmp_path / "composer.json", [made.cursor_composer(conversation=made.cursor_bubbles())])

    assert contents(records(cursor.read, path)) == ["Old question", "Old answer"]
    assert detect(exported) == "cursor"
    assert len(messages(records(cursor.read, exported))) == made.CURSOR_MESSAGES


BROKEN = [
    b"not json\n",
    b'{"type": "user"\n',
    b"[1, 2]\n",
    b"\xff\xfe\x00\n",
    b'"text"\n',
    b"{}\n",
    b"\n",
    b'{"a":' * 9000 + b"\n",
]


@pytest.mark.parametrize("broken", BROKEN)
@pytest.mark.parametrize(("reader", "write"), [(claude_code.read, write_claude), (codex.read, write_codex)])
def test_a_broken_line_costs_only_itself(
    tmp_path: Path, broken: bytes, reader: Any, write: Callable[[Path], Path]
) -> None:
    path = write(tmp_path)
    whole = contents(records(reader, path))
    first, _, rest = path.read_bytes().partition(b"\n")
    path.write_bytes(first + b"\n" + broken + rest)

    assert contents(records(reader, path)) == whole


def test_a_last_line_that_is_cut_off_is_left_for_later_and_a_complete_one_is_not(tmp_path: Path) -> None:
    path = write_claude(tmp_path)
    data = path.read_bytes()

    path.write_bytes(data[:-20])
    cut = records(claude_code.read, path)
    path.write_bytes(data[:-1])
    whole = records(claude_code.read, path)

    assert len(messages(cut)) == made.CLAUDE_MESSAGES - 1
    assert [problem.lost for problem in problems(cut)] == [False]
    assert len(messages(whole)) == made.CLAUDE_MESSAGES


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"sessionId": 3, "messages": []}',
        b"SQLite format 3\x00" + bytes(200),
        b"\x00" * 500,
        b"nothing",
    ],
)
def test_other_files_are_no_transcripts(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file.bin"
    path.write_bytes(content)
    with pytest.raises(FormatError):
        detect(path)


def test_a_damaged_database_is_one_clear_error(tmp_path: Path) -> None:
    path = write_cursor(tmp_path)
    data = bytearray(path.read_bytes())
    data[4096:] = b"\x55" * (len(data) - 4096)
    path.write_bytes(data)
    with pytest.raises(FormatError, match="could not be read as a database of Cursor"):
        records(cursor.read, path)


def test_a_folder_with_more_notes_than_transcripts_is_one_of_notes(tmp_path: Path) -> None:
    write_claude(tmp_path)
    for name in "ab":
        (tmp_path / f"{name}.md").write_text("A note")
    assert detect(tmp_path) == "markdown"


_NAMES = (
    "type",
    "message",
    "content",
    "uuid",
    "sessionId",
    "payload",
    "messages",
    "text",
    "toolCalls",
    "thoughts",
    "$set",
)


@given(foreign_values(*_NAMES))
def test_values_of_any_shape_are_read_or_reported(value: Any) -> None:
    line = json.dumps(value).encode()
    for parser in (claude_code.ClaudeCodeParser("x"), codex.CodexParser("x"), gemini.GeminiParser("x")):
        for record in parser.records(line, "line"):
            assert record is not None


@given(
    st.sampled_from(["user", "assistant", "system", "attachment"]),
    foreign_values("type", "text", "content", "id", "name"),
)
def test_messages_of_any_shape_are_read_or_reported(kind: str, value: Any) -> None:
    line = json.dumps({"type": kind, "message": {"content": value}, "attachment": value, "content": value}).encode()
    assert list(claude_code.ClaudeCodeParser("x").records(line, "line")) is not None


@pytest.mark.parametrize(
    ("name", "file", "count"),
    [
        ("claude-code", "multi/ctxray/tests/fixtures/claude_session.jsonl", 6),
        ("gemini", "multi/ctxray/tests/fixtures/gemini_session.json", 8),
    ],
)
def test_real_samples_go_in_whole(shared_data: Path, name: str, file: str, count: int) -> None:
    path = shared_data / "chat-exports" / file
    assert detect(path) == name
    assert len(messages(records(SPECS[name].read, path))) == count
