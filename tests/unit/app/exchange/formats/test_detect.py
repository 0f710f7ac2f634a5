import gzip
import inspect
import json
from pathlib import Path
from typing import Any, get_args

import pytest

from app.api.operations.exchange import import_file
from app.cli.commands import ImportFormat
from app.core.declared_operations import declared_operations
from app.errors import FormatError, NotFoundError
from app.exchange.formats.detect import detect, preview
from app.exchange.formats.known_formats import SPECS
from tests.unit.app.exchange.reading import chatgpt_talk, claude_talk, write_json, write_zip

TURN = b'{"type":"message","session":"s","role":"user","content":"Hi"}\n'


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ([chatgpt_talk("c", "Hi")], "chatgpt"),
        (chatgpt_talk("c", "Hi"), "chatgpt"),
        ([claude_talk("c", 'about "mapping": {')], "claude"),
        (claude_talk("c", "Hi"), "claude"),
        ({"conversations": [claude_talk("c", "Hi")]}, "claude"),
        ([chatgpt_talk("c", '"chat_messages": [')], "chatgpt"),
    ],
)
@pytest.mark.parametrize("suffix", [".json", ".txt", ".md", ""])
def test_json_exports_are_known_by_content(tmp_path: Path, value: Any, name: str, suffix: str) -> None:
    path = write_json(tmp_path / f"file{suffix}", value)
    assert detect(path) == name
    assert preview(path).bytes == path.stat().st_size


@pytest.mark.parametrize("name", ["chatgpt", "claude"])
def test_zip_and_folder(tmp_path: Path, name: str) -> None:
    talk = chatgpt_talk("c", "Hi") if name == "chatgpt" else claude_talk("c", "Hi")
    write_json(tmp_path / "conversations.json", [talk])
    data = (tmp_path / "conversations.json").read_bytes()
    archive = write_zip(tmp_path / "export.bin", {"some/deep/conversations.json": data, "user.json": b"{}"})
    assert detect(tmp_path) == detect(archive) == name
    assert preview(archive).bytes == len(data)


@pytest.mark.parametrize(
    "data",
    [
        TURN,
        b"\n\n" + TURN,
        b'{"cut": \n' + TURN,
        b"\xef\xbb\xbf" + TURN,
        TURN.decode().encode("utf-16"),
        gzip.compress(TURN, mtime=0),
        b'{"session": "s", "type": "memory", "content": "x"}',
        b'{"role": "user", "content": "x"}',
        b'{"type": "message", "content": "' + b"x" * (5 << 20) + b'"}',
    ],
)
def test_our_own_lines(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    assert detect(path) == "keepsake"


def test_markdown(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.md").write_text("Just words")
    assert detect(tmp_path) == detect(tmp_path / "sub" / "a.md") == "markdown"
    assert preview(tmp_path).detail == "1 Markdown file"


@pytest.mark.parametrize("text", ["[[Link]] first", "[x](y.md)", "{{template}}", '["a list"]', "{}"])
def test_notes_that_begin_like_json(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.md"
    path.write_text(text)
    assert detect(path) == "markdown"


def test_a_broken_export_is_still_known(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_text('[{"title": "T", "create_time": SOON, "mapping": {"a": {}}}]')
    assert detect(path) == "chatgpt"


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"guild": {"id": "1"}, "channel": {"id": "2"}, "messages": []}, "discord"),
        (
            {"name": "A", "type": "personal_chat", "id": 1, "messages": [{"id": 1, "from_id": "u", "text": ""}]},
            "telegram",
        ),
        ({"chats": {"list": [{"messages": []}]}}, "telegram"),
        ({"participants": [], "messages": [{"sender_name": "a", "timestamp_ms": 1}]}, "messenger"),
        ([{"type": "message", "user": "U1", "text": "x", "ts": "1.2"}], "slack"),
    ],
)
def test_chats_are_known_by_their_fields(tmp_path: Path, value: Any, name: str) -> None:
    assert detect(write_json(tmp_path / "file.json", value)) == name


@pytest.mark.parametrize("number", ["9" * 5000, "9" * 20, "1e9999", "-Infinity"])
def test_numbers_beyond_reason_hide_no_format(tmp_path: Path, number: str) -> None:
    path = tmp_path / "file.json"
    path.write_text(f'{{"results": [{{"score": {number}, "memory": "likes pears"}}]}}')
    assert detect(path) == "mem0"
    path.write_text(f'{{"volume": {number}, "guild": {{"id": "1"}}, "channel": {{"id": "2"}}, "messages": []}}')
    assert detect(path) == "discord"


def test_formats_to_come_are_named(tmp_path: Path) -> None:
    value = [{"header": "Gemini Apps", "products": ["Gemini Apps"]}]
    with pytest.raises(FormatError, match="Gemini") as caught:
        detect(write_json(tmp_path / "file.json", value))
    assert "Supported are exports of ChatGPT" in caught.value.message


@pytest.mark.parametrize(
    "line",
    ["15/01/2024, 10:30 - Alice: Hello", "[15.01.24, 10:30:05] Alice: Hello", "1/15/24, 10:30 PM - Alice: Hello"],
)
def test_whatsapp_is_known_by_its_lines(tmp_path: Path, line: str) -> None:
    path = tmp_path / "chat.txt"
    path.write_text(f"{line}\n{line}\n", encoding="utf-8")
    assert detect(path) == "whatsapp"


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({"channels.json": b"[]", "general/2024-01-01.json": b"[]"}, "slack"),
        ({"result.json": b"{}"}, "telegram"),
        ({"_chat.txt": b""}, "whatsapp"),
        ({"your_activity/messages/inbox/a/message_1.json": b"{}"}, "messenger"),
    ],
)
def test_zips_of_chats_are_known_by_their_files(tmp_path: Path, files: dict[str, bytes], name: str) -> None:
    assert detect(write_zip(tmp_path / "file.zip", files)) == name


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({"a.png": b"x"}, "without a conversations.json"),
    ],
)
def test_zips_that_are_not_supported(tmp_path: Path, files: dict[str, bytes], name: str) -> None:
    with pytest.raises(FormatError, match=name):
        detect(write_zip(tmp_path / "file.zip", files))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"   ",
        b"{}",
        b"[]",
        b"[1",
        b"{",
        b'{"a": 1}',
        b"\x89PNG\r\n\x1a\n" + bytes(64),
        b"PK\x03\x04x",
    ],
)
@pytest.mark.parametrize("suffix", [".json", ".bin"])
def test_everything_else_is_refused(tmp_path: Path, data: bytes, suffix: str) -> None:
    path = tmp_path / f"file{suffix}"
    path.write_bytes(data)
    with pytest.raises(FormatError):
        preview(path)


def test_gzip_of_something_else(tmp_path: Path) -> None:
    path = tmp_path / "file.gz"
    path.write_bytes(gzip.compress(b"words", mtime=0))
    with pytest.raises(FormatError, match="compressed"):
        detect(path)


def test_nothing_and_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        detect(tmp_path / "none")
    with pytest.raises(FormatError, match="holds no Markdown"):
        detect(tmp_path)


def test_json_of_any_nesting_is_answered(tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_text("[" * 100_000 + json.dumps({"a": 1}))
    with pytest.raises(FormatError):
        detect(path)


def test_every_format_is_listed_where_people_choose_it() -> None:
    assert declared_operations().formats == {name: spec.title for name, spec in SPECS.items()}
    described = inspect.getdoc(import_file) or ""
    assert [name for name, spec in SPECS.items() if f"``{name}`` ({spec.title})" not in described] == []
    assert get_args(ImportFormat) == ("auto", *SPECS)


def test_every_format_has_a_title_of_its_own() -> None:
    titles = [spec.title for spec in SPECS.values()]
    assert all(titles)
    assert len(set(titles)) == len(titles)


def test_no_two_formats_are_given_away_by_the_same_fields_or_files() -> None:
    fields = [names for spec in SPECS.values() for names in spec.fields]
    assert len(fields) == len(set(fields))
    patterns = [spec.names for spec in SPECS.values() if spec.names]
    assert len(patterns) == len(set(patterns))
