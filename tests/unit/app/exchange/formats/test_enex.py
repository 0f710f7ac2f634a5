"""ENEX files: notes of Evernote."""

import base64
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.exchange.formats.detect import detect
from app.exchange.formats.enex import read
from app.exchange.model import AttachmentRecord
from app.host import Host
from app.memories.foreign_record import MemoryRecord
from tests.unit.app.exchange.formats.notebooks.exports import png
from tests.unit.app.exchange.reading import contents, only, problems, records

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export4.dtd">\n'
NOTE = (
    "<note><title>{title}</title><content><![CDATA[<?xml version='1.0'?><!DOCTYPE en-note SYSTEM 'x'>"
    "<en-note>{body}</en-note>]]></content><created>20240102T030405Z</created><tag>Garden</tag></note>"
)


def enex(path: Path, *notes: str, head: str = HEAD, end: str = "</en-export>") -> Path:
    path.write_text(f"{head}<en-export>{''.join(notes)}{end}", encoding="utf-8")
    return path


def note(title: str = "Roses", body: str = "<div>red</div>") -> str:
    return NOTE.format(title=title, body=body)


def test_entities_are_refused(tmp_path: Path) -> None:
    bomb = '<!DOCTYPE en-export [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
    found = records(read, enex(tmp_path / "a.enex", note("&b;"), head=bomb))
    assert not contents(found)
    assert "entities" in problems(found)[0].what


@pytest.mark.parametrize("damage", ["", "<note><title>half", "<note><title>x</oops>", "<note>\x00"])
def test_notes_before_the_damage_are_kept(tmp_path: Path, damage: str) -> None:
    found = records(read, enex(tmp_path / "a.enex", note(), note("Tulips"), damage, end=""))
    assert [one.title for one in only(found, MemoryRecord)] == ["Roses", "Tulips"]
    assert [problem.lost for problem in problems(found)] == [True]


def test_a_note_becomes_markdown(tmp_path: Path) -> None:
    body = (
        "<h2>Plan</h2><ul><li>dig</li><li><b>water</b></li></ul><en-todo checked='true'/>bought"
        "<table><tr><td>a</td><td>b</td></tr></table><a href='https://x.org/'>x</a>"
        "<a href='javascript:alert(1)'>bad</a><script>alert(1)</script>"
    )
    task = "<task><title>Rake</title><taskStatus>completed</taskStatus></task></note>"
    found = records(read, enex(tmp_path / "a.enex", note(body=body).replace("</note>", task)))
    (text,) = contents(found)
    for part in ("## Plan", "- dig", "- **water**", "- [x] bought", "| a | b |", "[x](https://x.org/)", "- [x] Rake"):
        assert part in text
    assert "alert" not in text
    (kept,) = only(found, MemoryRecord)
    assert (kept.tags, kept.created_ms) == (("garden",), 1704164645000)


def test_attached_files_are_named_and_not_taken_as_text(tmp_path: Path) -> None:
    resource = (
        "<resource><data>QUJD</data><resource-attributes><source-url>no</source-url></resource-attributes></resource>"
    )
    found = records(read, enex(tmp_path / "a.enex", note().replace("</note>", f"{resource}</note>")))
    assert contents(found) == ["red"]
    assert [(problem.lost, problem.foreign) for problem in problems(found)] == [(False, True)]


def test_every_note_goes_in_once(vault: Path, tmp_path: Path) -> None:
    path = enex(tmp_path / "notes.bin", *(note(f"Note {number % 40}", f"text {number}") for number in range(50)))
    assert detect(path) == "enex"
    count = path.read_text(encoding="utf-8").count("</note>")
    host = Host(vault, overrides={"embedding.model": "hashed"}, serve=False)
    host.start()
    try:
        report = host.ask("exchange.import", path=str(path))
        again = host.ask("exchange.import", path=str(path))
    finally:
        host.stop()
    assert (report.format, report.memories, report.problem_count) == ("enex", count, 0)
    assert (again.memories, again.unchanged, again.updated) == (0, count, 0)


WORDS = "<content><![CDATA[<en-note>one two three</en-note>]]></content>"
SOUND = ("Roses", "Tulips")
# Each is a note between two sound ones; the words are what must be found of it, where it can be read.
DAMAGED = {
    "a second CDATA": "<content><![CDATA[<en-note>one <![CDATA[two]]> three</en-note>]]></content></note>",
    "inner tags that do not match": "<content><en-note><b>one two</i> three</en-note></content></note>",
    "a bare ampersand in a title": f" &</title><title>{WORDS}</note>",
    "attributes that are not closed": f"{WORDS}<note-attributes><author>x</author></note-attributesv></note>",
    "a bare ampersand in a tag": f"{WORDS}<tag>a & b</tag></note>",
    "a control character": f"{WORDS}<author>\x02</author></note>",
    "no end": WORDS,
    "a text without an end": f"{WORDS.replace(']]>', '')}</note>",
    "an inner text of tags": "<content><en-note><div>one <b>two</b></div> three</en-note></content></note>",
    "a file that is damaged": f"{WORDS}<resource><data>QUJD</data><mime>text/plain</mine></resource></note>",
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_note_costs_no_other_and_is_read_leniently(tmp_path: Path, name: str) -> None:
    found = records(read, enex(tmp_path / "a.enex", note(), f"<note><title>Bad</title>{DAMAGED[name]}", note("Tulips")))
    notes = {one.title: one for one in only(found, MemoryRecord)}
    assert {*SOUND} <= {*notes}
    (bad,) = (one for title, one in notes.items() if title not in SOUND)
    assert bad.title.startswith("Bad")
    assert all(word in bad.content for word in ("one", "two", "three"))
    is_sound = name == "an inner text of tags"
    assert len([problem for problem in problems(found) if not problem.is_file]) == (not is_sound)


@pytest.mark.parametrize(
    "damage", ["<note><a></b>", "<note>\x00</note>", "</oops>", "<x>&&</x>", "]]>", "<note></note x>"]
)
def test_what_cannot_be_read_is_named_and_the_rest_goes_in(tmp_path: Path, damage: str) -> None:
    found = records(read, enex(tmp_path / "a.enex", note(), damage, note("Tulips"), damage, note("Lilies")))
    assert [one.title for one in only(found, MemoryRecord)] == ["Roses", "Tulips", "Lilies"]
    assert [problem.lost for problem in problems(found)] == [True, True]


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_bytes_that_are_lost_in_one_note_cost_no_other(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    bad = note("Bad", "<div>one</div> two &amp; three " * 30)
    begin = data.draw(st.integers(5, len(bad) - 10))
    bad = bad[:begin] + bad[begin + data.draw(st.integers(1, 40)) :]
    path = enex(tmp_path_factory.mktemp("enex") / "a.enex", note(), bad, note("Tulips"), note("Lilies"))
    found = records(read, path)
    assert {"Roses", "Lilies"} <= {one.title for one in only(found, MemoryRecord)}
    whole = "".join((*(one.title for one in only(found, MemoryRecord)), *contents(found)))
    assert "Tulips" in whole or any(problem.lost for problem in problems(found))


def test_parts_of_a_file_end_anywhere(tmp_path: Path) -> None:
    notes = [note(f"Note {number}", "x" * 3000) for number in range(100)]
    notes[50:50] = ["<note><title>Bad</title><content>" + "y" * 300_000 + "<b></i></content></note>"]
    found = records(read, enex(tmp_path / "a.enex", *notes))
    assert [one.title for one in only(found, MemoryRecord)] == [
        *(f"Note {number}" for number in range(50)),
        "Bad",
        *(f"Note {number}" for number in range(50, 100)),
    ]


@pytest.mark.parametrize("outside", ["<a>", "<resource>", "<task>"])
def test_nesting_beyond_reason_is_refused_at_once(tmp_path: Path, outside: str) -> None:
    found = records(read, enex(tmp_path / "a.enex", note(), "<note>" + outside * 300_000, note("Tulips")))
    assert [one.title for one in only(found, MemoryRecord)] == ["Roses", "Tulips"]
    assert "nested beyond reason" in problems(found)[0].what


def test_two_files_in_one_are_both_read(tmp_path: Path) -> None:
    path = enex(
        tmp_path / "a.enex", note(), end="</en-export>" + HEAD + "<en-export>" + note("Tulips") + "</en-export>"
    )
    assert [one.title for one in only(records(read, path), MemoryRecord)] == ["Roses", "Tulips"]


@pytest.mark.parametrize("encoding", ["iso-8859-1", "utf-16", "windows-1252"])
def test_other_encodings_are_read(tmp_path: Path, encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?><en-export>{note("Köln", "schön")}</en-export>'
    (tmp_path / "a.enex").write_bytes(text.encode(encoding))
    assert contents(records(read, tmp_path / "a.enex")) == ["schön"]


@pytest.mark.parametrize(
    ("name", "mime", "data", "suffix"),
    [
        ("08.06.2014 16:58:55", "image/png", png(), ".png"),
        ("scan", "application/pdf", b"%PDF-1.4", ".pdf"),
        ("v1.2", "text/plain", b"words", ".txt"),
        ("", "audio/x-m4a", b"sound", ".m4a"),
        ("photo", "application/octet-stream", png(), ".png"),
        ("report.pdf", "application/octet-stream", b"%PDF-1.4", ".pdf"),
    ],
)
def test_the_type_of_a_file_is_that_of_its_name_or_else_its_mime_type(
    tmp_path: Path, name: str, mime: str, data: bytes, suffix: str
) -> None:
    resource = (
        f"<resource><data>{base64.b64encode(data).decode()}</data><mime>{mime}</mime>"
        f"<resource-attributes><file-name>{name}</file-name></resource-attributes></resource>"
    )
    found = records(read, enex(tmp_path / "a.enex", note().replace("</note>", f"{resource}</note>")))
    (kept,) = only(found, AttachmentRecord)
    assert kept.name.endswith(suffix)
    assert not problems(found)
