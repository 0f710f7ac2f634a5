"""Notion exports: hostile zips first, then pages, databases, links and pictures."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from app.errors import FormatError
from app.exchange.formats.detect import detect
from app.exchange.formats.notebooks import archive_files
from app.exchange.formats.notebooks.notion import read
from app.exchange.importing.source_files import SourceEntry
from app.exchange.model import AttachmentRecord
from app.memories.foreign_record import MemoryRecord
from tests.unit.app.exchange.formats.notebooks.exports import png
from tests.unit.app.exchange.reading import contents, only, problems, records, write_zip

GARDEN, ROSE, BEDS = "1" * 32, "2" * 32, "3" * 32
PAGES = {
    f"Garden {GARDEN}.md": (
        "# Garden\n\nSee [a rose](Garden%201111/../Garden%20" + GARDEN + f"/My%20rose%20{ROSE}.md), "
        f"[Beds](Garden%20{GARDEN}/Beds%20{BEDS}.csv), ![dot](Garden%20{GARDEN}/dot.png) "
        f"[web](https://www.notion.so/My-rose-{ROSE}?pvs=21) [gone](no.md)"
    ).encode(),
    f"Garden {GARDEN}/My rose {ROSE}.md": (
        b"# My rose\n\nTags: Red, Thorny\nCreated: January 15, 2024 10:30 AM\nBed: North\n\nIt smells."
    ),
    f"Garden {GARDEN}/Beds {BEDS}.csv": b"\xef\xbb\xbfName,Bed\nMy rose,North\n",
    f"Garden {GARDEN}/Beds {BEDS}_all.csv": b'\xef\xbb\xbfName,Bed\nMy rose,North\n"a|b",South\n',
    f"Garden {GARDEN}/dot.png": png(),
}


@pytest.fixture
def export(tmp_path: Path) -> Path:
    return write_zip(tmp_path / "export.zip", PAGES)


def test_a_bomb_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.exchange.importing.source_files.MAX_SUSPICIOUS_BYTES", 1 << 20)
    path = write_zip(tmp_path / "a.zip", {f"Bomb {GARDEN}.md": bytes(8 << 20)})
    with pytest.raises(FormatError, match="swell"):
        records(read, path)
    outer = write_zip(tmp_path / "b.zip", {"Export-Part-1.zip": path.read_bytes(), **PAGES})
    with pytest.raises(FormatError, match="swell"):
        records(read, outer)


def test_sizes_that_lie_are_not_believed(tmp_path: Path) -> None:
    entry = SourceEntry("a", 3, lambda: io.BytesIO(bytes(2 << 20)))
    assert archive_files.read_file(entry, 1 << 20) == "It is larger than 1 MB and was left out."


def test_paths_that_lead_out_are_left_out(tmp_path: Path) -> None:
    hostile = {f"../../evil {'4' * 32}.md": b"# x", f"/etc/evil {'5' * 32}.md": b"# x"}
    found = records(read, write_zip(tmp_path / "a.zip", {**PAGES, **hostile}))
    assert len(contents(found)) == 3
    assert sum("leads out of the archive" in problem.what for problem in problems(found)) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["a.zip"]


def test_files_of_one_name_in_a_zip_are_all_taken(tmp_path: Path) -> None:
    path = tmp_path / "twice.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("notes/a.md", "first")
        for _ in range(2):
            with pytest.warns(UserWarning, match="Duplicate name"):
                archive.writestr("notes/a.md", "second")
    with archive_files.open_files(path) as found:
        assert [*found.files] == ["notes/a.md", "notes/a (2).md"]
        texts = [archive_files.read_file(entry, 100) for entry in found.files.values()]
    assert texts == [b"first", b"second"]


def test_a_cut_part_is_named_and_the_rest_read(tmp_path: Path, export: Path) -> None:
    parts = {"Export-x-Part-1.zip": export.read_bytes(), "Export-x-Part-2.zip": export.read_bytes()[:200]}
    path = write_zip(tmp_path / "outer.zip", parts)
    assert detect(path) == "notion"
    found = records(read, path)
    assert len(contents(found)) == 3
    assert any("not a complete zip" in problem.what and problem.lost for problem in problems(found))


def test_a_cut_zip_and_a_damaged_page(tmp_path: Path, export: Path) -> None:
    (tmp_path / "cut.zip").write_bytes(export.read_bytes()[:400])
    with pytest.raises(FormatError, match="cut short"):
        detect(tmp_path / "cut.zip")
    data = bytearray(export.read_bytes())
    at = data.index(b".md") + 8
    data[at : at + 20] = b"\0" * 20
    (tmp_path / "bad.zip").write_bytes(data)
    found = records(read, tmp_path / "bad.zip")
    assert len(contents(found)) == 2
    assert any("damaged" in problem.what for problem in problems(found))


def test_pages_of_other_encodings(tmp_path: Path) -> None:
    pages = {f"A {GARDEN}.md": "# A\n\nGrün".encode("latin-1"), f"B {ROSE}.md": bytes(range(256))}
    found = records(read, write_zip(tmp_path / "a.zip", pages))
    assert contents(found) == ["# A\n\nGrün"]
    assert [problem.lost for problem in problems(found)] == [False, True]


def test_pages_databases_links_and_pictures(tmp_path: Path, export: Path) -> None:
    assert detect(export) == "notion"
    with zipfile.ZipFile(export) as archive:
        archive.extractall(tmp_path / "unpacked")
        names = archive.namelist()
    assert detect(tmp_path / "unpacked") == "notion"
    found = records(read, export)
    assert contents(found) == contents(records(read, tmp_path / "unpacked"))
    # Counted by another way: one for each id in the names of pages.
    assert len(contents(found)) == len({name.split()[-1][:32] for name in names if name.endswith((".md", ".csv"))}) == 3
    notes = {one.title: one for one in only(found, MemoryRecord)}
    (picture,) = only(found, AttachmentRecord)
    assert notes["Garden"].content == (
        "# Garden\n\nSee [[My rose|a rose]], [[Beds]], "
        f"![dot](attachments/{picture.name}) [[My rose|web]] [gone](no.md)"
    )
    assert notes["My rose"].tags == ("red", "thorny")
    assert notes["My rose"].created_ms == 1705314600000
    assert notes["My rose"].attributes == {"notebook": "Garden"}
    assert notes["Beds"].content.splitlines()[2:] == ["| [[My rose]] | North |", "| a\\|b | South |"]


ONE, TWO, DATABASE, ROW = (letter * 32 for letter in "1234")
PAGE_OF_HTML = (
    "<html><head><title>Garden</title><style>p {{}}</style></head><body><article><header>"
    '<h1 class="page-title">Garden</h1>{properties}</header><div class="page-body">{body}</div></article></body></html>'
)
PROPERTIES = (
    '<table class="properties"><tbody><tr class="property-row property-row-multi_select"><th>Tags</th><td>'
    '<span class="selected-value">Beds</span><span class="selected-value">Spring</span></td></tr>'
    '<tr class="property-row property-row-created_time"><th>Created</th>'
    "<td><time>@March 3, 2024 10:00 AM</time></td></tr>"
    "</tbody></table>"
)
BODY_OF_HTML = (
    f'<p>sorrel and <a href="Garden%20{ONE}/Beds%20{TWO}.html">Beds</a></p>'
    f'<figure class="image"><a href="Garden%20{ONE}/dot.png"><img src="Garden%20{ONE}/dot.png"/></a></figure>'
)
HTML_EXPORT = {
    "Export/index.html": b"<html><body>contents</body></html>",
    f"Export/Garden {ONE}.html": PAGE_OF_HTML.format(properties=PROPERTIES, body=BODY_OF_HTML).encode(),
    f"Export/Garden {ONE}/Beds {TWO}.html": PAGE_OF_HTML.format(properties="", body="<p>radish</p>").encode(),
    f"Export/Garden {ONE}/dot.png": png(),
    f"Export/Plants {DATABASE}.csv": b"Name,Month\nLeek,May\n",
    f"Export/Plants {DATABASE}/Leek {ROW}.html": PAGE_OF_HTML.format(properties="", body="<p>tall</p>").encode(),
}


def _html_zip(folder: Path) -> Path:
    return write_zip(folder / "a.zip", HTML_EXPORT)


def _html_nested(folder: Path) -> Path:
    inner = write_zip(folder / "inner.zip", HTML_EXPORT)
    return write_zip(folder / "a.zip", {"Export-0123-Part-1.zip": inner.read_bytes()})


def _html_folder(folder: Path) -> Path:
    for name, data in HTML_EXPORT.items():
        (folder / "a" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "a" / name).write_bytes(data)
    return folder / "a"


@pytest.mark.parametrize("make", [_html_zip, _html_nested, _html_folder])
def test_an_export_as_html_is_read_as_pages_tables_and_files(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    path = make(tmp_path)
    assert detect(path) == "notion"
    found = records(read, path)
    assert not problems(found)
    notes = {one.key: one for one in only(found, MemoryRecord)}
    assert {*notes} == {ONE, TWO, DATABASE, ROW}
    garden = notes[ONE]
    assert (garden.title, garden.tags, garden.created_ms) == ("Garden", ("beds", "spring"), 1_709_460_000_000)
    assert "sorrel and [[Beds]]" in garden.content
    (picture,) = only(found, AttachmentRecord)
    assert f"](attachments/{picture.name})" in garden.content
    assert "radish" in notes[TWO].content
    assert "[[Leek]]" in notes[DATABASE].content
