"""Joplin exports: broken archives first, then notes, links, notebooks and pictures."""

import re
import tarfile
from pathlib import Path

import pytest

from app.errors import FormatError
from app.exchange.formats.detect import detect
from app.exchange.formats.notebooks.joplin import read
from app.exchange.model import AttachmentRecord
from app.memories.foreign_record import MemoryRecord
from tests.unit.app.exchange.formats.notebooks.exports import PICTURE, ROSE, TULIP, jex, joplin_item, png, tar
from tests.unit.app.exchange.reading import contents, only, problems, records


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_a_cut_archive_gives_what_is_before_the_cut(tmp_path: Path, share: float) -> None:
    data = jex(tmp_path / "a.jex").read_bytes()
    (tmp_path / "cut.jex").write_bytes(data[: int(8 * 1024 * share) // 512 * 512 + 100])
    found = records(read, tmp_path / "cut.jex")
    assert any(problem.lost for problem in problems(found))
    titles = [note.title for note in only(found, MemoryRecord)]
    assert titles == ["Rose", "Tulip"][: len(titles)]
    assert titles


def test_names_that_lead_out_are_never_written(tmp_path: Path) -> None:
    hostile = {"../../evil.md": b"x", "/etc/evil.md": b"x", f"../resources/{'1' * 32}.png": png()}
    found = records(read, jex(tmp_path / "a.jex", **hostile))
    assert len(contents(found)) == 2
    assert any("3 files of the archive are none of Joplin's" in problem.what for problem in problems(found))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jex"]


def test_links_in_the_archive_are_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "a.jex"
    with tarfile.open(path, "w") as archive:
        member = tarfile.TarInfo(f"{ROSE}.md")
        member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(member)
    assert contents(records(read, path)) == []


def test_damaged_and_encrypted_items_are_named(tmp_path: Path) -> None:
    more = {f"{'7' * 32}.md": b"no fields", f"{'8' * 32}.md": joplin_item("8" * 32, 1, encryption_applied=1)}
    found = records(read, jex(tmp_path / "a.jex", **more))
    assert len(contents(found)) == 2
    assert ["no item of Joplin" in problem.what or "encrypted" in problem.what for problem in problems(found)] == [
        True,
        True,
    ]


def test_other_archives_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="tar archive"):
        detect(tar(tmp_path / "a.jex", {"notes/a.txt": b"x"}))


def test_all_notes_come_with_links_notebooks_tags_and_pictures(tmp_path: Path) -> None:
    path = jex(tmp_path / "a.jex")
    assert detect(path) == "joplin"
    found = records(read, path)
    with tarfile.open(path) as archive:  # counted by another way: items whose last line says they are notes
        texts = [(archive.extractfile(one) or archive).read() for one in archive if one.name.endswith(".md")]  # type: ignore[union-attr]
    assert len(only(found, MemoryRecord)) == sum(text.endswith(b"type_: 1") for text in texts) == 2
    rose, tulip = only(found, MemoryRecord)
    (picture,) = only(found, AttachmentRecord)
    assert picture.data == png()
    assert found.index(picture) < found.index(rose)
    assert rose.content == (
        f"See [[Tulip#soil|the tulip]] and ![dot](attachments/{picture.name}).\n\nid: not a field\n\nEnd."
    )
    assert (rose.key, rose.title, rose.tags) == (ROSE, "Rose", ("plants", "garden/beds"))
    assert rose.created_ms == 1577934245678
    assert (tulip.tags, tulip.attributes) == (("garden",), {"notebook": "Garden", "todo": "open"})
    assert not problems(found)


def test_notes_of_one_title_are_linked_by_id(tmp_path: Path) -> None:
    more = {f"{'7' * 32}.md": joplin_item("7" * 32, 1, "Tulip", "Yellow.")}
    found = {one.key: one for one in only(records(read, jex(tmp_path / "a.jex", **more)), MemoryRecord)}
    assert f"[[{TULIP}#soil|the tulip]]" in found[ROSE].content
    assert found[TULIP].attributes["aliases"] == [TULIP]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    path = tar(tmp_path / "a.jex", {f"{ROSE}.md": joplin_item(ROSE, 1, "Rose", f"![dot](:/{PICTURE})")})
    found = records(read, path)
    assert contents(found) == ["[dot]"]
    assert re.search("not in the archive", problems(found)[0].what)
