"""The trace: one line a span, private, never in the way."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.trace.trace import HIDDEN, NAMES, Trace


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "trace.jsonl").read_text().splitlines()]


def test_events_and_spans(tmp_path: Path) -> None:
    trace = Trace(tmp_path / "trace")
    trace.event("began", count=3, reason="no_room")
    with trace.span("work", size=1) as facts:
        facts["found"] = 2
    with pytest.raises(InputError), trace.span("broken"):
        raise InputError("no")
    trace.close()
    first, second, third = lines(tmp_path / "trace")
    assert (first["event"], first["count"], first["reason"]) == ("began", 3, "no_room")
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
    trace = Trace(tmp_path, max_bytes=1000, keep=2)
    for number in range(100):
        trace.event("one", number=number)
    trace.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["trace.jsonl", "trace.jsonl.1", "trace.jsonl.2"]
    assert lines(tmp_path)[-1]["number"] == 99
    assert all(path.stat().st_size <= 1000 for path in tmp_path.iterdir())
    assert all(path.stat().st_mode & 0o077 == 0 for path in tmp_path.iterdir())


def test_a_trace_goes_on_where_the_last_one_ended(tmp_path: Path) -> None:
    for number in range(3):
        trace = Trace(tmp_path, max_bytes=100, keep=5)
        trace.event("one", number=number)
        trace.close()
    assert (lines(tmp_path)[-1]["number"], len(list(tmp_path.iterdir()))) == (2, 2)


@pytest.mark.parametrize(
    "fact", ["two words", "x\ny", "ä", "a" * 97, "-x", "'x'", b"x", ["x"], {"x": "y"}, ValueError("x"), 1 << 70]
)
def test_what_is_no_name_does_not_get_in(tmp_path: Path, fact: Any) -> None:
    trace = Trace(tmp_path)
    trace.event("one", reason=fact, count=fact)
    trace.close()
    (line,) = lines(tmp_path)
    assert (line["reason"], line["count"]) == (HIDDEN, HIDDEN)


def test_a_name_gets_in_only_where_names_belong(tmp_path: Path) -> None:
    trace = Trace(tmp_path)
    trace.event("one", operation="note.save", title="Zebra", model="fastembed:BAAI/bge-small-en-v1.5")
    trace.event("Not an event", **{"Not a field": 3})
    trace.close()
    first, second = lines(tmp_path)
    assert (first["operation"], first["title"]) == ("note.save", HIDDEN)
    assert first["model"] == "fastembed:BAAI/bge-small-en-v1.5"
    assert (second["event"], list(second)) == (HIDDEN, ["at", "event"])


@given(
    facts=st.dictionaries(
        st.text(max_size=20) | st.sampled_from(sorted(NAMES)),
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30) | st.binary(max_size=9),
        max_size=6,
    )
)
def test_anything_makes_a_line_of_metadata(tmp_path_factory: pytest.TempPathFactory, facts: dict[str, Any]) -> None:
    folder = tmp_path_factory.mktemp("trace")
    trace = Trace(folder)
    trace.event("one", **{key: value for key, value in facts.items() if key != "self"})
    trace.close()
    (line,) = lines(folder)
    for key, value in line.items():
        if isinstance(value, str) and key not in ("at", "event"):
            assert value == HIDDEN or key in NAMES
            assert " " not in value


def test_a_span_names_the_kind_of_an_unexpected_failure_only(tmp_path: Path) -> None:
    trace = Trace(tmp_path)
    with pytest.raises(KeyError), trace.span("broken"):
        raise KeyError("a person's words")
    trace.close()
    assert lines(tmp_path)[0]["error"] == "KeyError"


def test_many_threads_lose_nothing(tmp_path: Path) -> None:
    trace = Trace(tmp_path)

    def work() -> None:
        for number in range(500):
            trace.event("one", number=number)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    trace.close()
    assert len(lines(tmp_path)) == 2000


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
