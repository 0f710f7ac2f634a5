import json
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from app.errors import DiskFullError, InputError, MachineError
from app.exchange.exporting.export_target import MANIFEST
from app.exchange.exporting.exporters import Exportable, Exporter, JsonlExporter, MarkdownExporter
from app.exchange.formats.markdown import read as read_markdown
from app.exchange.formats.own.keepsake import read as read_keepsake
from app.memories.foreign_record import MemoryRecord
from app.memories.model import Memory
from app.sessions.model import Message, Session
from tests.helpers.disks import SmallDisk
from tests.unit.app.exchange.reading import contents, only, problems, records

NOW = datetime(2024, 1, 31, 10, 0, tzinfo=UTC)


def session(key: str = "s", **fields: Any) -> Session:
    return Session(
        **{"id": key, "title": "Trip", "agent": "A", "channel": "", "message_count": 1, **fields},
        created_at=NOW,
        updated_at=NOW,
    )


def turn(content: str = "Hi", seq: int = 1) -> Message:
    return Message("s", seq, "user", "Me", content, NOW, 0.5, 1)


def note(title: str = "Note", content: str = "Body", **fields: Any) -> Memory:
    known: dict[str, Any] = {"id": f"note-{title}", "kind": "note", "store": "private", "source": "person"}
    return Memory(**{**known, **fields}, title=title, content=content, created_at=NOW, updated_at=NOW)


def exported(exporter: Exporter, *values: Any) -> Exporter:
    exporter.write([session(), turn(), *values])
    return exporter


def test_artifacts_stand_in_the_transcript(tmp_path: Path) -> None:
    made = {"command": "create", "title": "Pad Thai", "type": "text/markdown", "content": "- 225g flat rice noodles"}
    changed = {"command": "update", "id": "pad-thai", "old_str": "225g", "new_str": "250g"}
    calls = [{"id": "1", "name": "artifacts", "input": made}, {"id": "2", "name": "search", "input": {"q": "x"}}]
    calls.append({"id": "3", "name": "artifacts", "input": changed})
    message = replace(turn("Here is a recipe.", 2), role="assistant", tool_calls=calls)
    exported(MarkdownExporter(tmp_path / "out"), message).finish()
    (transcript,) = (tmp_path / "out" / "sessions").iterdir()
    text = transcript.read_text(encoding="utf-8")
    assert "Here is a recipe.\n\n**Artifact: Pad Thai**\n\n```markdown\n- 225g flat rice noodles\n```\n" in text
    assert "**Artifact: pad-thai**\n\nReplaced:\n\n```\n225g\n```\n\nWith:\n\n```\n250g\n```\n" in text


@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.gz"])
def test_one_file_with_everything(tmp_path: Path, name: str) -> None:
    report = exported(JsonlExporter(tmp_path / name), note()).finish()
    assert (report.sessions, report.messages, report.memories, report.files) == (1, 1, 1, 1)
    assert report.bytes == (tmp_path / name).stat().st_size
    found = records(read_keepsake, tmp_path / name)
    assert contents(found) == ["Hi", "Body"]
    assert not problems(found)
    assert list(tmp_path.iterdir()) == [tmp_path / name]


def test_the_file_appears_when_it_is_complete_and_not_before(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    exporter = exported(JsonlExporter(path))
    assert not path.exists()
    exporter.abandon()
    assert not list(tmp_path.iterdir())


def test_an_earlier_export_is_replaced_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    exported(JsonlExporter(path)).finish()
    exported(JsonlExporter(path), note()).finish()
    assert len(path.read_bytes().splitlines()) == 3
    path.write_text("My diary")
    with pytest.raises(InputError, match="something else"):
        JsonlExporter(path)
    with pytest.raises(InputError, match="is a folder"):
        JsonlExporter(tmp_path)
    with pytest.raises(InputError, match="no folder"):
        JsonlExporter(tmp_path / "none" / "out.jsonl")
    assert path.read_text() == "My diary"


def test_a_folder_of_notes_and_transcripts(tmp_path: Path) -> None:
    values = (
        note("A/B: c", "text", tags=("x",)),
        note("a", "1"),
        note("A", "2"),
        note("", "no title\nat all"),
        note("F", kind="fact"),
    )
    report = exported(MarkdownExporter(tmp_path / "out"), *values).finish()
    names = {file.relative_to(tmp_path / "out").as_posix() for file in (tmp_path / "out").rglob("*") if file.is_file()}
    assert names == {
        "index.md",
        MANIFEST,
        "sessions/2024-01-31 Trip.md",
        "notes/A-B- c.md",
        "notes/a.md",
        "notes/A (2).md",
        "notes/no title at all.md",
        "facts/F.md",
    }
    assert (report.files, report.memories) == (7, 5)
    assert report.bytes == sum((tmp_path / "out" / name).stat().st_size for name in names - {MANIFEST})
    transcript = (tmp_path / "out" / "sessions" / "2024-01-31 Trip.md").read_text()
    assert "### 1 · user · Me · 2024-01-31 10:00:00\n\nHi\n" in transcript
    index = (tmp_path / "out" / "index.md").read_text()
    assert "- [A/B: c](<notes/A-B- c.md>)" in index
    again = {record.title: record for record in only(records(read_markdown, tmp_path / "out"), MemoryRecord)}
    assert (again["A/B: c"].content, again["A/B: c"].tags) == ("text", ("x",))


def test_folders_of_an_imported_vault_are_kept_and_never_lead_out(tmp_path: Path) -> None:
    values = (
        note("N", attributes={"path": "a/b/N.md"}),
        note("E", attributes={"path": "../../../E.md"}),
        note("S", attributes={"path": "/etc/S.md"}),
    )
    (tmp_path / "x").mkdir()
    exported(MarkdownExporter(tmp_path / "x" / "out"), *values).finish()
    found = sorted(file.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("[NES].md"))
    assert found == ["x/out/notes/Untitled/Untitled/Untitled/E.md", "x/out/notes/a/b/N.md", "x/out/notes/etc/S.md"]


def test_a_vault_comes_back_byte_for_byte(tmp_path: Path) -> None:
    vault = {
        "Note.md": b"---\ntags: [a]  # mine\n---\n# H\n",
        "deep/er/Win.md": b"one\r\ntwo\r\n",
        "deep/Titled.md": b"---\ntitle: Other name\n---\nBody",
        "Bom.markdown": b"\xef\xbb\xbfx",
        "Broken.md": b"---\n{{x}}: y\n---\nBody",
    }
    for name, data in vault.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_bytes(data)
    exporter = MarkdownExporter(tmp_path / "out")
    for record in only(records(read_markdown, tmp_path / "in"), MemoryRecord):
        exporter.write([note(record.title, record.content, tags=record.tags, attributes=record.attributes)])
    exporter.finish()
    assert {name: (tmp_path / "out" / "notes" / name).read_bytes() for name in vault} == vault


def test_an_earlier_export_is_replaced_while_it_is_unchanged(tmp_path: Path) -> None:
    out = tmp_path / "out"
    exported(MarkdownExporter(out), note("Old")).finish()
    exported(MarkdownExporter(out), note("New")).finish()
    assert [file.name for file in (out / "notes").iterdir()] == ["New.md"]
    assert list(tmp_path.iterdir()) == [out]
    (out / "notes" / "New.md").write_text("edited")
    with pytest.raises(InputError, match=r"New\.md was added or changed"):
        MarkdownExporter(out)
    assert (out / "notes" / "New.md").read_text() == "edited"


@pytest.mark.parametrize("manifest", [None, "nonsense", "[]", '{"files": 5}', '{"files": {"a": 1}}'])
def test_a_folder_that_is_not_ours_is_left_alone(tmp_path: Path, manifest: str | None) -> None:
    (tmp_path / "diary.md").write_text("mine")
    if manifest is not None:
        (tmp_path / MANIFEST).write_text(manifest)
    with pytest.raises(InputError, match="not empty"):
        MarkdownExporter(tmp_path)
    assert (tmp_path / "diary.md").read_text() == "mine"


def test_a_file_in_place_of_a_folder_and_an_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="is a file"):
        MarkdownExporter(tmp_path / "file")
    (tmp_path / "empty").mkdir()
    exported(MarkdownExporter(tmp_path / "empty")).finish()
    manifest = json.loads((tmp_path / "empty" / MANIFEST).read_text())
    assert sorted(manifest["files"]) == ["index.md", "sessions/2024-01-31 Trip.md"]


def test_an_abandoned_folder_leaves_nothing(tmp_path: Path) -> None:
    exported(MarkdownExporter(tmp_path / "out")).abandon()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("make", [JsonlExporter, MarkdownExporter])
def test_a_full_disk_is_said_and_leaves_nothing(small_disk: SmallDisk, make: type[JsonlExporter]) -> None:
    disk = small_disk(2)
    exporter = make(disk / "out")
    values: list[Exportable] = [session(), *(turn("x" * 100_000, number) for number in range(100))]
    with pytest.raises(DiskFullError, match="disk is full"):
        exporter.write(values)
    exporter.abandon()
    assert not list(disk.iterdir())


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises((MachineError, InputError)):
        JsonlExporter(tmp_path / ("x" * 300))


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
@pytest.mark.parametrize("make", [JsonlExporter, MarkdownExporter])
def test_only_the_owner_can_read_an_export_under_any_umask(tmp_path: Path, make: Callable[[Path], Exporter]) -> None:
    before = os.umask(0)
    try:
        exported(make(tmp_path / "out"), note(attributes={"path": "a/b/N.md"})).finish()
    finally:
        os.umask(before)
    out = tmp_path / "out"
    made = [out, *out.rglob("*")]
    modes = {path.relative_to(tmp_path).as_posix(): path.stat().st_mode & 0o777 for path in made}
    assert modes == {name: 0o700 if (tmp_path / name).is_dir() else 0o600 for name in modes}
    assert any(path.is_file() for path in made)
