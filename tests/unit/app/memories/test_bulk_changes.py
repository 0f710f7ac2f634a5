"""Bulk changes of notes: store and pin of many, merging, and undoing each as one."""

import pytest

from app.api.caller import Caller
from app.errors import InputError, NotFoundError
from app.host import Host
from app.memories.bulk_changes import BATCH


def _note(host: Host, title: str, content: str, **known: object) -> str:
    return str(host.ask("note.save", title=title, content=content, **known).id)


@pytest.mark.parametrize("count", [0, 1, 101])
def test_too_few_or_too_many_cannot_be_merged(host: Host, count: int) -> None:
    with pytest.raises(InputError, match="can be merged"):
        host.ask("note.merge", ids=[f"note-{n}" for n in range(count)])


def test_only_active_notes_can_be_merged(host: Host) -> None:
    note = _note(host, "Roses", "Red")
    fact = host.ask("fact.remember", content="Roses need light").memory.id
    gone = _note(host, "Old", "Gone")
    host.ask("note.delete", id=gone)
    with pytest.raises(InputError, match="Only notes"):
        host.ask("note.merge", ids=[note, fact])
    for other in (gone, "note-unknown"):
        with pytest.raises(NotFoundError):
            host.ask("note.merge", ids=[note, other])
    assert host.ask("note.get", id=note).content == "Red"


def test_a_note_in_a_store_one_does_not_see_is_not_found(host: Host) -> None:
    shared = _note(host, "Shared", "One", store="shared")
    private = _note(host, "Private", "Two", store="private")
    helper = Caller("helper", "inner")
    with pytest.raises(NotFoundError):
        host.call("note.merge", {"ids": [shared, private]}, helper).result()
    assert host.call("note.change_many", {"ids": [private], "pinned": True}, helper).result().value == ()


def test_merging_joins_texts_tags_and_links_and_is_undone_as_one(host: Host) -> None:
    first = _note(host, "Roses", "Red", tags=["garden"], store="shared")
    second = _note(host, "Soil", "Dark", tags=["earth"], store="private")
    third = _note(host, "Worms", "# Worms\n\nMany")
    linking = _note(host, "Links", "See [[Soil]].")
    reply = host.call("note.merge", {"ids": [first, second, third]}).result()
    merged = reply.value
    assert merged.id == first
    assert merged.content == "Red\n\n## Soil\n\nDark\n\n# Worms\n\nMany"
    assert merged.tags == ("garden", "earth")
    assert merged.store == "private"
    assert host.ask("note.resolve", title="Soil") == first
    assert [link.memory_id for link in host.ask("note.links", id=first).backlinks] == [linking]
    assert set(host.ask("note.ids", filter={"deleted": True})) == {second, third}
    host.ask("memory.undo", history_ids=list(reply.changes.history_ids))
    assert host.ask("note.get", id=first).content == "Red"
    assert host.ask("note.get", id=first).store == "shared"
    assert host.ask("note.resolve", title="Soil") == second
    assert host.ask("note.ids", filter={"deleted": True}) == []


def test_a_merged_note_may_get_another_title(host: Host) -> None:
    ids = [_note(host, "Roses", "Red"), _note(host, "", "Untitled words")]
    merged = host.ask("note.merge", ids=ids, title="Garden")
    assert (merged.title, merged.content) == ("Garden", "Red\n\n---\n\nUntitled words")


def test_store_and_pin_of_many_change_as_one_run(host: Host) -> None:
    ids = [_note(host, f"Note {n}", "Text", store="private") for n in range(BATCH + 3)]
    pinned = host.call("note.change_many", {"ids": [*ids, "note-unknown"], "pinned": True}).result()
    assert set(pinned.value) == set(ids)
    moved = host.call("note.change_many", {"ids": ids, "store": "shared"}).result()
    assert all(host.ask("note.get", id=identity).store == "shared" for identity in ids)
    host.ask("memory.undo", history_ids=list(moved.changes.history_ids))
    assert all(
        (n.store, n.pinned) == ("private", True) for n in (host.ask("note.get", id=identity) for identity in ids)
    )
    assert host.ask("note.change_many", ids=ids, pinned=True) == ()
