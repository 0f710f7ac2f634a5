"""A folder of notes that is followed: bad folders first, then edits, deletions and a disk that goes away."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.host import Host
from tests.helpers.engine import engine_of

LIMIT_S = 30.0


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder that is followed; it is not made yet."""
    folder = tmp_path / "Garden notes"
    monkeypatch.setenv("KEEPSAKE_CAPTURE_NOTES_FOLDER", str(folder))
    return folder


@pytest.fixture
def following(notes: Path, vault: Path) -> Iterator[Host]:
    del notes
    host = Host(vault, serve=False)
    host.start()
    yield host
    host.stop()


def until(holds: Callable[[], Any]) -> None:
    end = time.monotonic() + LIMIT_S
    while not holds():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


def texts(host: Host) -> dict[str, str]:
    ids = host.ask("note.ids", order="oldest")
    return {note.title: note.content for note in host.ask("memory.get", ids=ids).memories} if ids else {}


def problems(host: Host) -> str:
    engine: Any = engine_of(host)
    return " ".join(engine.note_folder.failures)


def test_a_folder_that_is_not_there_is_said_and_found_when_it_comes(following: Host, notes: Path) -> None:
    until(lambda: "Garden notes could not be read" in problems(following))
    notes.mkdir()
    (notes / "Rose.md").write_text("Prune in March.")
    until(lambda: texts(following) == {"Rose": "Prune in March."})
    until(lambda: problems(following) == "")


def test_a_file_in_place_of_the_folder_is_said(following: Host, notes: Path) -> None:
    notes.write_text("no folder")
    until(lambda: "could not be read" in problems(following))
    assert texts(following) == {}


def test_bytes_that_are_no_text_stop_nothing(following: Host, notes: Path) -> None:
    notes.mkdir()
    (notes / "Bad.md").write_bytes(b"---\n: [\n---\n\xff\xfe\x00\x00\x81")
    (notes / "Rose.md").write_text("Prune in March.")
    until(lambda: texts(following).get("Rose") == "Prune in March.")
    (notes / "Rose.md").write_text("Prune in late March.")
    until(lambda: texts(following)["Rose"] == "Prune in late March.")


def test_edits_arrive_and_no_byte_of_the_folder_changes(following: Host, notes: Path) -> None:
    (notes / "beds").mkdir(parents=True)
    source = b"---\r\nz: 1\r\ntitle: Rose\r\na: 2  \r\n---\r\nPrune.  \r\n"
    (notes / "beds" / "Rose.md").write_bytes(source)
    until(lambda: "Rose" in texts(following))
    found = host_note(following, "Rose")
    following.ask("note.update", id=found.id, version=found.version, content="Prune it here.")
    (notes / "Lily.md").write_text("Water it.")
    until(lambda: "Lily" in texts(following))
    assert texts(following)["Rose"] == "Prune it here.", "a file that did not change takes nothing back"
    assert (notes / "beds" / "Rose.md").read_bytes() == source
    assert sorted(file.name for file in notes.iterdir()) == ["Lily.md", "beds"]


def test_an_edit_on_both_sides_keeps_ours_in_the_history(following: Host, notes: Path) -> None:
    notes.mkdir()
    (notes / "Rose.md").write_text("Prune in March.")
    until(lambda: "Rose" in texts(following))
    found = host_note(following, "Rose")
    following.ask("note.update", id=found.id, version=found.version, content="Prune it here.")
    (notes / "Rose.md").write_text("Prune in late March.")
    until(lambda: texts(following)["Rose"] == "Prune in late March.")
    assert "Prune it here." in str(following.ask("memory.history", target=found.id))


def test_a_folder_that_goes_away_takes_no_note(following: Host, notes: Path) -> None:
    notes.mkdir()
    (notes / "Rose.md").write_text("Prune in March.")
    until(lambda: "Rose" in texts(following))
    away = notes.rename(notes.with_name("unmounted"))
    until(lambda: "could not be read" in problems(following))
    assert "Rose" in texts(following)
    (away / "Lily.md").write_text("Water it.")
    away.rename(notes)
    until(lambda: "Lily" in texts(following))
    assert len(texts(following)) == 2


def test_without_the_setting_nothing_is_read(vault: Path, tmp_path: Path) -> None:
    (tmp_path / "Rose.md").write_text("Prune in March.")
    host = Host(vault, serve=False)
    host.start()
    try:
        host.ask("vault.settle")
        assert texts(host) == {}
    finally:
        host.stop()


def host_note(host: Host, title: str) -> Any:
    ids = host.ask("note.ids", order="oldest")
    return next(note for note in host.ask("memory.get", ids=ids).memories if note.title == title)
