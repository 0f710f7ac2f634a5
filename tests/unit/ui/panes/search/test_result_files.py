"""Results as files."""

import csv
import io
import json
from pathlib import Path

import pytest

from app.retrieval.model import Why
from tests.unit.ui.panes.search.test_query_text import hit
from ui.panes.search.result_files import COLUMNS, FORMATS, write_results

WORST = hit("note-1", title="=SUM(1)\n2", snippet='a "b", c\nd \udc80', agent="+x", tags=("a", "b"))
TURN = hit("s#4", "s", title="", kind="message", role="user", seq=4)


@pytest.mark.parametrize("ending", FORMATS)
def test_nothing_and_the_worst_are_written(tmp_path: Path, ending: str) -> None:
    write_results(tmp_path / f"none{ending}", "q", [], "Untitled")
    path = tmp_path / f"worst{ending.upper()}"
    write_results(path, "q", [WORST, TURN], "Untitled")
    text = path.read_text(encoding="utf-8")
    assert "keepsake://memory/note-1" in text
    assert "keepsake://session/s#4" in text
    assert "Untitled" in text


def test_a_spreadsheet_gets_no_formulas() -> None:
    rows = list(csv.reader(io.StringIO(FORMATS[".csv"]("q", [WORST, TURN], "Untitled"), newline="")))
    assert tuple(rows[0]) == COLUMNS
    assert rows[1][2] == "'=SUM(1)\n2"
    assert rows[1][5] == "'+x"
    assert rows[1][6] == "a b"
    assert len(rows) == 3


def test_programs_get_one_object_a_line() -> None:
    lines = FORMATS[".jsonl"]("q", [WORST, TURN], "U").splitlines()
    first, second = map(json.loads, lines)
    assert (first["title"], first["tags"], first["words"]) == ("=SUM(1)\n2", ["a", "b"], list(Why().terms))
    assert (second["said_by"], second["title"]) == ("user", "U")


def test_a_reader_gets_a_list() -> None:
    text = FORMATS[".md"]("rose", [hit("n1", title="")], "Untitled")
    assert text.startswith("# rose\n\n1. **Untitled** (")
    assert "   a b" in text
