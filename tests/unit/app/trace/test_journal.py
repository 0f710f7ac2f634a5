"""The trace: one line a span, private, never in the way."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.errors import InputError
from app.trace.journal import KEEP, MAX_BYTES, Trace


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "trace.jsonl").read_text().splitlines()]


def test_events_and_spans(tmp_path: Path) -> None:
    trace = Trace(tmp_path / "trace")
    trace.event("began", count=3, name="x\ny")
    with trace.span("work", size=1) as facts:
        facts["found"] = 2
    with pytest.raises(InputError), trace.span("broken"):
        raise InputError("no")
    trace.close()
    first, second, third = lines(tmp_path / "trace")
    assert (first["event"], first["count"], first["name"]) == ("began", 3, "x\ny")
    assert (second["event"], second["size"], second["found"]) == ("work", 1, 2)
    assert second["ms"] >= 0
    assert third["error"] == "invalid_input"


def test_files_are_private(tmp_path: Path) -> None:
    trace = Trace(tmp_path / "trace")
    trace.event("began")
    trace.close()
    assert (tmp_path / "trace").stat().st_mode & 0o077 == 0
    assert (tmp_path / "trace" / "trace.jsonl").stat().st_mode & 0o077 == 0


def test_without_a_folder_nothing_is_written(tmp_path: Path) -> None:
    trace = Trace()
    trace.event("began")
    trace.close()
    assert list(tmp_path.iterdir()) == []


def test_old_lines_go(tmp_path: Path) -> None:
    trace = Trace(tmp_path)
    for number in range(6):
        trace.event("big", number=number, text="x" * (MAX_BYTES - 100))
    trace.close()
    assert len(list(tmp_path.iterdir())) == KEEP + 1
    assert lines(tmp_path)[-1]["number"] == 5


def test_closing_twice_and_writing_after(tmp_path: Path) -> None:
    trace = Trace(tmp_path)
    trace.close()
    trace.close()
    trace.event("late")
    assert not (tmp_path / "trace.jsonl").exists()


def test_a_place_that_takes_nothing_costs_only_the_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    trace = Trace(tmp_path / "file")
    trace.event("began")
    trace.close()
    (tmp_path / "trace.jsonl").mkdir()
    trace = Trace(tmp_path)
    for _ in range(3):
        trace.event("began")
    trace.close()
    assert capsys.readouterr().err == ""


def test_once_the_place_takes_lines_again_they_are_kept(tmp_path: Path) -> None:
    blocked = tmp_path / "trace.jsonl"
    blocked.mkdir()
    trace = Trace(tmp_path)
    trace.event("lost")
    trace.close()
    blocked.rmdir()
    trace = Trace(tmp_path)
    trace.event("kept")
    trace.close()
    assert [line["event"] for line in lines(tmp_path)] == ["kept"]
