"""The latest lines of the trace, newest first, whatever else lies in its files."""

from pathlib import Path

from app.host import Host
from app.trace.trace_reader import latest


def _write(folder: Path, name: str, *lines: bytes) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(b"\n".join(lines) + b"\n")


def test_there_is_none(tmp_path: Path) -> None:
    assert latest(tmp_path / "trace", 10) == []


def test_half_lines_and_nonsense_are_left_out(tmp_path: Path) -> None:
    whole = b'{"at":1790000000.5,"event":"search","ms":12.5,"hits":3}'
    _write(tmp_path, "trace.jsonl", b'{"at":17', b"[]", b'{"event":"search"}', whole)
    [line] = latest(tmp_path, 10)
    assert (line.event, line.ms, line.facts, line.error) == ("search", 12.5, "hits 3", "")
    assert line.at.timestamp() == 1790000000.5


def test_newest_first_over_both_files_and_by_words(tmp_path: Path) -> None:
    _write(tmp_path, "trace.jsonl.1", b'{"at":1,"event":"first"}')
    _write(tmp_path, "trace.jsonl", b'{"at":2,"event":"second"}', b'{"at":3,"event":"third","error":"disk_full"}')
    assert [line.event for line in latest(tmp_path, 10)] == ["third", "second", "first"]
    assert [line.event for line in latest(tmp_path, 2)] == ["third", "second"]
    assert [line.error for line in latest(tmp_path, 10, "DISK")] == ["disk_full"]


def test_the_start_of_the_engine_is_in_the_trace_of_a_vault(host: Host) -> None:
    assert host.ask("vault.trace", limit=0) == []
    host.stop()
    [line] = latest(host.vault / "trace", 10, "engine.opened")
    assert line.ms is not None
