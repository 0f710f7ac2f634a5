"""Pictures, sound and documents of ChatGPT exports; projects and memories of Claude's."""

import json
import struct
import zlib
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from app.exchange.formats.assistants import chatgpt, claude
from app.exchange.model import AttachmentRecord
from app.host import Host
from app.memories.foreign_record import MemoryRecord
from tests.unit.app.exchange.reading import chatgpt_talk, contents, only, problems, records, write_zip


def png(shade: int = 0) -> bytes:
    """Return a picture of one pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(bytes([0, shade])))
        + chunk(b"IEND", b"")
    )


def pointer(address: str, kind: str = "image_asset_pointer") -> dict[str, Any]:
    return {"content_type": kind, "asset_pointer": address, "width": 1, "height": 1}


def talk(*parts: object, attachments: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    made = chatgpt_talk("c", "?")
    message = made["mapping"]["m0"]["message"]
    message["content"] = {"content_type": "multimodal_text", "parts": list(parts)}
    if attachments is not None:
        message["metadata"] = {"attachments": attachments}
    return made


def export(path: Path, conversation: dict[str, Any], **files: bytes) -> Path:
    named = {name.replace("__", "/"): data for name, data in files.items()}
    return write_zip(path / "chatgpt.zip", {"conversations.json": json.dumps([conversation]).encode(), **named})


def test_a_picture_is_attached_and_shown_where_it_was(tmp_path: Path) -> None:
    path = export(
        tmp_path,
        talk(pointer("file-service://file-AbC1"), "What is this?"),
        **{"file-AbC1-rose garden.png": png()},
    )
    found = records(chatgpt.read, path)
    (kept,) = only(found, AttachmentRecord)
    assert kept.data == png()
    assert kept.name.startswith("file-AbC1-rose-garden-")
    assert contents(found) == [f"![image](attachments/{kept.name})\n\nWhat is this?"]
    assert found.index(kept) < found.index(next(record for record in found if contents([record])))
    assert not problems(found)


def test_the_same_picture_goes_in_once(tmp_path: Path) -> None:
    path = export(
        tmp_path,
        talk(pointer("sediment://file_00aa"), pointer("sediment://file_00aa")),
        dalle__file_00aa=b"",
        **{"user-1/file_00aa-1234.png": png()},
    )
    found = records(chatgpt.read, path)
    assert len(only(found, AttachmentRecord)) + len(problems(found)) == 1


def test_names_of_documents_are_those_the_person_gave(tmp_path: Path) -> None:
    given = [{"id": "file-d1", "name": "plan of the year.txt", "size": 4}]
    path = export(tmp_path, talk("Read this.", attachments=given), **{"file-d1.txt": b"plan"})
    found = records(chatgpt.read, path)
    (kept,) = only(found, AttachmentRecord)
    assert contents(found) == [f"Read this.\n\n[plan of the year.txt](attachments/{kept.name})"]


def test_a_recording_is_led_to(tmp_path: Path) -> None:
    voice = {
        "content_type": "real_time_user_audio_video_asset_pointer",
        "audio_asset_pointer": pointer("sediment://file_77", "audio_asset_pointer"),
    }
    said = {"content_type": "audio_transcription", "text": "Good morning"}
    path = export(tmp_path, talk(said, voice), **{"c/audio/file_77-x.wav": b"RIFF0000WAVE"})
    found = records(chatgpt.read, path)
    (kept,) = only(found, AttachmentRecord)
    assert contents(found) == [f"Good morning\n\n[audio](attachments/{kept.name})"]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("file-bad.png", b"MZ no picture"),
        ("file-bad.png", b""),
        ("file-bad.exe", b"MZ"),
        ("../file-bad.png", png()),
    ],
)
def test_a_file_that_cannot_be_kept_leaves_the_message_as_it_is(tmp_path: Path, name: str, data: bytes) -> None:
    path = export(tmp_path, talk(pointer("file-service://file-bad"), "See?"), **{name: data})
    found = records(chatgpt.read, path)
    assert contents(found) == ["[image]\n\nSee?"]
    assert not only(found, AttachmentRecord)
    assert all(not problem.lost for problem in problems(found))


def test_an_export_without_its_files_and_one_with_them_are_one_conversation(tmp_path: Path) -> None:
    given = [{"id": "file-d1", "name": "plan.txt"}]
    conversation = talk(pointer("file-service://file-p"), "A rose?", attachments=given)
    bare = tmp_path / "conversations.json"
    bare.write_text(json.dumps([conversation]), "utf-8")
    whole = export(tmp_path, conversation, **{"file-p.png": png(), "file-d1.txt": b"plan"})
    for first, second in ((bare, whole), (whole, bare)):
        host = Host(tmp_path / f"vault-{first.name}", serve=False)
        host.start()
        try:
            assert host.ask("exchange.import", path=str(first)).messages == 1
            again = host.ask("exchange.import", path=str(second))
            assert (again.messages, again.unchanged) == (0, 1)
            assert {found.name.partition("-")[0] for found in host.ask("attachment.list")} == {"file", "plan"}
        finally:
            host.stop()


def test_a_picture_of_a_message_outlives_the_note_that_shows_it_and_not_the_conversation(tmp_path: Path) -> None:
    whole = export(tmp_path, talk(pointer("file-service://file-p")), **{"file-p.png": png()})
    host = Host(tmp_path / "v", serve=False)
    host.start()
    try:
        host.ask("exchange.import", path=str(whole))
        (kept,) = host.ask("attachment.list")
        note = host.ask("note.save", title="Rose", content=f"![rose]({kept.link})")
        host.ask("memory.forget_forever", ids=[note.id], confirm=True)
        assert [found.name for found in host.ask("attachment.list")] == [kept.name]
        (session,) = host.ask("session.list")
        host.ask("memory.forget_forever", sessions=[session.id], confirm=True)
        assert host.ask("attachment.list") == []
    finally:
        host.stop()


CONVERSATION = {"uuid": "t", "name": "Tea", "chat_messages": [{"uuid": "1", "sender": "human", "text": "Green tea?"}]}
PROJECT = {
    "uuid": "p1",
    "name": "Garden",
    "description": "Everything on roses",
    "prompt_template": "Answer briefly.",
    "created_at": "2025-03-01T10:00:00Z",
    "docs": [
        {"uuid": "d1", "filename": "pruning.md", "content": "# Pruning\n\nIn March."},
        {"uuid": "d2", "filename": "empty.md", "content": ""},
    ],
}  # fmt: skip
MEMORIES = [
    {"account_uuid": "a", "conversations_memory": "Likes roses.", "project_memories": {"p1": "Prunes in March."}}
]


def claude_zip(path: Path, **files: object) -> Path:
    packed = {f"{name.replace('__', '/')}.json": json.dumps(value).encode() for name, value in files.items()}
    return write_zip(path / "claude.zip", packed)


def test_projects_and_memories_of_claude_become_notes(tmp_path: Path) -> None:
    path = claude_zip(tmp_path, conversations=[CONVERSATION], projects=[PROJECT], memories=MEMORIES)
    found = records(claude.read, path)
    notes = {note.title: note.content for note in only(found, MemoryRecord)}
    assert notes == {
        "Garden": "Everything on roses\n\nAnswer briefly.",
        "pruning.md (Garden)": "# Pruning\n\nIn March.",
        "What Claude remembers": "Likes roses.",
        "What Claude remembers of Garden": "Prunes in March.",
    }
    (problem,) = problems(found)
    assert (problem.lost, problem.place) == (False, "projects.json, project 1, document 2")


def test_a_file_for_each_project_is_read_too(tmp_path: Path) -> None:
    path = claude_zip(tmp_path, conversations=[CONVERSATION], projects__p1=PROJECT, memories=MEMORIES)
    assert len(only(records(claude.read, path), MemoryRecord)) == 4


def test_conversations_alone_have_no_projects(tmp_path: Path) -> None:
    path = tmp_path / "projects.json"
    path.write_text(json.dumps([CONVERSATION]), "utf-8")
    assert not only(records(claude.read, path), MemoryRecord)


@pytest.mark.parametrize("broken", ["text", 7, None, [], [7, "x"], {"docs": 5}, {"docs": [3, {"content": 9}]}])
def test_projects_of_another_shape_leave_the_conversations(tmp_path: Path, broken: object) -> None:
    path = claude_zip(tmp_path, conversations=[CONVERSATION], projects=broken, memories=broken)
    assert contents(records(claude.read, path))[0] == "Green tea?"


def test_a_second_import_of_projects_adds_nothing(tmp_path: Path) -> None:
    path = claude_zip(tmp_path, conversations=[CONVERSATION], projects=[PROJECT], memories=MEMORIES)
    host = Host(tmp_path / "v", serve=False)
    host.start()
    try:
        ask = partial(host.ask, "exchange.import", path=str(path))
        first, second = ask(), ask()
        assert (first.memories, first.messages) == (4, 1)
        assert (second.memories, second.messages, second.unchanged) == (0, 0, 5)
    finally:
        host.stop()
