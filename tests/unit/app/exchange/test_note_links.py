"""Links between imported notes: Markdown links lead where wiki links do, from both ends."""

from pathlib import Path
from typing import Any

import pytest

from app.host import Host
from tests.helpers.archives import unpack

NOTES = {
    "README.md": "# My [garden](plants/rose.md)\n\nSee [roses](plants/rose.md) and [[tulip]].",
    "plants/README.md": "# Plants\n\n[up](../README.md) [a rose](<rose.md>)",
    "plants/rose.md": "[Tulips](red%20ones/tulip.md#Soil) [gone](gone.md) [web](https://example.org/x.md)",
    "plants/red ones/tulip.md": "# A heading\n\nBack to [plants](../README.md)",
    "20230101123000.md": "# Thoughts",
    "daily.md": "[[20230101123000]]",
}


def outgoing(host: Host, note_id: str) -> list[tuple[str, bool]]:
    links = host.ask("note.links", id=note_id).outgoing
    return sorted((link.title, bool(link.memory_id)) for link in links)


def sources(host: Host, note_id: str) -> list[str]:
    return sorted(link.title for link in host.ask("note.links", id=note_id).backlinks)


def notes(host: Host) -> dict[str, Any]:
    """Return the ids of all notes by title."""
    return {row.title: row.id for row in host.ask("note.list", limit=1_000)}


@pytest.fixture
def garden(host: Host, tmp_path: Path) -> dict[str, Any]:
    folder = tmp_path / "garden"
    for name, text in NOTES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    host.ask("exchange.import", path=str(folder))
    return notes(host)


def test_files_with_names_that_say_nothing_are_titled_by_their_heading(garden: dict[str, Any]) -> None:
    assert sorted(garden) == ["My garden", "Plants", "Thoughts", "daily", "rose", "tulip"]


def test_markdown_links_lead_to_the_files_they_name(host: Host, garden: dict[str, Any]) -> None:
    assert outgoing(host, garden["My garden"]) == [("rose", True), ("tulip", True)]
    assert outgoing(host, garden["Plants"]) == [("My garden", True), ("rose", True)]
    assert outgoing(host, garden["rose"]) == [("gone", False), ("tulip", True)]
    assert outgoing(host, garden["tulip"]) == [("Plants", True)]
    assert outgoing(host, garden["daily"]) == [("Thoughts", True)]
    assert sources(host, garden["rose"]) == ["My garden", "Plants"]
    assert sources(host, garden["Plants"]) == ["tulip"]
    assert sources(host, garden["Thoughts"]) == ["daily"]


def test_links_by_file_survive_a_new_title(host: Host, garden: dict[str, Any]) -> None:
    rose = host.ask("note.get", id=garden["rose"])
    host.ask("note.update", id=rose.id, version=rose.version, title="Rosa", content=rose.content)
    assert sources(host, rose.id) == ["My garden", "Plants"]


def test_notes_come_back_as_they_were(host: Host, garden: dict[str, Any], tmp_path: Path) -> None:
    host.ask("exchange.export", path=str(tmp_path / "out"), format="markdown")
    for name, text in NOTES.items():
        assert (tmp_path / "out" / "notes" / name).read_text() == text


@pytest.mark.parametrize(("name", "least"), [("nikita-knowledge", 1_500), ("kepano-obsidian", 50)])
def test_links_of_a_real_vault_are_resolved(
    host: Host, shared_data: Path, tmp_path: Path, name: str, least: int
) -> None:
    unpack(shared_data / "vaults" / f"{name}.tar.gz", tmp_path / "in")
    host.ask("exchange.import", path=str(tmp_path / "in" / name))
    every = [link for note_id in notes(host).values() for link in host.ask("note.links", id=note_id).outgoing]
    assert sum(1 for link in every if link.memory_id) >= least
