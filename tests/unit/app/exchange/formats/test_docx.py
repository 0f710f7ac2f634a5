"""Word documents as notes."""

from pathlib import Path

import pytest

from app.errors import FormatError
from app.exchange.formats.detect import detect
from app.exchange.formats.docx import DOCUMENT, read
from app.exchange.importing.accounting import Account
from app.exchange.importing.batches import BatchReader
from app.host import Host
from app.memories.foreign_record import MemoryRecord
from tests.unit.app.exchange.reading import contents, only, problems, records, write_zip

SPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
CORE = (
    '<p xmlns:d="http://purl.org/dc/elements/1.1/" xmlns:t="http://purl.org/dc/terms/"><d:title>Garden plan</d:title>'
    "<t:created>2024-01-02T03:04:05Z</t:created></p>"
)


def paragraph(text: str, style: str = "", more: str = "") -> str:
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{more}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def docx(path: Path, *parts: str, head: str = "", end: str = "</w:body></w:document>") -> Path:
    text = f"{head}<w:document {SPACE}><w:body>{''.join(parts)}{end}"
    return write_zip(path, {DOCUMENT: text.encode(), "docProps/core.xml": CORE.encode()})


def test_entities_are_refused(tmp_path: Path) -> None:
    found = records(read, docx(tmp_path / "a.docx", paragraph("&a;"), head='<!DOCTYPE x [<!ENTITY a "ha">]>'))
    assert not contents(found)
    assert "entities" in problems(found)[0].what


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "a.docx", {DOCUMENT: b" " * (65 << 20)})
    with pytest.raises(FormatError, match="swell"):
        records(read, path)


def test_the_text_before_damage_is_kept(tmp_path: Path) -> None:
    found = records(read, docx(tmp_path / "a.docx", paragraph("whole"), "<w:p><w:r><w:t>half", end=""))
    assert contents(found)[0].startswith("whole")
    assert [problem.lost for problem in problems(found)] == [True]


def test_a_file_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    path = docx(tmp_path / "a.docx", paragraph("x"))
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(FormatError, match="cut short"):
        records(read, path)


def test_headings_lists_and_tables_become_markdown(tmp_path: Path) -> None:
    level = '<w:numPr><w:ilvl w:val="{}"/></w:numPr>'
    cells = "".join(f"<w:tc>{paragraph(text)}</w:tc>" for text in ("a|b", "c"))
    parts = (
        paragraph("Plan", "Heading2"),
        paragraph("dig", more=level.format(0)),
        paragraph("deep", more=level.format(1)),
        f"<w:tbl><w:tr>{cells}</w:tr><w:tr>{cells}</w:tr></w:tbl>",
        paragraph("Done"),
    )
    found = records(read, docx(tmp_path / "a.docx", *parts))
    table = "| a\\|b | c |\n| --- | --- |\n| a\\|b | c |"
    assert contents(found) == [f"## Plan\n\n- dig\n  - deep\n\n{table}\n\nDone"]
    (kept,) = only(found, MemoryRecord)
    assert (kept.title, kept.created_ms) == ("Garden plan", 1704164645000)


def test_a_document_goes_in_once(vault: Path, tmp_path: Path) -> None:
    path = docx(tmp_path / "plan.bin", *(paragraph(f"Line {number}") for number in range(30)))
    assert detect(path) == "docx"
    host = Host(vault, overrides={"embedding.model": "hashed"}, serve=False)
    host.start()
    try:
        report = host.ask("exchange.import", path=str(path))
        again = host.ask("exchange.import", path=str(path))
    finally:
        host.stop()
    assert (report.format, report.memories, report.problem_count) == ("docx", 1, 0)
    assert (again.memories, again.unchanged, again.updated) == (0, 1, 0)


def test_notes_comments_headers_and_footers_are_read(tmp_path: Path) -> None:
    def part(tag: str, inner: str, number: int, text: str) -> bytes:
        aside = f'<w:{inner} w:id="{number}" w:author="Ada">{paragraph(text)}</w:{inner}>'
        return f"<w:{tag} {SPACE}>{aside}</w:{tag}>".encode()

    marks = '<w:footnoteReference w:id="2"/><w:endnoteReference w:id="3"/><w:commentReference w:id="0"/>'
    body = f"<w:document {SPACE}><w:body><w:p><w:r><w:t>The heron</w:t>{marks}</w:r></w:p></w:body></w:document>"
    parts = {
        DOCUMENT: body.encode(),
        "word/footnotes.xml": part("footnotes", "footnote", 2, "seen in May").replace(b' w:author="Ada"', b""),
        "word/endnotes.xml": part("endnotes", "endnote", 3, "by the mill").replace(b' w:author="Ada"', b""),
        "word/comments.xml": part("comments", "comment", 0, "surely a crane"),
        "word/header1.xml": f"<w:hdr {SPACE}>{paragraph('Birds of the river')}</w:hdr>".encode(),
        "word/footer2.xml": f"<w:ftr {SPACE}>{paragraph('Birds of the river')}</w:ftr>".encode(),
    }
    notes = "[^2]: seen in May\n\n[^e3]: by the mill\n\n[^c0]: Ada: surely a crane"
    found = records(read, write_zip(tmp_path / "a.docx", parts))
    assert contents(found) == [f"The heron[^2][^e3][^c0]\n\n{notes}\n\nBirds of the river"]


def test_words_of_a_part_that_is_not_known_are_named(tmp_path: Path) -> None:
    parts = {
        DOCUMENT: f"<w:document {SPACE}><w:body>{paragraph('The heron')}</w:body></w:document>".encode(),
        "word/diagrams/data1.xml": b'<d xmlns:a="x"><a:t>a kestrel in the oak</a:t></d>',
    }
    path = write_zip(tmp_path / "a.docx", parts)
    reader = BatchReader(read(path, lambda: False), path, account=Account())
    assert ["kestrel" in problem.what for problem in reader.next().problems if problem.lost] == [True]
