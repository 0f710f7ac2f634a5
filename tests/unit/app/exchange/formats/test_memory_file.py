"""The memory file of the MCP reference server, read and written."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.exchange.formats.detect import detect
from app.exchange.formats.memory_file import read
from app.exchange.model import Position, VaultDetail
from app.host import Host
from app.memories.foreign_record import MemoryRecord, Problem

ALICE = {"type": "entity", "name": "Alice", "entityType": "Person", "observations": ["Lives in NYC", "Age 28"]}
BOB = {"type": "entity", "name": "Bob", "entityType": "Doctor", "observations": []}
KNOWS = {"type": "relation", "from": "Alice", "to": "Bob", "relationType": "knows"}
ITSELF = {**KNOWS, "to": "Alice"}


def write(path: Path, *lines: object) -> Path:
    texts = (line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines)
    path.write_text("\n".join(texts), encoding="utf-8")
    return path


def records(path: Path) -> list[Any]:
    return [one for one in read(path, lambda: False) if not isinstance(one, Position)]


@pytest.mark.parametrize(
    "lines",
    [
        (ALICE,),
        (KNOWS,),
        ({"type": "_aim", "source": "mcp-knowledge-graph"}, ALICE),
        ({"name": "Alice", "entityType": "Person", "observations": []},),
    ],
)
def test_it_is_recognised(tmp_path: Path, lines: tuple[object, ...]) -> None:
    assert detect(write(tmp_path / "memory.jsonl", *lines)) == "mcp-memory"


def test_broken_lines_are_left_out_and_named(tmp_path: Path) -> None:
    path = write(
        tmp_path / "memory.jsonl",
        ALICE,
        "{broken",
        "[]",
        "7",
        {"name": "", "entityType": "x", "observations": []},
        {"name": 5, "entityType": "x"},
        {"name": "n" * 5000, "entityType": "x"},
        {"name": "Carol", "entityType": None, "observations": ["fine", 5, None, {}]},
        {"from": "A", "to": "A", "relationType": "is"},
        {"from": "A", "to": None, "relationType": "is"},
        "",
    )
    found = records(path)
    assert sum(isinstance(one, Problem) for one in found) == 8  # an entity may be related to itself
    assert [one.content for one in found if isinstance(one, MemoryRecord)] == ["Lives in NYC", "Age 28", "fine"]


def test_an_end_without_a_line_of_its_own_is_made(tmp_path: Path) -> None:
    found = records(write(tmp_path / "memory.jsonl", KNOWS, ALICE))
    stored = [one.fields for one in found if isinstance(one, VaultDetail) and one.type == "entity"]
    assert [(one["name"], one["attributes"]["graph"]["listed"]) for one in stored] == [("Alice", True), ("Bob", False)]


def test_a_file_goes_in_and_comes_out_the_same(vault: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "memory.jsonl", ALICE, BOB, KNOWS, ITSELF)
    host = Host(vault, overrides={"embedding.model": "hashed"}, serve=False)
    host.start()
    try:
        report = host.ask("exchange.import", path=str(path))
        assert (report.format, report.memories, report.problem_count) == ("mcp-memory", 2, 0)
        again = host.ask("exchange.import", path=str(path))
        assert (again.memories, again.unchanged) == (0, 2)
        host.ask("note.save", content="Not of the graph")
        out = tmp_path / "out.jsonl"
        host.ask("exchange.export", path=str(out), format="mcp-memory")
        graph = host.ask("graph.read", query="nyc")
        host.ask("graph.delete_entities", names=["Alice"])
        host.ask("exchange.export", path=str(tmp_path / "rest.jsonl"), format="mcp-memory")
    finally:
        host.stop()
    lines = [json.dumps(line, separators=(",", ":")) for line in (ALICE, BOB, KNOWS, ITSELF)]
    written = out.read_text(encoding="utf-8").splitlines()
    assert written[:2] == lines[:2]
    assert sorted(written[2:]) == sorted(lines[2:])
    assert [entity.name for entity in graph.entities] == ["Alice"]
    assert (tmp_path / "rest.jsonl").read_text(encoding="utf-8") == json.dumps(BOB, separators=(",", ":"))


def test_reading_stops_when_asked(tmp_path: Path) -> None:
    assert list(read(write(tmp_path / "memory.jsonl", ALICE), lambda: True)) == []
