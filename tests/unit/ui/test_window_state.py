"""What the window remembers comes back, and damage costs nothing."""

from pathlib import Path

import pytest

from app.encryption.model import KEY_FILE
from ui.shell.navigation import Place
from ui.window_state import FILE, WindowState


def test_comes_back(tmp_path: Path) -> None:
    state = WindowState(tmp_path)
    state.keep("window/geometry", b"\x00\x01binary")
    state.keep("capture/draft", "zwei\nZeilen, mit Komma")
    state.keep("recents/actions", ["a.b", "c.d"])
    state.keep_places([Place("notes", "note-1", title="Rosen, rot\tund weiß"), Place("graph")])
    state.write()
    again = WindowState(tmp_path)
    assert again.blob("window/geometry") == b"\x00\x01binary"
    assert again.text("capture/draft") == "zwei\nZeilen, mit Komma"
    assert again.texts("recents/actions") == ["a.b", "c.d"]
    assert [(place.id, place.title) for place in again.places()] == [("note-1", "Rosen, rot\tund weiß")]


def test_the_kind_of_what_was_visited_comes_back(tmp_path: Path) -> None:
    state = WindowState(tmp_path)
    fact = Place("notes", "mem-1", title="Bram lent it", kind="fact")
    state.keep_places([fact, Place("sessions", "ses-1", title="x")])
    assert [(place.title, place.kind) for place in state.places()] == [("Bram lent it", "fact"), ("x", "")]


def test_one_entry_is_still_a_list(tmp_path: Path) -> None:
    state = WindowState(tmp_path)
    state.keep("recents/actions", ["a.b"])
    state.write()
    assert WindowState(tmp_path).texts("recents/actions") == ["a.b"]


@pytest.mark.parametrize("damage", [b"", b"\xff\xfe\x00garbage", b"[window]\ngeometry=@ByteArray("])
def test_damage_is_forgotten(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / FILE).write_bytes(damage)
    state = WindowState(tmp_path)
    assert state.text("window/pane", "sessions") == "sessions"
    assert state.places() == []


def test_an_encrypted_vault_keeps_no_content_here(tmp_path: Path) -> None:
    plain = WindowState(tmp_path)
    plain.keep("capture/draft", "Zanzibarian")
    plain.keep("panes/notes", b"Zanzibarian")
    plain.write()
    (tmp_path / KEY_FILE).write_text("{}")
    state = WindowState(tmp_path)
    state.keep("window/pane", "notes")
    state.keep("capture/draft", "Zanzibarian")
    state.keep("panes/notes", b"Zanzibarian")
    state.keep_places([Place("notes", "note-1", title="Zanzibarian")])
    # While the program runs, it is there.
    assert state.text("capture/draft") == "Zanzibarian"
    assert state.blob("panes/notes") == b"Zanzibarian"
    assert [place.title for place in state.places()] == ["Zanzibarian"]
    state.write()
    assert b"Zanzibarian" not in (tmp_path / FILE).read_bytes()
    again = WindowState(tmp_path)
    assert again.text("window/pane") == "notes"
    assert again.text("capture/draft") == ""


def test_nothing_is_written_before_the_vault_exists(tmp_path: Path) -> None:
    state = WindowState(tmp_path / "vault")
    state.write()
    assert not (tmp_path / "vault").exists()
