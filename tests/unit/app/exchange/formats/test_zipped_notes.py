"""Folders of notes in a zip are read like the folders themselves, and hostile ones do no harm."""

import stat
import zipfile
from collections import Counter
from pathlib import Path

import pytest

from app.errors import FormatError
from app.exchange.formats.detect import detect
from app.exchange.formats.markdown import read
from app.exchange.model import AttachmentRecord
from app.memories.foreign_record import MemoryRecord
from tests.helpers.archives import unpack
from tests.unit.app.exchange.reading import only, problems, records, write_zip

PICTURE = b"\x89PNG\r\n\x1a\n" + b"\0" * 32


def notes(path: Path) -> dict[str, MemoryRecord]:
    return {note.key: note for note in only(records(read, path), MemoryRecord)}


@pytest.mark.parametrize("top", ["Garden/", ""])
def test_a_zipped_vault(tmp_path: Path, top: str) -> None:
    files = {
        f"{top}Beds/Rose.md": b"---\ntags: [plant]\n---\nSee ![[rose.png]].",
        f"{top}pictures/rose.png": PICTURE,
        f"{top}.obsidian/app.json": b"{}",
        f"{top}.trash/Old.md": b"gone",
        f"{top}Plan.canvas": b'{"nodes": [{"type": "text", "text": "dig"}]}',
        f"{top}inner.zip": b"PK\x05\x06" + b"\0" * 18,
        "__MACOSX/._x": b"x",
    }
    path = write_zip(tmp_path / "Garden.zip", files)
    assert detect(path) == "markdown"
    found = notes(path)
    assert set(found) == {"Garden/Beds/Rose.md", "Garden/Plan.canvas"}
    assert found["Garden/Beds/Rose.md"].tags == ("plant",)
    (picture,) = only(records(read, path), AttachmentRecord)
    assert f"attachments/{picture.name}" in found["Garden/Beds/Rose.md"].content
    assert not any(problem.lost for problem in problems(records(read, path)))


def test_a_real_vault_says_the_same_zipped(shared_data: Path, tmp_path: Path) -> None:
    unpack(shared_data / "vaults" / "kepano-obsidian.tar.gz", tmp_path / "in")
    root = tmp_path / "in"
    with zipfile.ZipFile(tmp_path / "in.zip", "w", strict_timestamps=False) as packed:
        for file in root.rglob("*"):
            if file.is_file():
                packed.write(file, Path(root.name, file.relative_to(root)))
    counter = Counter(
        (note.key, note.title, note.content, note.tags) for note in only(records(read, root), MemoryRecord)
    )
    assert counter
    assert (
        Counter((note.key, note.title, note.content, note.tags) for note in notes(tmp_path / "in.zip").values())
        == counter
    )


def test_paths_out_of_the_zip_and_links_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "Garden.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("Rose.md", "![a](../../secret.png) ![[leak.md]]")
        packed.writestr("../../Out.md", "x")
        packed.writestr("/etc/Absolute.md", "x")
        link = zipfile.ZipInfo("leak.md")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        packed.writestr(link, "/etc/passwd")
    assert [note.content for note in notes(path).values()] == ["![a](../../secret.png) ![[leak.md]]"]
    assert sorted(problem.place for problem in problems(records(read, path)) if problem.lost) == [
        "../../Out.md",
        "/etc/Absolute.md",
        "leak.md",
    ]
    assert {one.name for one in tmp_path.iterdir()} == {"Garden.zip"}


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "Garden.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for number in range(3):
            with packed.open(f"{number}.md", "w", force_zip64=True) as member:
                for _ in range(400):
                    member.write(b"\0" * (1 << 20))
    with pytest.raises(FormatError, match="would swell"):
        records(read, path)


def test_damage_costs_one_note(tmp_path: Path) -> None:
    path = tmp_path / "Garden.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("Rose.md", "roses are red")
        packed.writestr("Tulip.md", "tulips")
    data = path.read_bytes()
    path.write_bytes(data.replace(b"roses are red", b"roses are RED"))
    assert [note.title for note in notes(path).values()] == ["Tulip"]
    assert [problem.place for problem in problems(records(read, path)) if problem.lost] == ["Rose.md"]


def test_a_protected_zip_says_so(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "Garden.zip", {"Rose.md": b"x"})
    data = bytearray(path.read_bytes())
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + at] |= 1
    path.write_bytes(data)
    with pytest.raises(FormatError, match="password"):
        records(read, path)
