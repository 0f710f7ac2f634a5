import pytest

from app.changes import Progress
from app.cli.reports import check_lines, export_lines, import_lines, progress_words, size_words
from app.exchange.model import ExportReport, ImportReport
from app.memories.foreign_record import Problem
from app.upkeep.model import CheckReport, Finding


def test_import_report_in_words() -> None:
    lost, repaired = Problem("a.md, line 2", "It is not text.", lost=True), Problem("b.md", "It was cut.", lost=False)
    report = ImportReport("/x", "markdown", 1, 2, 1, 3, 1, (lost, repaired), 30, seconds=1.25)
    assert import_lines(report) == [
        "Imported 1 conversation with 2 messages, and 1 note or fact from /x (Markdown notes, 1.2 s).",
        "1 item changed since the last import and brought up to date.",
        "3 items there already.",
        "30 problems:",
        "  a.md, line 2: It is not text. (left out)",
        "  b.md: It was cut. (repaired)",
        "  … and 28 more.",
    ]


def test_problems_of_one_cause_are_told_once() -> None:
    alike = tuple(Problem(f"{number}.exe", "It cannot be attached.") for number in range(5))
    report = ImportReport("/x", "markdown", problems=(*alike, Problem("a.md", "It is not text.")), problem_count=6)
    assert import_lines(report)[1:] == [
        "6 problems:",
        "  0.exe, 1.exe, 2.exe and 2 more: It cannot be attached. (left out)",
        "  a.md: It is not text. (left out)",
    ]


def test_a_problem_that_says_so_itself_is_left_out_once() -> None:
    problem = Problem("conversation 2", "It has no messages and was left out.", lost=True)
    report = ImportReport("/x", "claude", problems=(problem,), problem_count=1)
    assert import_lines(report)[1:] == ["1 problem:", "  conversation 2: It has no messages and was left out."]


def test_a_stopped_import_says_so() -> None:
    assert import_lines(ImportReport("/x", "claude", cancelled=True))[0].startswith("Stopped after importing 0")


def test_export_report_in_words() -> None:
    assert export_lines(ExportReport("/y", "jsonl", 0, 0, 1, 1, 1500)) == [
        "Wrote 0 conversations with 0 messages, and 1 note or fact (2 kB) to /y."
    ]


def test_a_check_names_findings_and_remedies() -> None:
    report = CheckReport(False, (Finding("words", "error", "Rows are missing.", "Reindex."),), 0.1)
    assert check_lines(report) == [
        "error: words: Rows are missing.",
        "  Reindex.",
        "The vault has errors (0.1 s).",
    ]


@pytest.mark.parametrize(
    ("size", "words"),
    [(0, "0 bytes"), (999, "999 bytes"), (12_000, "12 kB"), (3_400_000, "3.4 MB"), (5 * 10**9, "5.0 GB")],
)
def test_sizes(size: int, words: str) -> None:
    assert size_words(size) == words


def test_progress_is_one_line() -> None:
    assert (
        progress_words(Progress("r", "Importing\nx", 50, 200, "bytes", 10.0))
        == "Importing x  25 %  50 bytes  10 bytes/s"
    )
    assert progress_words(Progress("r", "Exporting", 50, None, "items")) == "Exporting  50 items"
    assert progress_words(Progress("r", "Exporting", 1, None, "memories")) == "Exporting  1 memory"
    assert progress_words(Progress("r", "Undoing", 1, None, "changes")) == "Undoing  1 change"


def test_work_that_has_not_begun_to_count_says_what_it_does() -> None:
    searching = Progress("r", "Importing /", 0, None, "bytes", detail="looking for notes, 3 so far")
    assert progress_words(searching) == "Importing /  looking for notes, 3 so far"
