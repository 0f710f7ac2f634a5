"""ENEX files: notes of Evernote."""

from pathlib import Path

import pytest

from app.exchange.formats.detect import detect
from app.exchange.formats.enex import read
from app.host import Host
from app.memories.foreign_record import MemoryRecord
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
    assert [one.lost for one in problems(found)] == [True]


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
    assert [(one.lost, one.foreign) for one in problems(found)] == [(False, True)]


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
