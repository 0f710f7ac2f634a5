"""Imports of note programs into a vault: previewed, nothing twice, undone as one, secrets left out on request."""

import base64
import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from app.host import Host
from tests.unit.app.exchange.formats.notebooks.exports import KEY, jex, joplin_item, pdf, png
from tests.unit.app.exchange.formats.notebooks.test_notion import PAGES
from tests.unit.app.exchange.reading import write_zip


def _joplin(folder: Path) -> Path:
    return jex(folder / "a.jex")


def _notion(folder: Path) -> Path:
    return write_zip(folder / "a.zip", PAGES)


def _apple(folder: Path) -> Path:
    return write_zip(folder / "a.zip", {"Notes/Trip/Trip.txt": b"Trip", "Notes/Trip/dot.png": png()})


def _obsidian(folder: Path) -> Path:
    (folder / "garden").mkdir()
    (folder / "garden" / "a.md").write_text("![[dot.png]] [[b]]")
    (folder / "garden" / "b.md").write_text("B")
    (folder / "garden" / "dot.png").write_bytes(png())
    return folder / "garden"


def _pdf(folder: Path) -> Path:
    (folder / "a.pdf").write_bytes(pdf("A rose"))
    return folder / "a.pdf"


def _enex(folder: Path) -> Path:
    digest, data = hashlib.md5(png(), usedforsecurity=False).hexdigest(), base64.b64encode(png()).decode()
    resource = f'<resource><data encoding="base64">{data}</data><mime>image/png</mime></resource>'
    note = f'<en-note>See <en-media type="image/png" hash="{digest}"/></en-note>'
    text = f"<note><title>Rose</title><content><![CDATA[{note}]]></content>{resource}</note>"
    (folder / "a.enex").write_text(f"<en-export>{text}</en-export>")
    return folder / "a.enex"


def _docx(folder: Path) -> Path:
    path, namespace = folder / "a.docx", 'xmlns:w="w" xmlns:a="a" xmlns:r="r"'
    body = '<w:p><w:t>See</w:t><a:blip r:embed="rId4"/></w:p>'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", f"<w:document {namespace}><w:body>{body}</w:body></w:document>")
        relation = '<Relationship Id="rId4" Target="media/image1.png"/>'
        archive.writestr("word/_rels/document.xml.rels", f"<Relationships>{relation}</Relationships>")
        archive.writestr("word/media/image1.png", png())
    return path


# The notes and files that each makes, counted by hand.
EXPORTS: dict[str, tuple[Callable[[Path], Path], int, int]] = {
    "joplin": (_joplin, 2, 1),
    "notion": (_notion, 3, 1),
    "apple-notes": (_apple, 1, 1),
    "markdown": (_obsidian, 2, 1),
    "pdf": (_pdf, 1, 1),
    "enex": (_enex, 1, 1),
    "docx": (_docx, 1, 1),
}


@pytest.mark.parametrize("name", EXPORTS)
def test_previewed_imported_once_and_undone(host: Host, tmp_path: Path, name: str) -> None:
    make, notes, files = EXPORTS[name]
    path = str(make(tmp_path))
    preview = host.ask("exchange.preview", path=path)
    assert (preview.format, preview.notes, preview.attachments, preview.known) == (name, notes, files, 0)
    assert preview.is_complete
    assert not host.ask("note.list")
    assert not host.ask("attachment.list")
    report = host.ask("exchange.import", path=path)
    assert (report.format, report.memories, report.attachments) == (name, notes, files)
    stored = host.ask("note.list")
    links = [one.link for one in host.ask("attachment.list")]
    assert (len(stored), len(links)) == (notes, files)
    said = "".join(host.ask("note.get", id=note.id).content for note in stored)
    assert all(link in said for link in links)
    again = host.ask("exchange.import", path=path)
    assert (again.memories, again.updated, again.unchanged) == (0, 0, notes)
    assert len(host.ask("attachment.list")) == files
    assert host.ask("exchange.preview", path=path).known == notes
    host.ask("memory.undo", run_id=report.run_id)
    assert not host.ask("note.list")
    assert host.ask("exchange.preview", path=path).known == 0
    assert host.ask("exchange.import", path=path).memories == notes
    assert len(host.ask("note.list")) == notes


def test_conversations_whose_import_was_undone_are_new_again(host: Host, tmp_path: Path) -> None:
    chat = [{"role": "user", "content": "Where are the roses?"}, {"role": "assistant", "content": "In the garden."}]
    path = tmp_path / "conversations.jsonl"
    path.write_text(
        "".join(
            json.dumps({"type": "message", "session": "s", "seq": 1 + n, **one}) + "\n" for n, one in enumerate(chat)
        )
    )
    first = host.ask("exchange.import", path=str(path))
    assert (first.sessions, first.messages) == (1, 2)
    host.ask("memory.undo", run_id=first.run_id)
    assert not host.ask("session.list")
    assert host.ask("exchange.preview", path=str(path)).known == 0
    again = host.ask("exchange.import", path=str(path))
    assert (again.sessions, again.messages, again.unchanged) == (1, 2, 0)
    assert [one.message_count for one in host.ask("session.list")] == [2]


def test_a_conversation_that_the_person_deleted_is_there_already(host: Host, tmp_path: Path) -> None:
    path = tmp_path / "conversations.jsonl"
    path.write_text(
        json.dumps({"type": "message", "session": "s", "seq": 1, "role": "user", "content": "Roses"}) + "\n"
    )
    host.ask("exchange.import", path=str(path))
    host.ask("session.forget", session="s")
    assert host.ask("exchange.preview", path=str(path)).known == 1
    assert host.ask("exchange.import", path=str(path)).messages == 0
    assert not host.ask("session.list")


def test_texts_with_secrets_are_counted_and_left_out_on_request(host: Host, tmp_path: Path) -> None:
    more = {f"{'7' * 32}.md": joplin_item("7" * 32, 1, "Keys", f"api_key = {KEY}")}
    path = str(jex(tmp_path / "a.jex", **more))
    assert host.ask("exchange.preview", path=path).secrets == 1
    report = host.ask("exchange.import", path=path, skip_secrets=True)
    assert (report.memories, report.skipped) == (2, 1)
    assert KEY.encode() not in b"".join(file.read_bytes() for file in host.vault.rglob("*") if file.is_file())
    report = host.ask("exchange.import", path=path)
    assert (report.memories, report.skipped, report.unchanged) == (1, 0, 2)
