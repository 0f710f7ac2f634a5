import os
from pathlib import Path

import pytest

from app.errors import NotFoundError
from app.exchange.formats import markdown
from app.exchange.formats.markdown import read
from app.exchange.model import Position
from app.memories.foreign_record import MemoryRecord
from tests.unit.app.exchange.reading import only, problems, records


def notes(path: Path) -> dict[str, MemoryRecord]:
    return {str(record.attributes["path"]): record for record in only(records(read, path), MemoryRecord)}


def note(tmp_path: Path, data: bytes | str) -> MemoryRecord:
    file = tmp_path / "Note.md"
    file.write_bytes(data if isinstance(data, bytes) else data.encode())
    (found,) = notes(file).values()
    return found


def test_a_folder_with_its_notes(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "Top.md").write_text("# Heading\n#x")
    (tmp_path / "a" / "b" / "Deep.markdown").write_text("deep")
    for hidden in (".obsidian", ".git", ".trash"):
        (tmp_path / hidden).mkdir()
        (tmp_path / hidden / "no.md").write_text("no")
    (tmp_path / "photo.png").write_bytes(b"\x89PNG")
    found = notes(tmp_path)
    assert sorted(found) == ["Top.md", "a/b/Deep.markdown"]
    assert (found["Top.md"].title, found["Top.md"].tags, found["Top.md"].kind) == ("Top", ("x",), "note")
    assert found["a/b/Deep.markdown"].attributes == {"path": "a/b/Deep.markdown"}
    hidden_folders, others = problems(records(read, tmp_path))
    assert "1 file that is not Markdown was left out (1 .png)" in others.what
    assert hidden_folders.what == "3 hidden folders were left out (.git, .obsidian, .trash)."
    assert not any(problem.lost for problem in (others, hidden_folders))
    assert only(records(read, tmp_path), Position)[-1] == Position(16, 16)


def test_front_matter_and_body_are_both_kept(tmp_path: Path) -> None:
    raw = "---\ntitle: Real title\ntags:\n  - A\naliases: Other\ncreated: 2020-01-01\nupdated: 2021-01-01\n---\n"
    found = note(tmp_path, raw + "\nBody #b\n")
    assert found.content == "\nBody #b\n"
    assert found.attributes == {"path": "Note.md", "front_matter": raw, "aliases": ["Other"], "stem": "Note"}
    assert (found.title, found.tags) == ("Real title", ("a", "b"))
    assert (found.created_ms, found.updated_ms) == (1577836800000, 1609459200000)


def test_times_are_those_of_the_file_where_it_says_none(tmp_path: Path) -> None:
    file = tmp_path / "Note.md"
    file.write_text("x")
    os.utime(file, (1e9, 1e9))
    assert notes(file)["Note.md"].updated_ms == 1_000_000_000_000


def test_front_matter_that_is_not_yaml_stays_in_the_note(tmp_path: Path) -> None:
    source = "---\ntitle: {{title}}\n---\nBody #tag\n"
    found = note(tmp_path, source)
    assert (found.content, found.title, found.tags) == (source, "Note", ("tag",))
    (problem,) = problems(records(read, tmp_path))
    assert (problem.place, problem.lost) == ("Note.md", False)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    found = note(tmp_path, "Grüße, this is a note of some length\n".encode(encoding))
    assert found.content == "Grüße, this is a note of some length\n"
    assert all(not problem.lost for problem in problems(records(read, tmp_path)))


@pytest.mark.parametrize(
    ("data", "content", "newline"),
    [
        ("a\r\nb\r\n", "a\nb\n", "crlf"),
        ("a\rb\r", "a\nb\n", "cr"),
        ("a\r\nb\n", "a\r\nb\n", None),
        ("a\nb", "a\nb", None),
    ],
)
def test_line_ends(tmp_path: Path, data: str, content: str, newline: str | None) -> None:
    found = note(tmp_path, data)
    assert (found.content, found.attributes.get("newline")) == (content, newline)


def test_nuls_are_replaced_and_reported(tmp_path: Path) -> None:
    assert note(tmp_path, "some words, a nul \x00 and more words").content == "some words, a nul \u2400 and more words"
    assert [problem.lost for problem in problems(records(read, tmp_path))] == [False]


def test_binary_files_with_the_name_of_a_note_are_reported(tmp_path: Path) -> None:
    (tmp_path / "Photo.md").write_bytes(bytes(range(256)) * 100)
    (tmp_path / "._Note.md").write_bytes(b"\x00\x05\x16\x07")
    assert not notes(tmp_path)
    assert [(problem.place, problem.lost) for problem in problems(records(read, tmp_path))] == [("Photo.md", True)]


def test_files_beyond_the_limit_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markdown, "MAX_BYTES", 10)
    (tmp_path / "Big.md").write_text("x" * 11)
    (tmp_path / "Small.md").write_text("x")
    assert list(notes(tmp_path)) == ["Small.md"]
    assert problems(records(read, tmp_path))[0].lost


def test_an_empty_note_is_one(tmp_path: Path) -> None:
    assert note(tmp_path, "").content == ""


def test_long_and_many_tags_are_cut_and_reported(tmp_path: Path) -> None:
    found = note(tmp_path, f"---\ntags: [{'x' * 10_000}, short]\n---\n" + " ".join(f"#t{n}" for n in range(20)))
    assert len(found.tags) == 16
    assert found.tags[:2] == ("x" * 64, "short")
    assert [problem.lost for problem in problems(records(read, tmp_path))] == [False]


def test_links_are_not_followed_in_circles_nor_out_of_the_folder(tmp_path: Path) -> None:
    vault, outside = tmp_path / "vault", tmp_path / "outside"
    (vault / "sub").mkdir(parents=True)
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    (vault / "Note.md").write_text("here")
    links = {
        "loop": vault,
        "sub/up": vault,
        "out": outside,
        "Secret.md": outside / "secret.md",
        "Twin.md": vault / "Note.md",
    }
    try:
        for name, target in links.items():
            (vault / name).symlink_to(target)
        (vault / "self").symlink_to(vault / "self")
    except OSError:
        pytest.skip("needs the right to make symbolic links")
    found = records(read, vault)
    assert [record.key for record in only(found, MemoryRecord)] == ["vault/Note.md"]
    assert sorted(problem.place for problem in problems(found)) == ["Secret.md", "loop", "out", "self", "sub/up"]


def test_a_link_to_a_folder_above_is_named(tmp_path: Path) -> None:
    inner = tmp_path / "loop" / "sub"
    inner.mkdir(parents=True)
    (inner / "Note.md").write_text("x")
    try:
        (inner / "up").symlink_to("..")
    except OSError:
        pytest.skip("needs the right to make symbolic links")
    found = records(read, tmp_path)
    assert [record.content for record in only(found, MemoryRecord)] == ["x"]
    (problem,) = problems(found)
    assert problem.place == "loop/sub/up"
    assert not problem.lost


def test_a_linked_vault_itself_is_read(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "Note.md").write_text("x")
    try:
        (tmp_path / "link").symlink_to(tmp_path / "vault")
    except OSError:
        pytest.skip("needs the right to make symbolic links")
    assert list(notes(tmp_path / "link")) == ["Note.md"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may read everything")
def test_what_may_not_be_read_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "Locked.md"
    file.write_text("x")
    file.chmod(0)
    assert problems(records(read, tmp_path))[0].lost


def test_names_that_are_no_text(tmp_path: Path) -> None:
    try:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.md")).write_text("x")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    assert list(notes(tmp_path)) == ["\\udcff.md"]


def test_two_vaults_may_have_a_note_of_the_same_name(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "README.md").write_text(folder)
    found = [record for folder in ("one", "two") for record in only(records(read, tmp_path / folder), MemoryRecord)]
    assert [record.key for record in found] == ["one/README.md", "two/README.md"]
    assert records(read, tmp_path / "one" / "README.md")[1] == found[0]


def test_nothing_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        records(read, tmp_path / "none")


def test_reading_can_be_stopped(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x")
    assert not only(list(read(tmp_path, lambda: True)), MemoryRecord)


def test_a_file_without_a_time_gets_none(tmp_path: Path) -> None:
    note = tmp_path / "unpacked.md"
    note.write_text("No time was kept.")
    os.utime(note, (0, 0))
    record = next(record for record in read(tmp_path, lambda: False) if isinstance(record, MemoryRecord))
    assert (record.created_ms, record.updated_ms) == (None, None)
