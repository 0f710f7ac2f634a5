"""Undo of an import: what a file states of names and relations goes with the rest, and comes back."""

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from app.host import Host

LINES = [
    {"type": "entity", "name": "Kenji Tanaka", "entityType": "person", "observations": ["He likes tea"]},
    {"type": "entity", "name": "Acme", "entityType": "organization", "observations": []},
    {"type": "relation", "from": "Kenji Tanaka", "to": "Acme", "relationType": "works at"},
    {"type": "relation", "from": "Acme", "to": "Lisbon Office", "relationType": "has"},
]


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    running = Host(vault, serve=False, overrides={"embedding.model": "hashed"})
    running.start()
    yield running
    running.stop()


def settled(host: Host, operation: str, **arguments: Any) -> Any:
    answer = host.ask(operation, **arguments)
    host.ask("vault.settle", names=True)
    return answer


def graph(host: Host) -> tuple[list[str], list[tuple[str, str, str]]]:
    graph = host.ask("graph.read")
    relations = [(relation.source, relation.type, relation.target) for relation in graph.relations]
    return sorted(entity.name for entity in graph.entities), sorted(relations)


@pytest.fixture
def memory_file(tmp_path: Path) -> Path:
    path = tmp_path / "memory.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES), encoding="utf-8")
    return path


def test_names_and_relations_go_with_their_import_and_come_back(host: Host, memory_file: Path) -> None:
    run = settled(host, "exchange.import", path=str(memory_file)).run_id
    stated = graph(host)
    assert stated[1] == [("Acme", "has", "Lisbon Office"), ("Kenji Tanaka", "works at", "Acme")]
    undone = settled(host, "memory.undo", run_id=run)
    assert graph(host) == ([], [])
    assert host.ask("entity.list") == []
    assert host.ask("memory.list") == []
    settled(host, "memory.undo", history_ids=undone)
    assert graph(host) == stated
    settled(host, "memory.undo", run_id=run)
    # After an undo, a redo and another undo the file still brings back what it states.
    assert settled(host, "exchange.import", path=str(memory_file)).memories == 1
    assert graph(host) == stated
    assert settled(host, "exchange.import", path=str(memory_file)).run_id == ""


def test_what_texts_say_of_a_name_survives_the_undo_of_an_import(host: Host, memory_file: Path) -> None:
    settled(host, "note.save", content="I met Mr. Kenji Tanaka in Lisbon.")
    before = [(row.name, row.mentions) for row in host.ask("entity.list", order="name")]
    assert ("Kenji Tanaka", 1) in before
    run = settled(host, "exchange.import", path=str(memory_file)).run_id
    settled(host, "memory.undo", run_id=run)
    assert [(row.name, row.mentions) for row in host.ask("entity.list", order="name")] == before
    settled(host, "note.save", content="Mr. Kenji Tanaka called again.")
    (kenji,) = [row for row in host.ask("entity.list") if row.name == "Kenji Tanaka"]
    assert kenji.mentions == 2


def test_what_a_person_decided_since_stays(host: Host, memory_file: Path) -> None:
    run = settled(host, "exchange.import", path=str(memory_file)).run_id
    (kenji,) = [row for row in host.ask("entity.list") if row.name == "Kenji Tanaka"]
    host.ask("entity.rename", id=kenji.id, name="Kenji T.")
    settled(host, "memory.undo", run_id=run)
    assert host.ask("entity.info", id=kenji.id).entity.name == "Kenji T."


def test_the_past_of_a_name_comes_along_with_the_history(host: Host, tmp_path: Path, memory_file: Path) -> None:
    settled(host, "exchange.import", path=str(memory_file))
    (kenji,) = [row for row in host.ask("entity.list") if row.name == "Kenji Tanaka"]
    host.ask("entity.rename", id=kenji.id, name="Kenji T.")
    time.sleep(0.01)  # the history keeps milliseconds
    then = datetime.now(UTC)
    time.sleep(0.01)
    host.ask("entity.rename", id=kenji.id, name="Kenji of Lisbon")
    host.ask("exchange.export", path=str(tmp_path / "all.jsonl"), history=True)
    other = Host(tmp_path / "other", serve=False, overrides={"embedding.model": "hashed"})
    other.start()
    try:
        settled(other, "exchange.import", path=str(tmp_path / "all.jsonl"))
        for vault in (host, other):
            past = vault.ask("entity.info", id=kenji.id, as_of=then)
            assert (past.entity.name, [relation.object for relation in past.relations]) == ("Kenji T.", ["Acme"])
    finally:
        other.stop()


def test_an_import_of_our_own_export_is_undone_with_its_names(host: Host, tmp_path: Path, memory_file: Path) -> None:
    settled(host, "exchange.import", path=str(memory_file))
    stated = graph(host)
    host.ask("exchange.export", path=str(tmp_path / "all.jsonl"), history=True)
    other = Host(tmp_path / "other", serve=False, overrides={"embedding.model": "hashed"})
    other.start()
    try:
        run = settled(other, "exchange.import", path=str(tmp_path / "all.jsonl")).run_id
        assert graph(other) == stated
        settled(other, "memory.undo", run_id=run)
        assert graph(other) == ([], [])
        settled(other, "exchange.import", path=str(tmp_path / "all.jsonl"))
        assert graph(other) == stated
    finally:
        other.stop()
