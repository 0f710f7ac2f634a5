"""Two sources whose records are called the same: neither takes the other's place, and a newer one brings its own up."""

import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from app.exchange.model import ImportReport
from app.host import Host
from app.memories.model import Memory
from tests.unit.app.exchange.formats.test_enex import HEAD

ENML = '<?xml version="1.0"?><!DOCTYPE en-note SYSTEM "http://xml.evernote.com/pub/enml2.dtd"><en-note>{}</en-note>'
LONG = "sow the radish in the first bed and water it every other day until May"


def note(text: str, title: str = "Checklist", made: str = "20250101T100000Z", changed: str = "") -> str:
    times = "".join(f"<{name}>{time}</{name}>" for name, time in (("created", made), ("updated", changed)) if time)
    return f"<note><title>{title}</title>{times}<content><![CDATA[{ENML.format(text)}]]></content></note>"


def enex(path: Path, *notes: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{HEAD}<en-export>{''.join(notes)}</en-export>", encoding="utf-8")
    return path


def take(host: Host, path: Path) -> ImportReport:
    return host.ask("exchange.import", path=str(path))


def stored(host: Host) -> Sequence[Memory]:
    ids = [row.id for row in host.ask("memory.list", limit=200)]
    return host.ask("memory.get", ids=ids).memories if ids else ()


def texts(host: Host) -> list[str]:
    return sorted(memory.content for memory in stored(host))


def tags(host: Host) -> list[str]:
    return sorted(",".join(memory.tags) for memory in stored(host))


@pytest.mark.parametrize("made", ["20250101T100000Z", ""])
@pytest.mark.parametrize("title", ["Checklist", "Untitled", ""])
def test_notes_of_two_notebooks_stay_two(host: Host, tmp_path: Path, made: str, title: str) -> None:
    beds = enex(tmp_path / "beds.enex", note("sow radish", title, made, "20250102T100000Z"))
    trees = enex(tmp_path / "trees.enex", note("prune quince", title, made, "20250301T100000Z"))
    for _ in range(2):
        take(host, beds)
        take(host, trees)
        assert texts(host) == ["prune quince", "sow radish"]
    assert tags(host) == ["beds", "trees"]


def test_a_folder_of_notebooks_is_read_and_the_same_as_its_files(host: Host, tmp_path: Path) -> None:
    enex(tmp_path / "all" / "Beds.enex", note("sow radish"), note("sow beet"))
    trees = enex(tmp_path / "all" / "below" / "Trees (1).ENEX", note("prune quince"))
    report = take(host, tmp_path / "all")
    assert (report.format, report.memories, report.lost) == ("enex", 3, 0)
    assert (take(host, trees).unchanged, texts(host)) == (1, ["prune quince", "sow beet", "sow radish"])
    assert tags(host) == ["beds", "beds", "trees"]


@pytest.mark.parametrize(
    ("new", "changed"),
    [
        (LONG.replace("May", "June"), ""),
        (f"{LONG}. Then thin it out and eat what was pulled.", "20250301T100000Z"),
        ("prune quince", "20250301T100000Z"),
    ],
)
@pytest.mark.parametrize("folder", ["", "newer"])
def test_a_newer_export_of_a_notebook_updates_its_note(
    host: Host, tmp_path: Path, new: str, changed: str, folder: str
) -> None:
    take(host, enex(tmp_path / "garden.enex", note(LONG, changed=changed and "20250102T100000Z")))
    report = take(host, enex(tmp_path / folder / "garden.enex", note(new, changed=changed)))
    assert (report.memories, report.updated, texts(host)) == (0, 1, [new])


def test_an_older_export_takes_nothing_back(host: Host, tmp_path: Path) -> None:
    take(host, enex(tmp_path / "b" / "garden.enex", note("prune quince", changed="20250301T100000Z")))
    take(host, enex(tmp_path / "a" / "garden.enex", note("sow radish", changed="20250201T100000Z")))
    assert texts(host) == ["prune quince", "sow radish"]


def test_a_note_that_evernote_deleted_is_not_overwritten_by_its_namesake(host: Host, tmp_path: Path) -> None:
    take(host, enex(tmp_path / "garden.enex", note("first words"), note("second words")))
    report = take(host, enex(tmp_path / "garden.enex", note("second words", changed="20250301T100000Z")))
    assert (report.memories, texts(host)) == (0, ["first words", "second words"])


def test_equal_notes_of_one_file_stay_as_many(host: Host, tmp_path: Path) -> None:
    path = enex(tmp_path / "a.enex", *(note("the same") for _ in range(70)), *(note(f"{n}") for n in range(20)))
    assert [take(host, path).memories for _ in range(2)] == [90, 0]


def test_a_copy_in_another_notebook_adds_its_tag(host: Host, tmp_path: Path) -> None:
    beds, trees = (enex(tmp_path / f"{name}.enex", note("sow radish")) for name in ("beds", "trees"))
    take(host, beds)
    assert take(host, trees).memories == 0
    assert tags(host) == ["beds,trees"]
    assert (take(host, beds).unchanged, take(host, trees).unchanged, tags(host)) == (1, 1, ["beds,trees"])


def test_an_undone_import_comes_back_and_a_deleted_note_does_not(host: Host, tmp_path: Path) -> None:
    beds, trees = (enex(tmp_path / f"{name}.enex", note(name)) for name in ("beds", "trees"))
    take(host, beds)
    host.ask("memory.undo", run_id=take(host, trees).run_id)
    assert texts(host) == ["beds"]
    assert (take(host, trees).memories, texts(host)) == (1, ["beds", "trees"])
    (first,) = (memory.id for memory in stored(host) if memory.content == "beds")
    host.ask("note.delete", id=first)
    take(host, beds)
    assert texts(host) == ["trees"]


def _markdown(folder: Path, text: str) -> Path:
    (folder / "notes").mkdir(parents=True)
    (folder / "notes" / "plan.md").write_text(text)
    return folder / "notes"


def _one_markdown(folder: Path, text: str) -> Path:
    return _markdown(folder, text) / "plan.md"


def _html(folder: Path, text: str) -> Path:
    (folder / "notes").mkdir(parents=True)
    (folder / "notes" / "plan.html").write_text(f"<html><body>{text}</body></html>")
    return folder / "notes" / "plan.html"


def _documents(folder: Path, text: str) -> Path:
    (folder / "notes").mkdir(parents=True)
    (folder / "notes" / "plan.txt").write_text(text)
    return folder / "notes"


def _apple(folder: Path, text: str) -> Path:
    (folder / "Notes" / "Trip").mkdir(parents=True)
    (folder / "Notes" / "Trip" / "Trip.txt").write_text(text)
    return folder / "Notes"


def _json(value: Callable[[str], object]) -> Callable[[Path, str], Path]:
    def make(folder: Path, text: str) -> Path:
        folder.mkdir(parents=True)
        (folder / "export.json").write_text(json.dumps(value(text)))
        return folder / "export.json"

    return make


def _keepsake(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True)
    line = {"type": "memory", "id": "n1", "content": text}
    (folder / "vault.jsonl").write_text(json.dumps(line) + "\n")
    return folder / "vault.jsonl"


def _database(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True)
    with closing(sqlite3.connect(folder / "memory.db")) as connection, connection:
        connection.execute("CREATE TABLE memories (id INTEGER PRIMARY KEY, content TEXT, created_at TEXT)")
        connection.execute("INSERT INTO memories VALUES (1, ?, '2025-01-01T10:00:00Z')", (text,))
    return folder / "memory.db"


SOURCES: dict[str, Callable[[Path, str], Path]] = {
    "markdown": _markdown,
    "one markdown file": _one_markdown,
    "html": _html,
    "documents": _documents,
    "apple": _apple,
    "mem0": _json(lambda text: {"results": [{"id": "1", "memory": text}]}),
    "letta": _json(
        lambda text: {
            "agents": [{"name": "Rosa", "block_ids": ["b"]}],
            "blocks": [{"id": "b", "label": "human", "value": text}],
        }
    ),
    "keepsake": _keepsake,
    "database": _database,
}


@pytest.mark.parametrize("name", SOURCES)
def test_two_sources_with_the_same_names_stay_two(host: Host, tmp_path: Path, name: str) -> None:
    one, two = SOURCES[name](tmp_path / "one", "sow radish"), SOURCES[name](tmp_path / "two", "prune quince")
    for _ in range(2):
        take(host, one)
        take(host, two)
        assert texts(host) == ["prune quince", "sow radish"]


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_that_changed_updates_its_own(host: Host, tmp_path: Path, name: str) -> None:
    take(host, SOURCES[name](tmp_path / "one", "sow radish"))
    take(host, SOURCES[name](tmp_path / "two", "prune quince"))
    for folder in ("one", "two"):
        for path in sorted((tmp_path / folder).rglob("*"), reverse=True):
            path.unlink() if path.is_file() else path.rmdir()
        (tmp_path / folder).rmdir()
    take(host, SOURCES[name](tmp_path / "two", "plant pears"))
    assert texts(host) == ["plant pears", "sow radish"]


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_that_moved_is_known(host: Host, tmp_path: Path, name: str) -> None:
    take(host, SOURCES[name](tmp_path / "one", LONG))
    new = LONG.replace("May", "June")
    report = take(host, SOURCES[name](tmp_path / "two", new))
    assert (report.memories, texts(host)) == (0, [new])
