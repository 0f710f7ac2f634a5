"""PDF and plain text: damage, encryption and encodings first, then their texts."""

from pathlib import Path

import pytest

from app.errors import FormatError
from app.exchange.formats.detect import detect
from app.exchange.formats.notebooks import documents, pdf
from app.exchange.model import AttachmentRecord
from app.memories.foreign_record import MemoryRecord
from tests.unit.app.exchange.formats.notebooks import exports
from tests.unit.app.exchange.reading import contents, only, problems, records


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (exports.pdf("a", encrypted=True), "protected with a password"),
        (b"%PDF-1.7\n" + bytes(range(256)) * 8, "cut short or damaged|holds no text"),
        (exports.pdf("a rose")[:300], "cut short or damaged|holds no text"),
        (exports.pdf(""), "no text"),
    ],
)
def test_a_document_without_text_is_explained(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(data)
    assert detect(path) == "pdf"
    with pytest.raises(FormatError, match=said):
        records(pdf.read, path)


def test_a_document_is_one_note_with_its_file(tmp_path: Path) -> None:
    path = tmp_path / "plan.pdf"
    path.write_bytes(exports.pdf("A rose", "", "A tulip"))
    found = records(pdf.read, path)
    (note,), (file,) = only(found, MemoryRecord), only(found, AttachmentRecord)
    assert note.content == f"[plan.pdf](attachments/{file.name})\n\nA rose\n\nA tulip"
    assert (note.title, note.created_ms) == ("Plans for the garden", 1577934245000)
    assert file.data == path.read_bytes()
    assert [problem.what for problem in problems(found)] == ["1 page has no text, such as scanned pages."]


def test_a_folder_of_documents(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.txt").write_bytes("Grün".encode("utf-16"))
    (tmp_path / "sub" / "a.txt").write_bytes("Grün".encode("latin-1"))
    (tmp_path / "b.pdf").write_bytes(exports.pdf("A rose"))
    (tmp_path / "c.html").write_text("<html><title>Page</title><p>Text</p></html>")
    (tmp_path / "bad.pdf").write_bytes(exports.pdf("a", encrypted=True))
    (tmp_path / "bytes.txt").write_bytes(bytes(range(256)))
    assert detect(tmp_path) == "documents"
    found = records(documents.read, tmp_path)
    notes = only(found, MemoryRecord)
    assert [note.title for note in notes] == ["a", "Plans for the garden", "Page", "a"]
    assert contents(found)[0] == contents(found)[3] == "Grün"
    assert len({note.key for note in notes}) == 4
    assert sorted(problem.place for problem in problems(found) if problem.lost) == ["bad.pdf", "bytes.txt"]
