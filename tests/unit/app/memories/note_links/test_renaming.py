"""Renaming: links in other notes follow, in every form they are written in, and come back when it is undone."""

from pathlib import Path
from typing import Any

import pytest

from app.host import Host
from app.memories.model import Memory
from tests.helpers.access import EVERYTHING
from tests.unit.app.memories.conftest import MemoryHarness


def rename(harness: MemoryHarness, memory: Memory, title: str) -> Any:
    return harness.do(harness.service.update(EVERYTHING, memory.id, memory.version, title=title))


def content_of(harness: MemoryHarness, memory: Memory) -> str:
    text: str = harness.do(harness.reads.get(EVERYTHING, memory.id)).content
    return text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("See [[Rosa]] and [[ROSA|her]].", "See [[Tall rose]] and [[Tall rose|her]]."),
        ("![[Rosa#Soil]] [[rosa#Soil|soil]]", "![[Tall rose#Soil]] [[Tall rose#Soil|soil]]"),
        ("[[Plants/Rosa]]", "[[Plants/Tall rose]]"),
        ("| [[Rosa\\|her]] |", "| [[Tall rose\\|her]] |"),
        ("[Rosa](Rosa.md) [her](plants/Rosa.md#soil)", "[Tall rose](Tall%20rose.md) [her](plants/Tall%20rose.md#soil)"),
        ('[her](<Rosa.md> "a rose")', '[her](<Tall rose.md> "a rose")'),
        ("---\nup: '[[Rosa]]'\n---\ntext", "---\nup: '[[Tall rose]]'\n---\ntext"),
        ("`[[Rosa]]` \\[[Rosa]] [[Rosarium]] [x](Rosarium.md) Rosa", None),
        ("```\n[[Rosa]]\n```\n[[Rosa]]", "```\n[[Rosa]]\n```\n[[Tall rose]]"),
        ("[Rosa](https://example.org/Rosa.md) [[Rosa]]", "[Rosa](https://example.org/Rosa.md) [[Tall rose]]"),
    ],
)
def test_links_follow_a_new_title_exactly(harness: MemoryHarness, before: str, after: str | None) -> None:
    rosa = harness.save("red", title="Rosa")
    linking = harness.save(before, title="Garden")
    rename(harness, rosa, "Tall rose")
    assert content_of(harness, linking) == (before if after is None else after)
    found = [link.memory_id for link in harness.do(harness.reads.links(EVERYTHING, rosa.id)).backlinks]
    assert found == ([] if after is None else [linking.id])


@pytest.mark.parametrize("title", ["A [draft] | 2", "A#b", "Taken", "^x"])
def test_a_title_that_no_link_can_name_is_linked_by_id(harness: MemoryHarness, title: str) -> None:
    harness.save("another", title="Taken")
    harness.clock.ms += 1000
    rosa = harness.save("red", title="Rosa")
    linking = harness.save("[[Rosa]] [Rosa](Rosa.md)", title="Garden")
    rename(harness, rosa, title)
    assert f"[[{rosa.id}|" in content_of(harness, linking)
    assert f"]({rosa.id})" in content_of(harness, linking)
    assert [link.memory_id for link in harness.do(harness.reads.links(EVERYTHING, rosa.id)).backlinks] == [linking.id]


def test_a_path_title_keeps_its_markdown_links(harness: MemoryHarness) -> None:
    rosa = harness.save("red", title="Rosa")
    linking = harness.save("[x](Rosa.md)", title="Garden")
    rename(harness, rosa, "A/B? 100%")
    assert content_of(harness, linking) == f"[x]({rosa.id})"


def test_front_matter_of_imports_follows(harness: MemoryHarness) -> None:
    rosa = harness.save("red", title="Rosa")
    attributes = {"up": "[[Rosa]]", "near": ["[Rosa](Rosa.md)", {"deep": "[[rosa|r]]"}, 3], "plain": "Rosa"}
    linking = harness.save("text", title="Garden", attributes=attributes)
    rename(harness, rosa, "Rose")
    stored = harness.do(harness.reads.get(EVERYTHING, linking.id)).attributes
    assert stored == {"up": "[[Rose]]", "near": ["[Rose](Rose.md)", {"deep": "[[Rose|r]]"}, 3], "plain": "Rosa"}


def test_a_link_by_title_to_another_note_of_that_title_stays(harness: MemoryHarness) -> None:
    first = harness.save("first", title="Rosa")
    harness.clock.ms += 1000
    second = harness.save("second", title="Rosa")
    linking = harness.save("[[Rosa]]", title="Garden")
    rename(harness, second, "Other")
    assert content_of(harness, linking) == "[[Rosa]]"
    assert [link.memory_id for link in harness.do(harness.reads.links(EVERYTHING, first.id)).backlinks] == [linking.id]


def test_notes_of_stores_the_caller_does_not_see_stay(harness: MemoryHarness) -> None:
    rosa = harness.save("red", title="Rosa", store="shared")
    hidden = harness.save("[[Rosa]]", title="Mine", store="private")
    harness.do(harness.service.update(EVERYTHING.within(("shared",)), rosa.id, rosa.version, title="Rose"))
    assert content_of(harness, hidden) == "[[Rosa]]"


def test_links_by_id_are_seen_from_both_ends(harness: MemoryHarness) -> None:
    rosa = harness.save("red", title="Rosa")
    garden = harness.save(f"[r]({rosa.id}) [s](keepsake://memory/{rosa.id}) [[{rosa.id}|x]]", title="Garden")
    assert [link.memory_id for link in harness.do(harness.reads.links(EVERYTHING, garden.id)).outgoing] == [rosa.id]
    assert [link.memory_id for link in harness.do(harness.reads.links(EVERYTHING, rosa.id)).backlinks] == [garden.id]
    assert harness.do(harness.reads.resolve(EVERYTHING, f"keepsake://memory/{rosa.id}", source=garden.id)) == rosa.id
    assert harness.do(harness.reads.resolve(EVERYTHING, "Rosa.md#soil", source=garden.id)) == rosa.id
    for nothing in ("https://example.org/Rosa.md", "Rosa.png", "", "note-0"):
        assert harness.do(harness.reads.resolve(EVERYTHING, nothing, source=garden.id)) is None


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("# Roses\n\nred", "Roses"),
        ("---\n# no title\na: b\n---\n\n# **Roses** #\nred", "Roses"),
        ("## Roses\nred", "Roses"),
        ("text\n\n# Roses", "Roses"),
        ("text\n\n## Roses", ""),
        ("```\n# no\n```\ntext", ""),
        ("#tag only", ""),
        ("#", ""),
        ("# " + "x" * 3000, "x" * 1000),
    ],
)
def test_a_note_without_title_is_called_by_its_heading(harness: MemoryHarness, content: str, title: str) -> None:
    assert harness.save(content).title == title
    assert harness.save(content, title="Given").title == "Given"
    assert harness.save(content, kind="fact").title == ""


def test_a_title_that_is_the_heading_follows_it(harness: MemoryHarness) -> None:
    note = harness.save("# Roses\nred")
    linking = harness.save("[[Roses]]")
    note = harness.do(harness.service.update(EVERYTHING, note.id, note.version, content="# Red roses\nred")).value
    assert note.title == "Red roses"
    assert content_of(harness, linking) == "[[Red roses]]"
    note = harness.do(harness.service.update(EVERYTHING, note.id, note.version, title="Mine")).value
    note = harness.do(harness.service.update(EVERYTHING, note.id, note.version, content="# Other\nred")).value
    assert note.title == "Mine"
    note = harness.do(harness.service.update(EVERYTHING, note.id, note.version, title="")).value
    assert note.title == "Other"


def test_one_undo_takes_title_and_links_back(tmp_path: Path) -> None:
    host = Host(tmp_path / "vault", serve=False, overrides={"embedding.model": "hashed"})
    host.start()
    try:
        rosa = host.ask("note.save", title="Rosa", content="red, see [[Rosa]]")
        linking = [host.ask("note.save", title=f"G{n}", content="[[Rosa]]") for n in range(3)]
        reply = host.call("note.update", {"id": rosa.id, "version": rosa.version, "title": "Rose"}).result()
        assert reply.changes is not None
        assert reply.value.content == "red, see [[Rose]]"
        assert set(reply.changes.ids) == {rosa.id, *(one.id for one in linking)}
        assert {host.ask("note.get", id=one.id).content for one in linking} == {"[[Rose]]"}
        host.ask("memory.undo", history_ids=list(reply.changes.history_ids))
        assert {host.ask("note.get", id=one.id).content for one in linking} == {"[[Rosa]]"}
        back = host.ask("note.get", id=rosa.id)
        assert (back.title, back.content) == ("Rosa", "red, see [[Rosa]]")
    finally:
        host.stop()


def test_the_first_words_of_a_note_are_not_its_front_matter(harness: MemoryHarness) -> None:
    harness.save("---\na: b\n---\nRed roses", title="Rosa")
    (row,) = harness.do(harness.reads.rows(EVERYTHING, [harness.do(harness.reads.resolve(EVERYTHING, "Rosa"))]))
    assert row.preview == "Red roses"
