"""A file of an export that no reader opens is named, with a reason."""

import json
import os
import socket
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.exchange.formats.chats import chat_records
from app.exchange.importing.folder_plan import plan
from app.host import Host
from tests.unit.app.exchange.reading import chatgpt_talk, claude_talk, write_json, write_zip

SETTINGS = {
    "user.json": b'{"id": "u1"}',
    "message_feedback.json": b"[]",
    "chat.html": b"<p>x</p>",
}
MEDIA = {"file-abcdef12-rose.png": b"\x89PNG", "c1/audio/file_0000abcd-1.wav": b"RIFF", "dalle/x.webp": b"RIFF"}
RATINGS = {"model_comparisons.json": b'[{"rating": "thumbs_down", "content": "the heron was wrong"}]'}
OTHERS = {"tasks.json": b'[{"title": "water the quince"}]', "notes/plan.md": b"prune the medlar"}


def export(kind: str) -> dict[str, bytes]:
    talk = chatgpt_talk("g", "walnut torte") if kind == "chatgpt" else claude_talk("c", "lemon drizzle")
    inner = json.dumps([talk]).encode()
    return {"conversations.json": inner, **SETTINGS, **RATINGS, **MEDIA, **OTHERS, "older.zip": b"PK\x03\x04"}


def remarks_and_problems(host: Host, path: Path) -> tuple[str, str]:
    report = host.ask("exchange.import", path=str(path))
    problems = " ".join(problem.place + problem.what for problem in report.problems if problem.lost)
    return " ".join(remark.what for remark in report.remarks), problems


@pytest.mark.parametrize("kind", ["chatgpt", "claude"])
def test_the_rest_of_a_zip_is_named(host: Host, kind: str, tmp_path: Path) -> None:
    remarks, problems = remarks_and_problems(host, write_zip(tmp_path / "export.zip", export(kind)))
    for name in (*SETTINGS, *MEDIA):
        assert name in remarks, name
    for name in (*RATINGS, *OTHERS, "older.zip"):
        assert name in problems, name
    assert "conversations.json" not in remarks + problems


@pytest.mark.parametrize("kind", ["chatgpt", "claude"])
def test_the_rest_of_a_folder_is_named(host: Host, kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "export"
    for name, data in export(kind).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    report = host.ask("exchange.import", path=str(folder))
    named = " ".join(one.place + one.what for one in (*report.remarks, *report.problems))
    for name in (*SETTINGS, *MEDIA, "tasks.json", "older.zip"):
        assert name in named, name
    assert (report.sessions, report.memories) == (1, 1)


def test_a_file_that_a_message_shows_is_not_named(host: Host, tmp_path: Path) -> None:
    talk = chatgpt_talk("g", "look")
    pointer = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-abcdef12"}
    talk["mapping"]["m0"]["message"]["content"] = {"content_type": "multimodal_text", "parts": [pointer, "look"]}
    picture = b"\x89PNG\r\n\x1a\n" + b"\0" * 40
    files = {"conversations.json": json.dumps([talk]).encode(), "file-abcdef12-rose.png": picture}
    remarks, problems = remarks_and_problems(host, write_zip(tmp_path / "export.zip", files))
    assert "rose" not in remarks + problems


def test_pictures_in_the_zip_of_a_chat_are_named(host: Host, tmp_path: Path) -> None:
    chat = b"12/05/2021, 14:30 - Ana: the heron is back\n13/05/2021, 14:31 - Ben: IMG-1.jpg (file attached)\n"
    path = write_zip(tmp_path / "WhatsApp Chat with Ben.zip", {"_chat.txt": chat, "IMG-1.jpg": b"\xff\xd8\xff"})
    remarks, problems = remarks_and_problems(host, path)
    assert "IMG-1.jpg" in remarks
    assert not problems


def test_other_products_of_an_account_are_named_without_a_loss(host: Host, tmp_path: Path) -> None:
    talk = {
        "participants": [{"name": "Ana"}],
        "messages": [{"sender_name": "Ana", "timestamp_ms": 1, "content": "rooks"}],
    }
    files = {
        "messages/inbox/ana_1/message_1.json": json.dumps(talk).encode(),
        "posts/your_posts.json": b'[{"title": "Ana posted"}]',
    }
    remarks, problems = remarks_and_problems(host, write_zip(tmp_path / "facebook.zip", files))
    assert "your_posts.json" in remarks
    assert not problems


def test_what_a_search_passes_over_is_named(host: Host, tmp_path: Path) -> None:
    folder = tmp_path / "mixed"
    (folder / "slack/general").mkdir(parents=True)
    write_json(folder / "slack/channels.json", [{"id": "C1", "name": "general"}])
    said = {"type": "message", "user": "U1", "text": "the medlar jam is ready", "ts": "1700000000.000100"}
    write_json(folder / "slack/general/2023-11-14.json", [said])
    write_json(folder / "conversations.json", [chatgpt_talk("g", "walnut torte")])
    outside = tmp_path / "outside.md"
    outside.write_text("the kestrel")
    (folder / "away.md").symlink_to(outside)
    (folder / "gone").symlink_to(tmp_path / "nowhere")
    (folder / "same.json").symlink_to(folder / "conversations.json")
    (folder / ".config").mkdir()
    (folder / ".config/note.md").write_text("hidden words")
    (folder / ".draft.txt").write_text("hidden words")
    (folder / ".DS_Store").write_bytes(b"\0")
    (folder / "empty.json").write_bytes(b"")
    os.mkfifo(folder / "pipe.json")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(folder / "socket"))
        remarks, problems = remarks_and_problems(host, folder)
    for name in (".config", "pipe.json", "socket", "empty.json"):
        assert name in remarks, name
    for name in ("away.md", "gone", ".config/note.md", ".draft.txt"):
        assert name in problems, name
    assert "same.json" not in remarks + problems
    assert ".DS_Store" not in remarks + problems


@pytest.mark.parametrize("name", ["notion", "slack", "documents", "notes"])
def test_what_a_search_passes_over_in_one_export_is_named(host: Host, name: str, tmp_path: Path) -> None:
    files = {
        "notion": {"Page 0123456789abcdef0123456789abcdef.md": "# Page\n\nthe quince"},
        "slack": {
            "channels.json": '[{"id": "C1", "name": "a"}]',
            "a/2023-11-14.json": '[{"type": "message", "text": "x"}]',
        },
        "documents": {"letter.html": "<html><body>the quince</body></html>"},
        "notes": {"plan.md": "the quince ![[pipe.png]]"},
    }[name]
    folder = tmp_path / name
    for place, text in files.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text)
    (folder / "gone.md").symlink_to(tmp_path / "nowhere")
    (folder / ".draft.txt").write_text("hidden words")
    os.mkfifo(folder / "pipe.png")
    report = host.ask("exchange.import", path=str(folder))
    named = " ".join(one.place + one.what for one in (*report.remarks, *report.problems))
    for passed in (".draft.txt", "gone.md", "pipe.png"):
        assert passed in named, (passed, named)
    assert report.lost == 2


MEMORY = '{"type":"entity","name":"Rosa","entityType":"plant","observations":["flowers in June every year"]}'


def vault_with_more(root: Path) -> dict[str, str]:
    """Return the files of a vault that also has words outside its notes, by path."""
    files = {
        "rose.md": "Roses need sun.",
        ".aim/memory.jsonl": MEMORY,
        "data/harvest.json": '{"rows": [{"text": "the quince ripens in October"}]}',
        ".obsidian/app.json": '{"alwaysUpdateLinks": true, "newFileLocation": "folder"}',
        ".obsidian/plugins/x/manifest.json": '{"description": "Makes the margins wider."}',
        ".trash/old.md": "what was deleted",
        "sizes.json": '{"width": 300, "mode": "dark"}',
        "package.json": '{"description": "A garden site", "scripts": {"build": "make the site"}}',
    }
    for place, text in files.items():
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).write_text(text)
    return files


@pytest.mark.parametrize("is_zipped", [False, True])
def test_words_beside_the_notes_of_a_vault_are_named(host: Host, is_zipped: bool, tmp_path: Path) -> None:
    path = tmp_path / "garden"
    files = vault_with_more(path)
    if is_zipped:
        path = write_zip(tmp_path / "garden.zip", {place: text.encode() for place, text in files.items()})
    report = host.ask("exchange.import", path=str(path))
    assert (report.memories, report.lost) == (1, 2)
    assert {problem.place for problem in report.problems if problem.lost} == {".aim/memory.jsonl", "data/harvest.json"}


def test_settings_in_a_hidden_folder_are_no_loss(host: Host, tmp_path: Path) -> None:
    folder = tmp_path / "garden"
    for place, text in {"rose.md": "Roses.", ".tool/a.json": '{"mode": "dark"}', ".tool/b.bin": "the words"}.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text)
    report = host.ask("exchange.import", path=str(folder))
    assert report.lost == 0
    assert any(".tool" in remark.what for remark in report.remarks)


def test_damaged_json_beside_notes_counts_as_words(host: Host, tmp_path: Path) -> None:
    (tmp_path / "v").mkdir()
    (tmp_path / "v/rose.md").write_text("Roses.")
    (tmp_path / "v/cut.json").write_text('{"rows": [{"text": "the quince ripens in')
    report = host.ask("exchange.import", path=str(tmp_path / "v"))
    assert [problem.place for problem in report.problems if problem.lost] == ["cut.json"]


def test_files_beyond_what_is_looked_at_are_named(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"{number}.html").write_text(f"<html><body>page {number}</body></html>")
    found = plan(tmp_path, max_looked_at=3)
    assert [len(part.paths) for part in found.parts] == [3]
    assert [(problem.lost, problem.count, "3.html, 4.html" in problem.what) for problem in found.problems] == [
        (True, 2, True)
    ]


def test_every_hidden_file_with_words_is_counted(host: Host, tmp_path: Path) -> None:
    folder = tmp_path / "garden"
    (folder / ".drafts").mkdir(parents=True)
    (folder / "rose.md").write_text("Roses.")
    for number in range(21_000):
        (folder / f".drafts/{number:05}.txt").write_text("the quince ripens")
    report = host.ask("exchange.import", path=str(folder))
    assert (report.memories, report.lost) == (1, 21_000)
    assert "20,000 more files hold words and were left out." in [word.what for word in plan(folder).words]


def test_every_file_with_words_in_a_zip_is_counted(host: Host, tmp_path: Path) -> None:
    files = {f"garden/.drafts/{number:05}.txt": b"the quince ripens" for number in range(21_000)}
    path = write_zip(tmp_path / "garden.zip", {"garden/rose.md": b"Roses.", **files})
    report = host.ask("exchange.import", path=str(path))
    assert (report.memories, report.lost) == (1, 21_000)


def test_files_beyond_what_is_listed_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_records, "MAX_FILES", 3)
    for number in range(5):
        (tmp_path / f"{number}.html").write_text(f"<html><body>page {number}</body></html>")
    found = plan(tmp_path)
    assert [len(part.paths) for part in found.parts] == [3]
    assert [(problem.lost, problem.count) for problem in found.problems] == [(True, 2)]
    assert "2 more files were not looked at" in found.problems[0].what


PLACES = st.sampled_from(["", "data/", ".tool/", ".tool/deep/", "data/.tool/"])
NAMES = st.sampled_from(["a.txt", "b.json", "c.csv", "d.jsonl", ".e.html", "f.bin", ".g.txt", "h.ndjson"])
WORDS = ["The quince ripens in October.", "We planted the medlar by the wall."]
CONTENTS = {
    True: st.sampled_from(WORDS).map(lambda text: (text, json.dumps({"text": text}))),
    False: st.sampled_from(["{}", '{"width": 300}', "[1, 2]"]).map(lambda as_json: ("", as_json)),
}
FILES = st.dictionaries(st.tuples(PLACES, NAMES), st.booleans().flatmap(lambda has: CONTENTS[has]), max_size=12)


@pytest.mark.parametrize("is_zipped", [False, True])
@given(files=FILES, notes=st.integers(1, 3))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_files_with_words_are_stored_or_counted(
    host: Host, tmp_path: Path, is_zipped: bool, files: dict[tuple[str, str], tuple[str, str]], notes: int
) -> None:
    """Files with words are as many as the notes that came in and the files that are named together."""
    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    contents = {f"note {number}.md": f"Note {number} on {folder.name}." for number in range(notes)}
    with_words = notes
    for (place, name), (text, as_json) in files.items():
        contents[f"{place}{name}"] = as_json if "json" in name else text
        with_words += text in WORDS and not name.endswith(".bin")
    for place, text in contents.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text)
    path = write_zip(folder / "all.zip", {k: v.encode() for k, v in contents.items()}) if is_zipped else folder
    report = host.ask("exchange.import", path=str(path))
    assert report.memories + report.lost == with_words, (report.problems, report.remarks)
