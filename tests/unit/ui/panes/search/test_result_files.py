"""Results as files."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from pypdf import PdfReader

from app.errors import KeepsakeError
from app.retrieval.model import Why
from tests.unit.ui.panes.search.test_query_text import hit
from ui.panes.search.result_files import COLUMNS, FORMATS, write_results

WORST = hit("note-1", title="=SUM(1)\n2", snippet='a "b", c\nd \udc80', agent="+x", tags=("a", "b"))
TURN = hit("s#4", "s", title="", kind="message", role="user", seq=4)


@pytest.mark.parametrize("ending", sorted(FORMATS.keys() - {".pdf"}))
def test_nothing_and_the_worst_are_written(tmp_path: Path, ending: str) -> None:
    write_results(tmp_path / f"none{ending}", "q", [], "Untitled")
    path = tmp_path / f"worst{ending.upper()}"
    write_results(path, "q", [WORST, TURN], "Untitled")
    text = path.read_text(encoding="utf-8")
    assert "keepsake://memory/note-1" in text
    assert "keepsake://session/s#4" in text
    assert "Untitled" in text


def test_a_page_holds_no_tags_of_the_results() -> None:
    worst = hit("n1", title="<script>x</script>", snippet='<img src="https://example.org/x.png">', tags=("<b>",))
    text = FORMATS[".html"]('"><script>', [worst], "Untitled")
    assert isinstance(text, str)
    assert re.findall(r"<(?:script|img|b)\b", text) == []
    assert "default-src 'none'" in text


@pytest.mark.usefixtures("qapp")
def test_results_are_printed(tmp_path: Path) -> None:
    many = [hit(f"n{number}", title=f"Rose {number}", snippet="Prune in March. " * 40) for number in range(60)]
    write_results(tmp_path / "roses.pdf", "roses", [WORST, TURN, *many], "Untitled")
    pages = PdfReader(tmp_path / "roses.pdf").pages
    assert len(pages) > 3
    text = " ".join(" ".join(page.extract_text() for page in pages).split())
    assert "Rose 59" in text
    assert "Untitled" in text


def test_an_earlier_file_stays_where_it_cannot_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / "roses.md"
    write_results(path, "roses", [TURN], "Untitled")
    (tmp_path / "folder.md").mkdir()
    with pytest.raises(KeepsakeError):
        write_results(tmp_path / "folder.md", "roses", [TURN], "Untitled")
    assert path.read_text("utf-8").startswith("# roses")


def test_a_spreadsheet_gets_no_formulas() -> None:
    rows = list(csv.reader(io.StringIO(str(FORMATS[".csv"]("q", [WORST, TURN], "Untitled")), newline="")))
    assert tuple(rows[0]) == COLUMNS
    assert rows[1][2] == "'=SUM(1)\n2"
    assert rows[1][5] == "'+x"
    assert rows[1][6] == "a b"
    assert len(rows) == 3


def test_programs_get_one_object_a_line() -> None:
    lines = str(FORMATS[".jsonl"]("q", [WORST, TURN], "U")).splitlines()
    first, second = map(json.loads, lines)
    assert (first["title"], first["tags"], first["words"]) == ("=SUM(1)\n2", ["a", "b"], list(Why().terms))
    assert (second["said_by"], second["title"]) == ("user", "U")


def test_a_reader_gets_a_list() -> None:
    text = str(FORMATS[".md"]("rose", [hit("n1", title="")], "Untitled"))
    assert text.startswith("# rose\n\n1. **Untitled** (")
    assert "   a b" in text
