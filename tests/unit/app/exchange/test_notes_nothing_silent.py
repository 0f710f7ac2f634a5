"""The words of notes, documents and mails are stored or named, wherever they stand."""

import io
import re
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import pytest
from pypdf import PdfReader, PdfWriter
from pypdf.annotations import FreeText, Text

from app.exchange.formats.detect import detect
from tests.unit.app.exchange.formats.notebooks.exports import FOLDER, ROSE, joplin_item, pdf, tar
from tests.unit.app.exchange.formats.test_docx import SPACE, paragraph
from tests.unit.app.exchange.reading import write_zip
from tests.unit.app.exchange.test_nothing_silent import taken

KEY = "0123456789abcdef0123456789abcdef"
WORDS = (
    "quince in the garden", "medlar on the table", "heron by the pond", "kestrel over the barn", "curlew at the coast",
    "walnut from the market", "plover in the field",
)  # fmt: skip
ENEX = (
    "<?xml version='1.0'?><en-export><note><title>{0}</title><content><![CDATA[<en-note><div>{1}</div>"
    "<en-todo/>{2}</en-note>]]></content><tag>{3}</tag><task><title>{4}</title><taskStatus>open</taskStatus></task>"
    "<note-attributes><author>{5}</author><subject>{6}</subject></note-attributes></note></en-export>"
)
TABLE = "<w:tbl><w:tr><w:tc>{}</w:tc></w:tr></w:tbl>"
BOX = "<w:p><w:r><w:pict><w:txbxContent>{}</w:txbxContent></w:pict></w:r></w:p>"


def enex(path: Path) -> Path:
    (path / "Beds.enex").write_text(ENEX.format(*WORDS))
    return path / "Beds.enex"


def notion(path: Path) -> Path:
    row = f"# {WORDS[0]}\n\nKind: {WORDS[1]}\n\n{WORDS[2]}\n"
    aside = f"<details><summary>{WORDS[5]}</summary><p>{WORDS[6]}</p></details>"
    page = f"<html><body><h1>{WORDS[4]}</h1>{aside}</body></html>"
    files = {f"Row {KEY}.md": row, f"Base {KEY[::-1]}.csv": f"Name,Text\na,{WORDS[3]}\n", f"Page {'a' * 32}.html": page}
    return write_zip(path / "export.zip", {name: text.encode() for name, text in files.items()})


def joplin(path: Path) -> Path:
    files = {
        f"{ROSE}.md": joplin_item(ROSE, 1, WORDS[0], WORDS[1], parent_id=FOLDER, author=WORDS[2]),
        f"{FOLDER}.md": joplin_item(FOLDER, 2, WORDS[3]),
        f"{KEY}.md": joplin_item(KEY, 5, WORDS[4]),
        f"{'9' * 32}.md": joplin_item("9" * 32, 6, note_id=ROSE, tag_id=KEY),
        f"{'7' * 32}.md": joplin_item("7" * 32, 99, WORDS[5], WORDS[6]),
    }
    return tar(path / "all.jex", files)


def docx(path: Path) -> Path:
    body = (
        paragraph(WORDS[0], "Heading1") + TABLE.format(paragraph(WORDS[1])) + BOX.format(paragraph(WORDS[2]))
        + f"<w:sdt><w:sdtContent>{paragraph(WORDS[3])}</w:sdtContent></w:sdt>"
        + f"<w:p><w:ins><w:r><w:t>{WORDS[4]}</w:t></w:r></w:ins>"
        f"<w:hyperlink><w:r><w:t>{WORDS[5]}</w:t></w:r></w:hyperlink>"
        f"<w:smartTag><w:r><w:t>{WORDS[6]}</w:t></w:r></w:smartTag></w:p>"
    )  # fmt: skip
    text = f"<w:document {SPACE}><w:body>{body}</w:body></w:document>"
    return write_zip(path / "plan.docx", {"word/document.xml": text.encode()})


def document(path: Path) -> Path:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf(WORDS[0], WORDS[1]))))
    writer.add_annotation(0, Text(text=WORDS[2], rect=(10, 10, 20, 20)))
    writer.add_annotation(1, FreeText(text=WORDS[3], rect=(10, 30, 90, 60)))
    with (path / "plan.pdf").open("wb") as stream:
        writer.write(stream)
    return path / "plan.pdf"


def mail(path: Path) -> Path:
    message = EmailMessage()
    message["From"], message["Subject"], message["Date"] = (
        f"{WORDS[0]} <a@x.org>",
        WORDS[1],
        "Thu, 01 May 2025 10:00:00 +0000",
    )
    message["Comments"], message["Keywords"] = WORDS[2], WORDS[3]
    message.set_content(WORDS[4])
    message.add_attachment(WORDS[5], filename="a.txt")
    message.epilogue = f"{WORDS[6]}\n"
    (path / "all.mbox").write_bytes(b"From x Thu May  1 10:00:00 2025\n" + message.as_bytes())
    return path / "all.mbox"


SAMPLES: dict[str, tuple[Callable[[Path], Path], int]] = {
    "enex": (enex, 7), "notion": (notion, 7), "joplin": (joplin, 7), "docx": (docx, 7), "pdf": (document, 4),
    "mbox": (mail, 7),
}  # fmt: skip


@pytest.mark.parametrize("fmt", SAMPLES)
def test_words_of_a_sample_are_stored_or_named(fmt: str, tmp_path: Path) -> None:
    write, count = SAMPLES[fmt]
    path = write(tmp_path)
    assert detect(path) == fmt
    said, problems = taken(fmt, path)
    said = re.sub(r"[#*`\[\]]", "", said)
    missing = [words for words in WORDS[:count] if words not in said and words not in said.replace("/", " ")]
    named = " ".join(problem.what for problem in problems if problem.lost)
    unnamed = [words for words in missing if words not in named and "does not know" not in named]
    assert unnamed == []
    assert len(missing) <= 2


@pytest.mark.parametrize("tag", ["title", "content", "tag", "task", "author", "subject", "note-attributes"])
def test_words_of_a_renamed_element_of_enex_are_stored_or_named(tag: str, tmp_path: Path) -> None:
    path = enex(tmp_path)
    path.write_text(re.sub(rf"<(/?){tag}>", r"<\1zzz>", path.read_text()))
    said, problems = taken("enex", path)
    missing = [words for words in WORDS if words not in said]
    assert not missing or any(problem.lost for problem in problems), missing


@pytest.mark.parametrize("field", ["type_", "id"])
def test_a_damaged_item_of_joplin_is_named(field: str, tmp_path: Path) -> None:
    item = joplin_item(ROSE, 1, WORDS[0], WORDS[1]).decode().replace(f"{field}:", "zzz:")
    other = joplin_item(KEY, 1, WORDS[2], WORDS[3])
    _, problems = taken("joplin", tar(tmp_path / "all.jex", {f"{ROSE}.md": item.encode(), f"{KEY}.md": other}))
    assert [problem.lost for problem in problems] == [True]
