"""Words in places that only some exports have are stored, or named as left out."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.host import Host
from tests.unit.app.exchange.reading import claude_talk, write_json, write_zip

KEY = "0123456789abcdef0123456789abcdef"
LINE = {"sessionId": "s1", "timestamp": "2025-05-01T10:00:00Z"}
MAIL = (
    "From: Ana <ana@example.org>\r\nSubject: plan\r\nDate: Thu, 01 May 2025 10:00:00 +0000\r\nMIME-Version: 1.0\r\n"
    "Content-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\nContent-Type: text/plain\r\n\r\nsee the plan\r\n"
    "--B\r\nContent-Type: {kind}\r\nContent-Disposition: attachment; filename*=utf-8''pl%C3%A4ne.pdf\r\n"
    "Content-Transfer-Encoding: base64\r\n\r\nJVBERi0=\r\n--B--\r\n"
)


def hits(host: Host, query: str) -> list[str]:
    return [hit.snippet for hit in host.ask("memory.search", query=f'"{query}"').hits]


def transcript(path: Path, *events: dict[str, Any]) -> Path:
    lines = (json.dumps({**LINE, "uuid": f"u{number}", **event}) for number, event in enumerate(events))
    path.write_text("\n".join(lines))
    return path


def test_attachments_of_claude_code_are_stored_without_its_reminders(host: Host, tmp_path: Path) -> None:
    file = {
        "type": "file",
        "filename": "/x/plan.md",
        "content": {"type": "text", "file": {"content": "prune the medlar"}},
    }
    unknown = {"type": "of a later version", "details": {"deep": "kestrel over the barn"}}
    reminder = {"type": "todo_reminder", "content": "remember the list of tasks"}
    given = [{"type": "attachment", "attachment": one} for one in (file, unknown, reminder)]
    said = {"type": "user", "message": {"role": "user", "content": "read it"}}
    report = host.ask("exchange.import", path=str(transcript(tmp_path / "s1.jsonl", said, *given)))
    assert (report.messages, report.lost) == (3, 0)
    assert hits(host, "prune the medlar")
    assert hits(host, "kestrel over the barn")
    assert not any("remember" in snippet for snippet in hits(host, "remember the list"))


def test_thoughts_in_cipher_text_are_nobodys_words(host: Host, tmp_path: Path) -> None:
    ciphered = {"type": "redacted_thinking", "data": "EmwKAhgBEgy3 vapzix LafPsnQa kestrel"}
    answers = [[ciphered], [ciphered, {"type": "text", "text": "the heron is done"}]]
    said = [{"type": "assistant", "message": {"role": "assistant", "content": answer}} for answer in answers]
    assert host.ask("exchange.import", path=str(transcript(tmp_path / "s1.jsonl", *said))).lost == 0
    talk = claude_talk("c", "hello", "")
    talk["chat_messages"][1] |= {"text": "", "content": answers[1]}
    assert host.ask("exchange.import", path=str(write_json(tmp_path / "conversations.json", [talk]))).lost == 0
    assert hits(host, "the heron is done") == ["the heron is done"] * 2
    assert not hits(host, "redacted_thinking")
    assert not hits(host, "kestrel")


@pytest.mark.parametrize(
    "source",
    [
        {"type": "text", "media_type": "text/plain", "data": "the heron report"},
        {"type": "content", "content": [{"type": "text", "text": "the heron report"}]},
        {"type": "content", "content": "the heron report"},
    ],
)
def test_the_text_of_a_document_is_part_of_its_message(host: Host, source: dict[str, Any], tmp_path: Path) -> None:
    blocks = [{"type": "text", "text": "sum it up"}, {"type": "document", "title": "Birds", "source": source}]
    said = {"type": "user", "message": {"role": "user", "content": blocks}}
    report = host.ask("exchange.import", path=str(transcript(tmp_path / "s1.jsonl", said)))
    assert report.lost == 0
    assert hits(host, "the heron report")


@pytest.mark.parametrize(("kind", "lost"), [("application/pdf", 0), ("application/pkcs7-mime", 1)])
def test_files_attached_to_mails_are_named(host: Host, kind: str, lost: int, tmp_path: Path) -> None:
    (tmp_path / "plan.eml").write_bytes(MAIL.format(kind=kind).encode())
    report = host.ask("exchange.import", path=str(tmp_path / "plan.eml"))
    assert (report.messages, report.lost) == (1, lost)
    assert any("pläne.pdf" in remark.what for remark in report.remarks)


def test_cipher_text_of_evernote_is_named_and_no_text(host: Host, tmp_path: Path) -> None:
    body = '<div>before</div><en-crypt cipher="AES" hint="the dog">RU5DMI7mnMZ4cQ==</en-crypt><div>after it</div>'
    (tmp_path / "Safe.enex").write_text(
        f"<?xml version='1.0'?><en-export><note><title>Safe</title><content><![CDATA[<en-note>{body}</en-note>]]>"
        "</content><note-attributes><author>Ana Lima</author></note-attributes></note></en-export>"
    )
    report = host.ask("exchange.import", path=str(tmp_path / "Safe.enex"))
    (row,) = host.ask("memory.list")
    note = host.ask("memory.get", id=row.id).memories[0]
    assert "RU5DMI7" not in note.content
    assert "the dog" in note.content
    assert note.content.endswith("after it")
    assert note.attributes["author"] == "Ana Lima"
    assert [problem.what for problem in report.problems if problem.lost and "encrypted" in problem.what]


def test_entities_of_mem0_go_in(host: Host, tmp_path: Path) -> None:
    entities = [{"name": "rose_hill", "type": "place"}, "Ben Reed", {"about": "words without any name"}]
    value = {"results": [{"id": "1", "memory": "likes pears"}], "entities": entities}
    report = host.ask("exchange.import", path=str(write_json(tmp_path / "mem0.json", value)))
    host.ask("exchange.export", path=str(tmp_path / "out.jsonl"), format="jsonl")
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert {line["name"] for line in lines if line["type"] == "entity"} >= {"rose hill", "Ben Reed"}
    assert [problem.place for problem in report.problems if problem.lost and "entity 3" in problem.place]


def test_an_agent_file_without_references_to_its_blocks_is_read(host: Host, tmp_path: Path) -> None:
    agent = {"name": "goose", "messages": [{"role": "user", "content": [{"type": "text", "text": "count the geese"}]}]}
    value = {"agents": [agent], "blocks": [{"id": "b1", "label": "human", "value": "lives at the lake"}]}
    report = host.ask("exchange.import", path=str(write_json(tmp_path / "goose.af", value)))
    assert (report.format, report.messages, report.memories, report.lost) == ("letta", 1, 1, 0)
    assert hits(host, "lives at the lake")


@pytest.mark.parametrize("inner", ["Export-1-Part-1.zip", "ExportBlock-1.zip", "Private & Shared.zip"])
@pytest.mark.parametrize("page", [f"Beds {KEY}.html", f"Private & Shared/Beds {KEY}.md"])
def test_notion_is_known_in_a_zip_of_any_name(host: Host, inner: str, page: str, tmp_path: Path) -> None:
    text = "<html><body><p>the quince bed</p></body></html>" if page.endswith("html") else "# Beds\n\nthe quince bed"
    files = {page: text.encode(), "index.html": b"<html></html>"}
    data = write_zip(tmp_path / "inner.zip", files).read_bytes()
    report = host.ask("exchange.import", path=str(write_zip(tmp_path / "export.zip", {inner: data})))
    assert (report.format, report.memories, report.lost) == ("notion", 1, 0)
