"""A folder of anything is looked at file by file, one export as one."""

import json
import shutil
from pathlib import Path

import pytest

from app.errors import FormatError
from app.exchange.formats.detect import detect
from app.exchange.importing.folder_plan import is_one, plan
from app.host import Host
from tests.unit.app.exchange.reading import chatgpt_talk, claude_talk, write_json, write_zip

CLAUDE_CODE = {
    "type": "user",
    "uuid": "u1",
    "sessionId": "s1",
    "timestamp": "2025-05-01T10:00:00Z",
    "message": {"role": "user", "content": "prune the quince"},
}
CODEX = {"type": "session_meta", "timestamp": "2025-05-01T10:00:00Z", "payload": {"id": "c1", "cwd": "/x"}}
SAID = {
    "type": "response_item",
    "timestamp": "2025-05-01T10:00:01Z",
    "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "count the puffins"}]},
}
WHATSAPP = "12/05/2021, 14:30 - Ana: the heron is back\n13/05/2021, 14:31 - Ben: the kestrel too\n"


def lines(*values: object) -> str:
    return "".join(f"{json.dumps(value)}\n" for value in values)


def mixed(folder: Path) -> Path:
    (folder / "slack/general").mkdir(parents=True)
    write_json(folder / "slack/channels.json", [{"id": "C1", "name": "general"}])
    said = {"type": "message", "user": "U1", "text": "the medlar jam is ready", "ts": "1700000000.000100"}
    write_json(folder / "slack/general/2023-11-14.json", [said])
    write_json(folder / "conversations.json", [chatgpt_talk("g", "walnut torte")])
    write_zip(folder / "claude.zip", {"conversations.json": json.dumps([claude_talk("c", "lemon drizzle")]).encode()})
    (folder / "agents").mkdir()
    (folder / "agents/a.jsonl").write_text(lines(CLAUDE_CODE))
    (folder / "agents/b.jsonl").write_text(lines({**CLAUDE_CODE, "sessionId": "s2", "uuid": "u2"}))
    (folder / "agents/rollout-1.jsonl").write_text(lines(CODEX, SAID))
    (folder / "chats").mkdir()
    (folder / "chats/WhatsApp Chat with Ben.txt").write_text(WHATSAPP)
    (folder / "notes/deep").mkdir(parents=True)
    (folder / "notes/one.md").write_text("# One\n\nthe attic")
    (folder / "notes/deep/two.md").write_text("the cellar")
    write_json(folder / "package.json", {"name": "x", "scripts": {"build": "make it so"}})
    return folder


def test_each_export_in_a_folder_is_a_part(tmp_path: Path) -> None:
    folder = mixed(tmp_path / "mixed")
    found = plan(folder)
    assert {(part.name, part.format, len(part.paths)) for part in found.parts} == {
        (".", "chatgpt", 1),
        ("slack", "slack", 1),
        ("claude.zip", "claude", 1),
        ("agents (claude-code)", "claude-code", 2),
        ("agents/rollout-1.jsonl", "codex", 1),
        ("chats/WhatsApp Chat with Ben.txt", "whatsapp", 1),
        ("notes", "markdown", 1),
    }
    assert [(problem.lost, "package.json" in problem.what) for problem in found.problems] == [(False, True)]
    assert not is_one(found, folder, detect(folder))


def test_a_folder_of_one_kind_stays_one(tmp_path: Path) -> None:
    for name in ("slack", "notes", "agents"):
        folder = mixed(tmp_path / name) / name
        (folder / "rollout-1.jsonl").unlink(missing_ok=True)
        assert is_one(plan(folder), folder, detect(folder)), name


def test_what_is_damaged_or_locked_in_a_folder_is_named(tmp_path: Path) -> None:
    folder = mixed(tmp_path / "mixed")
    (folder / "half.zip").write_bytes((folder / "claude.zip").read_bytes()[:60])
    assert [problem.place for problem in plan(folder).problems if problem.lost] == ["half.zip"]


def test_the_parts_of_a_folder_are_previewed_imported_and_left_out(host: Host, tmp_path: Path) -> None:
    folder = mixed(tmp_path / "mixed")
    preview = host.ask("exchange.preview", path=str(folder))
    assert {part.name: (part.conversations, part.messages, part.notes) for part in preview.parts} == {
        ".": (1, 1, 0),
        "slack": (1, 1, 0),
        "claude.zip": (1, 1, 0),
        "agents (claude-code)": (2, 2, 0),
        "agents/rollout-1.jsonl": (1, 1, 0),
        "chats/WhatsApp Chat with Ben.txt": (1, 2, 0),
        "notes": (0, 0, 2),
    }
    assert (preview.conversations, preview.messages, preview.notes) == (7, 8, 2)
    first = host.ask("exchange.import", path=str(folder), leave_out=["slack"])
    assert (first.sessions, first.messages, first.memories, first.lost) == (6, 7, 2, 0)
    assert first.items.read == first.items.stored + first.items.left_out + first.items.wordless
    assert not any("medlar" in hit.snippet for hit in host.ask("memory.search", query="medlar").hits)
    again = host.ask("exchange.import", path=str(folder))
    assert (again.sessions, again.messages, again.memories, again.unchanged) == (1, 1, 0, 9)
    assert any("medlar" in hit.snippet for hit in host.ask("memory.search", query="medlar").hits)


def test_documents_beside_notes_are_read_unless_a_note_keeps_them(host: Host, tmp_path: Path) -> None:
    folder = tmp_path / "house"
    (folder / "files").mkdir(parents=True)
    (folder / "plan.md").write_text("See [[page.html]] and [the sheet](files/the%20sheet.csv).")
    for name in ("page.html", "other.html"):
        (folder / name).write_text(f"<html><body>the kestrel of {name}</body></html>")
    (folder / "files/the sheet.csv").write_text("a,b\n")
    for name in ("letter.rtf", "sums.xlsx", "loose.csv", "picture.png"):
        (folder / name).write_text("not a format that is known")
    found = plan(folder)
    assert {(part.name, part.format) for part in found.parts} == {(".", "markdown"), ("other.html", "html")}
    assert not any(problem.lost for problem in found.problems)
    assert [problem.place for problem in found.words] == ["loose.csv"]
    named = " ".join(problem.place + problem.what for problem in found.remarks)
    for name in ("letter.rtf", "sums.xlsx", "loose.csv", "picture.png"):
        assert name in named
    assert not any(name in named for name in ("the sheet.csv", "page.html"))
    report = host.ask("exchange.import", path=str(folder))
    assert report.memories == 2
    assert any("letter.rtf" in remark.what for remark in report.remarks)


def test_a_folder_around_the_open_vault_is_imported_without_it(host: Host, vault: Path) -> None:
    folder = vault.parent
    (folder / "note.md").write_text("the medlar jam")
    report = host.ask("exchange.import", path=str(folder))
    assert report.memories == 1
    assert any("memory.db" in one.place + one.what for one in (*report.problems, *report.remarks))


def test_what_an_export_of_one_kind_does_not_take_is_named(host: Host, tmp_path: Path) -> None:
    folder = mixed(tmp_path / "mixed") / "slack"
    write_json(folder / "canvases.json", [{"id": "F1", "title": "the orchard"}])
    report = host.ask("exchange.import", path=str(folder))
    assert (report.format, report.sessions, report.lost) == ("slack", 1, 0)
    assert [("canvases.json" in remark.what, remark.foreign) for remark in report.remarks] == [(True, True)]
    assert any("canvases.json" in remark.what for remark in host.ask("exchange.preview", path=str(folder)).remarks)


def test_problems_name_the_part_of_the_folder_that_they_are_in(host: Host, tmp_path: Path) -> None:
    folder = mixed(tmp_path / "mixed")
    with (folder / "agents/a.jsonl").open("a") as stream:
        stream.write('{"type": \n')
    with (folder / "agents/rollout-1.jsonl").open("a") as stream:
        stream.write("no JSON\n" + lines(SAID))
    write_json(folder / "slack/general/2023-11-15.json", ["the heron is back again"])
    places = {problem.place for problem in host.ask("exchange.import", path=str(folder)).problems}
    assert any(place.startswith("agents/rollout-1.jsonl, line") for place in places)
    assert any(place.startswith("slack: general/2023-11-15.json") for place in places)


def test_a_zip_of_zips_is_named_as_left_out(tmp_path: Path) -> None:
    folder = mixed(tmp_path / "mixed")
    write_zip(folder / "outer.zip", {"inner.zip": (folder / "claude.zip").read_bytes()})
    assert [(problem.place, "unpack it" in problem.what) for problem in plan(folder).problems if problem.lost] == [
        ("outer.zip", True)
    ]
    assert not any("Supported are" in problem.what for problem in plan(folder).problems)


@pytest.mark.parametrize("is_encrypted", [False, True])
def test_another_vault_is_named_and_none_of_its_files_read(
    host: Host, tmp_path: Path, template_db: Path, is_encrypted: bool
) -> None:
    folder = tmp_path / "mixed"
    (folder / "old/attachments").mkdir(parents=True)
    shutil.copyfile(template_db, folder / "old/memory.db")
    if is_encrypted:
        (folder / "old/memory.db").write_bytes(b"\x17" * 4096)
        (folder / "old/encryption.json").write_text("{}")
    (folder / "old/attachments/sheet.md").write_text("the curlew of another vault")
    (folder / "plan.md").write_text("the medlar jam")
    report = host.ask("exchange.import", path=str(folder))
    assert report.memories == 1
    assert [(problem.place, "--vault" in problem.what) for problem in report.problems if problem.lost] == [
        ("old/memory.db", True)
    ]
    with pytest.raises(FormatError, match="old is a Keepsake vault"):
        host.ask("exchange.import", path=str(folder / "old"))


def test_files_that_are_no_notes_are_named_beside_words_that_were_left_out(host: Host, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    (folder / ".drafts").mkdir(parents=True)
    (folder / "a.md").write_text("pomelo")
    (folder / ".drafts" / "b.md").write_text("wasabi words")
    for name in ("c.opml", "d.log", "e.vcf"):
        (folder / name).write_text("tangelo words")
    report = host.ask("exchange.import", path=str(folder))
    assert report.memories == 1
    sentences = " ".join(f"{problem.place} {problem.what}" for problem in (*report.problems, *report.remarks))
    assert [name for name in (".drafts/b.md", "c.opml", "d.log", "e.vcf") if name not in sentences] == [], sentences
    assert {problem.place for problem in report.problems} == {".drafts/b.md", "c.opml"}


@pytest.mark.parametrize("place", ["", "mine"])
def test_a_package_of_messages_alone_is_one_export(host: Host, tmp_path: Path, place: str) -> None:
    folder = tmp_path / "package" / place / "messages"
    (folder / "c11").mkdir(parents=True)
    (folder / "index.json").write_text(json.dumps({"11": "Direct Message with spruce"}))
    (folder / "c11" / "channel.json").write_text(json.dumps({"id": "11", "type": "DM"}))
    message = {"ID": 1, "Timestamp": "2025-01-01 00:00:00", "Contents": "rowan berry", "Attachments": ""}
    (folder / "c11" / "messages.json").write_text(json.dumps([message]))
    report = host.ask("exchange.import", path=str(tmp_path / "package"))
    assert (report.format, report.messages, report.lost) == ("discord", 1, 0)
    assert (*report.problems, *report.remarks) == ()
