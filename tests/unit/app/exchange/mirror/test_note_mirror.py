"""A folder of notes that is mirrored both ways: bad folders first, then edits, renames, deletions and conflicts."""

import asyncio
import base64
import os
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.host import Host
from tests.helpers.disks import SmallDisk
from tests.helpers.engine import engine_of

LIMIT_S = 60.0
PNG = base64.b64decode(
    b"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder that is mirrored, which is empty."""
    folder = tmp_path / "Garden notes"
    folder.mkdir()
    monkeypatch.setenv("KEEPSAKE_CAPTURE_NOTES_FOLDER", str(folder))
    monkeypatch.setenv("KEEPSAKE_CAPTURE_NOTES_FOLDER_MODE", "both")
    return folder


@pytest.fixture
def mirror(notes: Path, vault: Path) -> Iterator[Host]:
    del notes
    host = Host(vault, serve=False)
    host.start()
    until(lambda: host.ask("exchange.notes_folder").writes)
    settle(host)
    yield host
    host.stop()


def until(holds: Callable[[], Any]) -> None:
    end = time.monotonic() + LIMIT_S
    while not holds():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


def settle(host: Host) -> None:
    """Look at the folder now, until nothing is left to carry over."""
    engine: Any = engine_of(host)
    watch = engine.note_folder

    async def look() -> None:
        for _ in range(50):
            watch._has_edits = True
            before = (watch._mirror.counts.read, watch._mirror.counts.written, watch._mirror.counts.conflicts)
            watch._known = None
            await watch.look(watch._folder())
            after = (watch._mirror.counts.read, watch._mirror.counts.written, watch._mirror.counts.conflicts)
            if before == after:
                return
            await asyncio.sleep(0)
        pytest.fail("file and note never agreed")

    host.submit(look()).result()


def active(host: Host) -> dict[str, Any]:
    ids = host.ask("note.ids", order="oldest")
    found = host.ask("memory.get", ids=ids).memories if ids else []
    return {note.title: note for note in found}


def texts(host: Host) -> dict[str, str]:
    return {title: note.content for title, note in active(host).items()}


def files(folder: Path) -> dict[str, str]:
    found = (path for path in folder.rglob("*.md") if ".trash" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_text() for path in found}


def update(host: Host, called: str, **changes: Any) -> None:
    note = active(host)[called]
    host.ask("note.update", id=note.id, version=note.version, **changes)


def problems(host: Host) -> str:
    return " ".join(host.ask("exchange.notes_folder").problems)


# Bad folders ----------------------------------------------------------------------------------------------------------


def test_bytes_that_are_no_text_are_never_written_over(mirror: Host, notes: Path) -> None:
    data = b"caf\xe9 noir\nline two\n"
    (notes / "Bad.md").write_bytes(data)
    settle(mirror)
    update(mirror, "Bad", content="something else")
    settle(mirror)
    assert (notes / "Bad.md").read_bytes() == data
    assert "no text" in problems(mirror)
    assert texts(mirror)["Bad"] == "something else"


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
def test_a_link_out_of_the_folder_is_never_followed(mirror: Host, notes: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "Secret.md").write_text("secret")
    (notes / "link").symlink_to(outside, target_is_directory=True)
    (notes / "Linked.md").symlink_to(outside / "Secret.md")
    (notes / "loop").symlink_to(notes, target_is_directory=True)
    (notes / "Rose.md").write_text("Prune.")
    settle(mirror)
    assert texts(mirror) == {"Rose": "Prune."}
    mirror.ask("note.save", title="Linked", content="of our own")
    settle(mirror)
    assert (outside / "Secret.md").read_text() == "secret"
    assert files(notes)["Linked (2).md"] == "---\ntitle: Linked\n---\nof our own"


def test_a_full_disk_is_said_once_and_nothing_is_lost(
    vault: Path, small_disk: SmallDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = small_disk(1)
    monkeypatch.setenv("KEEPSAKE_CAPTURE_NOTES_FOLDER", str(disk))
    monkeypatch.setenv("KEEPSAKE_CAPTURE_NOTES_FOLDER_MODE", "both")
    host = Host(vault, serve=False)
    host.start()
    try:
        until(lambda: host.ask("exchange.notes_folder").writes)
        (disk / "ballast").write_bytes(bytes(900_000))
        saved = {f"Rose {number}": f"{number} " + "prune " * 6_000 for number in range(12)}
        for title, content in saved.items():
            host.ask("note.save", title=title, content=content)
        settle(host)
        (problem,) = host.ask("exchange.notes_folder").problems
        assert "notes of the folder" in problem
        assert "No space left on device" in problem
        assert all(text.endswith("prune ") for text in files(disk).values())
        (disk / "ballast").unlink()
        settle(host)
        assert problems(host) == ""
        assert {name.removesuffix(".md") for name in files(disk)} == saved.keys()
        assert texts(host) == saved
    finally:
        host.stop()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs a user whom modes hold back")
def test_a_folder_that_cannot_be_written_is_said(mirror: Host, notes: Path) -> None:
    (notes / "Rose.md").write_text("Prune.")
    settle(mirror)
    notes.chmod(0o500)
    try:
        update(mirror, "Rose", content="Prune it here.")
        settle(mirror)
        assert "could not be mirrored" in problems(mirror)
    finally:
        notes.chmod(0o700)
    settle(mirror)
    assert files(notes) == {"Rose.md": "Prune it here."}


def test_many_files_that_vanish_at_once_delete_nothing(mirror: Host, notes: Path) -> None:
    for number in range(8):
        (notes / f"Note {number}.md").write_text(f"text {number}")
    settle(mirror)
    kept = files(notes)
    for name in kept:
        (notes / name).unlink()
    settle(mirror)
    assert len(texts(mirror)) == 8
    assert "missing from the folder" in problems(mirror)
    for name, text in kept.items():
        (notes / name).write_text(text)
    settle(mirror)
    assert problems(mirror) == ""
    assert len(texts(mirror)) == 8


@pytest.mark.parametrize("is_closed", [False, True])
@pytest.mark.parametrize("count", [1, 12])
def test_files_that_come_back_bring_their_notes_back(
    mirror: Host, notes: Path, vault: Path, count: int, *, is_closed: bool
) -> None:
    """As a branch that is switched and switched back, or a cloud folder that drops and restores files."""
    for number in range(40):
        (notes / f"n{number}.md").write_text(f"note {number}")
    settle(mirror)
    before = active(mirror)
    kept = {f"n{number}.md": (notes / f"n{number}.md").read_bytes() for number in range(count)}

    def look() -> None:
        nonlocal mirror
        if is_closed:
            mirror.stop()
            mirror = Host(vault, serve=False)
            mirror.start()
            until(lambda: mirror.ask("exchange.notes_folder").files)  # its own first look is over
        settle(mirror)

    try:
        for _ in range(2):
            for name in kept:
                (notes / name).unlink()
            look()
            for name, data in kept.items():
                (notes / name).write_bytes(data)
            look()
            settle(mirror)
            assert {title: note.id for title, note in active(mirror).items()} == {
                title: note.id for title, note in before.items()
            }
            assert len(files(notes)) == 40
            assert not (notes / ".trash").exists()
    finally:
        if is_closed:
            mirror.stop()


def test_a_new_file_with_the_words_of_a_deleted_note_brings_it_back(mirror: Host, notes: Path) -> None:
    (notes / "Rose.md").write_text("a rose")
    settle(mirror)
    mirror.ask("note.delete", id=active(mirror)["Rose"].id)
    settle(mirror)
    assert files(notes) == {}
    (notes / "Rose.md").write_text("a rose")
    settle(mirror)
    settle(mirror)
    assert files(notes) == {"Rose.md": "a rose"}
    assert texts(mirror) == {"Rose": "a rose"}


def test_many_notes_deleted_at_once_take_no_file_along(mirror: Host, notes: Path) -> None:
    for number in range(20):
        (notes / f"n{number}.md").write_text(f"note {number}")
    settle(mirror)
    ids = [note.id for title, note in active(mirror).items() if title != "n0"]
    mirror.ask("note.delete_many", ids=ids)
    settle(mirror)
    assert len(files(notes)) == 20
    assert any("deleted here at once" in problem for problem in mirror.ask("exchange.notes_folder").problems)


def test_a_file_that_cannot_be_read_is_not_gone(mirror: Host, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (notes / "Rose.md").write_text("a rose")
    settle(mirror)
    monkeypatch.setattr("app.exchange.mirror.mirrored_files.contents", lambda root, place: None)
    engine: Any = engine_of(mirror)
    engine.note_folder._mirror.forget()
    settle(mirror)
    assert texts(mirror) == {"Rose": "a rose"}
    assert any("Rose.md" in problem for problem in mirror.ask("exchange.notes_folder").problems)


def test_notes_written_while_the_mirror_begins_get_their_file(
    vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "Garden notes"
    folder.mkdir()
    for number in range(300):
        (folder / f"n{number}.md").write_text(f"note {number}")
    host = Host(vault, serve=False)
    host.start()
    try:
        host.ask("note.save", content="from before", title="Before")
        time.sleep(2.5)  # the watch looks whether a folder is named every two seconds
        host.ask("settings.set", name="capture.notes_folder", value=str(folder))
        host.ask("settings.set", name="capture.notes_folder_mode", value="both")
        for number in range(5):
            host.ask("note.save", content=f"early {number}", title=f"Early {number}")
        until(lambda: len(files(folder)) >= 305)
        assert {f"Early {number}.md" for number in range(5)} < files(folder).keys()
        assert "Before.md" not in files(folder)
    finally:
        host.stop()


def test_titles_that_are_no_file_names(mirror: Host, notes: Path) -> None:
    for title in ("a/b: c?", "con", "..", "x" * 180, "Rose", "rose"):
        mirror.ask("note.save", title=title, content=f"of {title[:9]}")
    settle(mirror)
    assert len(files(notes)) == 6
    assert all(path.parent == notes for path in notes.iterdir() if path.suffix == ".md")
    before = texts(mirror)
    (notes / "Other.md").write_text("x")
    settle(mirror)
    assert {title: text for title, text in texts(mirror).items() if title != "Other"} == before


# Edits ----------------------------------------------------------------------------------------------------------------


def test_an_edit_here_changes_only_its_lines(mirror: Host, notes: Path) -> None:
    source = b"\xef\xbb\xbf---\r\nz: 1  \r\na: [x]\r\n---\r\n# Rose  \r\n\r\nPrune in March.\r\n\r\nend"
    (notes / "Rose.md").write_bytes(source)
    (notes / "Rose.md").chmod(0o640)
    settle(mirror)
    update(mirror, "Rose", content=active(mirror)["Rose"].content.replace("March", "late March"))
    settle(mirror)
    assert (notes / "Rose.md").read_bytes() == source.replace(b"March", b"late March")
    assert (notes / "Rose.md").stat().st_mode & 0o777 == 0o640


def test_it_happens_within_seconds_by_itself(mirror: Host, notes: Path) -> None:
    (notes / "Rose.md").write_text("Prune in March.")
    until(lambda: texts(mirror) == {"Rose": "Prune in March."})
    update(mirror, "Rose", content="Prune in April.")
    until(lambda: files(notes) == {"Rose.md": "Prune in April."})
    (notes / "Rose.md").write_text("Prune in May.")
    until(lambda: texts(mirror) == {"Rose": "Prune in May."})


def test_new_notes_get_a_file_and_come_back_as_themselves(mirror: Host, notes: Path) -> None:
    note = mirror.ask("note.save", title="Lily", content="Water it.\n", tags=["pond"])
    settle(mirror)
    assert files(notes) == {"Lily.md": "---\ntags: [pond]\n---\nWater it.\n"}
    (notes / "Lily.md").write_text("---\ntags: [pond]\n---\nWater it daily.\n")
    settle(mirror)
    found = active(mirror)["Lily"]
    assert (found.id, found.content, found.tags) == (note.id, "Water it daily.\n", ("pond",))
    assert mirror.ask("exchange.import", path=str(notes)).memories == 0


def test_notes_from_before_and_of_agents_get_no_file(vault: Path, notes: Path) -> None:
    host = Host(vault, serve=False, overrides={"capture.notes_folder": ""})
    host.start()
    host.ask("note.save", title="Before", content="Written before.")
    host.stop()
    host = Host(vault, serve=False)
    host.start()
    try:
        until(lambda: host.ask("exchange.notes_folder").writes)
        settle(host)
        host.ask("note.save", title="Of an agent", content="Not mine.", source="agent")
        settle(host)
        assert files(notes) == {}
    finally:
        host.stop()


def test_titles_and_tags_go_both_ways(mirror: Host, notes: Path) -> None:
    (notes / "beds").mkdir()
    (notes / "beds" / "Rose.md").write_text("Prune. #red\n")
    (notes / "Front.md").write_text("---\ntitle: Front\nz: 1\n---\nText.\n")
    (notes / "Links.md").write_text("See [[Rose]].\n")
    settle(mirror)
    update(mirror, "Rose", title="Red rose", tags=["red", "bed"])
    update(mirror, "Front", title="Back: side")
    settle(mirror)
    assert files(notes) == {
        "beds/Red rose.md": "---\ntags: [bed]\n---\nPrune. #red\n",
        "Front.md": "---\ntitle: 'Back: side'\nz: 1\n---\nText.\n",
        "Links.md": "See [[Red rose]].\n",
    }
    rose = active(mirror)["Red rose"].id
    (notes / "beds" / "Red rose.md").rename(notes / "Rosa.md")
    settle(mirror)
    assert active(mirror)["Rosa"].id == rose
    assert len(texts(mirror)) == 3


def test_a_picture_that_stays_outside_is_named(mirror: Host, notes: Path, tmp_path: Path) -> None:
    (tmp_path / "view.png").write_bytes(PNG)
    mirror.ask("attachment.add", path=str(tmp_path / "view.png"))
    (notes / "attachments").mkdir(exist_ok=True)
    (notes / "attachments" / "view.png").write_bytes(PNG + b"other")
    settle(mirror)
    [problem] = mirror.ask("exchange.notes_folder").problems
    assert problem.startswith("The attachment attachments/view.png of the folder")
    assert problem.endswith("The vault has another attachment of this name, which stays.")
    (notes / "attachments" / "view.png").unlink()
    settle(mirror)
    assert mirror.ask("exchange.notes_folder").problems == ()


def test_pictures_go_both_ways(mirror: Host, notes: Path) -> None:
    (notes / "pics").mkdir()
    (notes / "pics" / "rose.png").write_bytes(PNG)
    source = "![rose](pics/rose.png)\n\nPrune.\n"
    (notes / "Rose.md").write_text(source)
    settle(mirror)
    assert texts(mirror)["Rose"].startswith("![rose](attachments/rose")
    update(mirror, "Rose", content=texts(mirror)["Rose"].replace("Prune", "Prune in March"))
    settle(mirror)
    assert files(notes)["Rose.md"] == "![rose](pics/rose.png)\n\nPrune in March.\n"
    link = mirror.ask("attachment.add", name="lily.png", data=base64.b64encode(PNG + b"x").decode()).link
    mirror.ask("note.save", title="Lily", content=f"![lily]({link})")
    settle(mirror)
    assert (notes / link).read_bytes() == PNG + b"x"
    settle(mirror)
    assert texts(mirror)["Lily"] == f"![lily]({link})"


# Deletions and conflicts ----------------------------------------------------------------------------------------------


def test_a_deleted_note_lies_in_the_trash_on_both_sides_and_comes_back(mirror: Host, notes: Path) -> None:
    source = "---\nz: 1\n---\nPrune.\n"
    (notes / "Rose.md").write_text(source)
    (notes / "Other.md").write_text("stays")
    settle(mirror)
    rose = active(mirror)["Rose"].id
    mirror.ask("note.delete", id=rose)
    settle(mirror)
    assert not (notes / "Rose.md").exists()
    assert (notes / ".trash" / "Rose.md").read_text() == source
    mirror.ask("note.restore", id=rose)
    settle(mirror)
    assert (notes / "Rose.md").read_text() == source
    (notes / "Rose.md").unlink()
    settle(mirror)
    assert "Rose" not in texts(mirror)
    mirror.ask("note.restore", id=rose)
    settle(mirror)
    assert active(mirror)["Rose"].id == rose


def test_an_edit_on_both_sides_keeps_both(mirror: Host, notes: Path) -> None:
    (notes / "Rose.md").write_text("Prune in March.")
    (notes / "Other.md").write_text("stays")
    settle(mirror)
    update(mirror, "Rose", content="Prune it here.")
    (notes / "Rose.md").write_text("Prune it there.")
    settle(mirror)
    found = active(mirror)
    assert found["Rose"].content == "Prune it there."
    (copy,) = (note for title, note in found.items() if title.startswith("Rose (conflict "))
    assert copy.content == "Prune it here."
    assert "conflict" in copy.tags
    assert sorted(files(notes)) == sorted([f"{copy.title}.md", "Other.md", "Rose.md"])
    assert mirror.ask("exchange.notes_folder").conflicts == 1


def test_the_same_edit_on_both_sides_is_no_conflict(mirror: Host, notes: Path) -> None:
    (notes / "Rose.md").write_text("Prune in March.")
    settle(mirror)
    update(mirror, "Rose", content="Prune in April.")
    (notes / "Rose.md").write_text("Prune in April.")
    settle(mirror)
    assert texts(mirror) == {"Rose": "Prune in April."}


def test_an_edit_wins_over_a_deletion(mirror: Host, notes: Path) -> None:
    for name in ("Rose", "Lily", "Other"):
        (notes / f"{name}.md").write_text(f"{name} text")
    settle(mirror)
    mirror.ask("note.delete", id=active(mirror)["Rose"].id)
    (notes / "Rose.md").write_text("Rose edited")
    update(mirror, "Lily", content="Lily edited")
    (notes / "Lily.md").unlink()
    settle(mirror)
    assert texts(mirror) == {"Rose": "Rose edited", "Lily": "Lily edited", "Other": "Other text"}
    assert files(notes) == {"Rose.md": "Rose edited", "Lily.md": "Lily edited", "Other.md": "Other text"}


def test_forgotten_for_ever_is_forgotten_in_the_folder(mirror: Host, notes: Path) -> None:
    (notes / "Rose.md").write_text("Prune.")
    (notes / "Other.md").write_text("stays")
    settle(mirror)
    mirror.ask("memory.forget_forever", ids=[active(mirror)["Rose"].id], confirm=True)
    settle(mirror)
    assert files(notes) == {"Other.md": "stays"}
    assert not (notes / ".trash").exists()


@pytest.mark.parametrize("seed", range(4))
def test_random_edits_on_both_sides_end_alike_and_lose_no_text(mirror: Host, notes: Path, seed: int) -> None:
    dice = random.Random(seed)
    written: set[str] = set()

    def fresh() -> str:
        text = f"text {len(written)} of {seed}\n"
        written.add(text)
        return text

    for number in range(6):
        (notes / f"Note {number}.md").write_text(fresh())
    settle(mirror)
    for _ in range(8):
        for _ in range(dice.randrange(1, 4)):
            act, there = dice.choice(("file", "note", "new file", "new note", "rename")), files(notes)
            if act == "file" and there:
                (notes / dice.choice(sorted(there))).write_text(fresh())
            elif act == "note" and (found := active(mirror)):
                update(mirror, dice.choice(sorted(found)), content=fresh())
            elif act == "new file":
                (notes / f"File {len(written)}.md").write_text(fresh())
            elif act == "new note":
                mirror.ask("note.save", title=f"Made {len(written)}", content=fresh())
            elif there:
                (notes / dice.choice(sorted(there))).rename(notes / f"Renamed {dice.random()}.md")
        settle(mirror)
    assert problems(mirror) == ""
    assert {name.removesuffix(".md"): text for name, text in _bodies(notes).items()} == texts(mirror)
    history = "".join(str(mirror.ask("memory.history", target=note.id)) for note in active(mirror).values())
    somewhere = " ".join((*texts(mirror).values(), history))
    assert [text for text in written if text.strip() not in somewhere] == []


def _bodies(folder: Path) -> dict[str, str]:
    return {name: text.rpartition("---\n")[2] for name, text in files(folder).items()}
