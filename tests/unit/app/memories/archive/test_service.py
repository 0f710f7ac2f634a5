"""The archive: out of every list and search, whole, back exactly as it was, undone and redone like any change."""

from typing import Any

import apsw
import pytest

from app.api.caller import Caller
from app.errors import AccessDeniedError, InputError, NotFoundError, StaleError
from app.host import Host
from app.memories.archive import archive_repo
from tests.helpers.engine import engine_of


def rows(host: Host, sql: str, *values: object) -> list[Any]:
    engine = engine_of(host)
    return host.submit(engine.store.read(lambda conn: conn.execute(sql, values).fetchall())).result()


def write(host: Host, sql: str, *values: object) -> None:
    engine = engine_of(host)
    host.submit(engine.store.write(lambda conn: conn.execute(sql, values).fetchall())).result()


def everything(host: Host, memory_id: str) -> dict[str, list[Any]]:
    """Return every row of a memory, all columns."""
    requested = {
        "memories": "SELECT * FROM memories WHERE id = ?",
        "tags": "SELECT * FROM memory_tags WHERE memory_id = ? ORDER BY position",
        "links": "SELECT * FROM memory_links WHERE memory_id = ? ORDER BY relation, target_key",
        "sources": "SELECT * FROM memory_sources WHERE memory_id = ? ORDER BY source_id",
        "claims": "SELECT * FROM entity_claims WHERE owner_id = ?",
        "chunks": "SELECT text, grams, store, role FROM chunk_texts WHERE memory_id = ? ORDER BY seq_start",
    }
    return {name: rows(host, sql, memory_id) for name, sql in requested.items()}


def save_rich(host: Host) -> str:
    """Store a memory with everything that can hang on one, counters among it."""
    note = host.ask(
        "note.save",
        content="The heron of [[Garden]] #bird 我们的花园",
        title="Heron",
        tags=["pond"],
        attributes={"a": [1]},
    )
    write(host, "UPDATE memories SET access_count = 7, last_accessed = 5, event_time = 3 WHERE id = ?", note.id)
    write(host, "INSERT INTO memory_sources VALUES (?, 'message', 'talk#1'), (?, 'memory', 'obs-1')", note.id, note.id)
    for name in ("one", "two"):
        write(
            host,
            "INSERT INTO entities (id, canonical_name, name_key, type, created_at, updated_at, touched)"
            " VALUES (?, ?, ?, 'person', 0, 0, 1)",
            f"ent-{name}", name, name,
        )  # fmt: skip
    write(host, "INSERT INTO entity_claims VALUES ('memory', ?, 'ent-one', 'ent-two')", note.id)
    return note.id


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("archive.put", {}),
        ("archive.put", {"older_than_days": -1}),
        ("archive.put", {"older_than_days": 1, "states": ["gone"]}),
        ("archive.get", {"id": "note-none"}),
        ("archive.get", {"id": "\ud800"}),
        ("archive.restore", {"id": ""}),
        ("archive.clean", {"older_than_days": -1}),
        ("archive.clean", {}),
    ],
)
def test_what_cannot_be_meant(host: Host, operation: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        host.ask(operation, **arguments)


def test_what_is_not_there_is_left_out(host: Host) -> None:
    moved = host.ask("archive.put", ids=["note-none", "\ud800"]).ids
    assert moved == ()


def test_there_and_back_is_exact(host: Host) -> None:
    note_id = save_rich(host)
    before, shown = everything(host, note_id), host.ask("note.get", id=note_id)
    assert host.ask("archive.put", ids=[note_id, note_id], reason="tidy").ids == (note_id,)
    assert not any(everything(host, note_id).values())
    assert host.ask("note.list") == []
    assert host.ask("memory.search", query="heron").hits == ()
    assert host.ask("archive.get", id=note_id).memory == shown
    [listed] = host.ask("archive.list", text="HERON garden", kinds=["note"])
    assert (listed.id, listed.title, listed.reason, listed.was_deleted) == (note_id, "Heron", "tidy", False)
    assert host.ask("archive.list", text="kingfisher") == []
    assert host.ask("vault.check").findings == ()
    assert host.ask("archive.restore", id=note_id) == shown
    assert everything(host, note_id) == before
    assert host.ask("archive.list") == []
    assert host.ask("vault.check").findings == ()
    assert [entry.event for entry in host.ask("memory.history", target=note_id)] == ["RESTORE", "ARCHIVE", "ADD"]


def test_undo_and_redo(host: Host) -> None:
    note_id = save_rich(host)
    before = everything(host, note_id)
    host.ask("archive.put", ids=[note_id])
    entry = host.ask("memory.history", target=note_id)[0].id
    undone = host.ask("memory.undo", history_ids=[entry])
    back = everything(host, note_id)
    assert {name: back[name] for name in back if name != "memories"} == {
        n: before[n] for n in before if n != "memories"
    }
    redone = host.ask("memory.undo", history_ids=undone)
    assert [item.id for item in host.ask("archive.list")] == [note_id]
    assert host.ask("memory.history", target=note_id)[0].event == "ARCHIVE"
    host.ask("memory.undo", history_ids=redone)
    assert everything(host, note_id)["claims"] == before["claims"]
    assert host.ask("vault.check").findings == ()


def test_the_trash_is_archived_and_comes_back_as_trash(host: Host) -> None:
    note = host.ask("note.save", content="gone heron")
    host.ask("note.delete", id=note.id)
    before = everything(host, note.id)
    assert host.ask("archive.put", older_than_days=1).ids == ()
    assert host.ask("archive.put", older_than_days=0).ids == (note.id,)
    [item] = host.ask("archive.list")
    assert item.was_deleted
    entry = host.ask("memory.history", target=note.id)[0].id
    host.ask("memory.undo", history_ids=[entry])
    assert everything(host, note.id) == before
    host.ask("archive.put", ids=[note.id])
    host.ask("archive.restore", id=note.id)
    assert everything(host, note.id) == before


def test_what_is_due(host: Host) -> None:
    def fact(content: str, **columns: int) -> str:
        memory = host.ask("note.save", content=content)
        columns = {"updated_at": 0, **columns}
        changes = ", ".join(f"{name} = {value}" for name, value in columns.items())
        write(host, f"UPDATE memories SET kind = 'fact', {changes} WHERE id = ?", memory.id)
        return memory.id

    old, deleted = fact("old"), fact("deleted", valid_until=5)
    fact("read of late", last_accessed=1 << 50)
    fact("pinned", pinned=1)
    host.ask("note.save", content="a note is never merely old")
    assert host.ask("archive.put", older_than_days=1).ids == (deleted,)
    assert host.ask("archive.put", older_than_days=1, states=["old"], limit=1).ids == (old,)
    assert host.ask("archive.put", older_than_days=1, states=["old", "deleted"]).ids == ()


def test_what_has_expired_is_due_although_nobody_deleted_it(host: Host) -> None:
    note = host.ask("note.save", content="short-lived").id

    def work(conn: apsw.Connection) -> list[str]:
        conn.execute("UPDATE memories SET expires_at = 5 WHERE id = ?", (note,))
        return archive_repo.due(conn, 10, ["expired"], 9) + archive_repo.due(conn, 5, ["expired"], 9)

    assert host.submit(engine_of(host).store.write(work)).result() == [note]


def test_others_do_not_know_of_it(host: Host) -> None:
    private = host.ask("note.save", content="mine").id
    shared = host.ask("note.save", content="ours", store="shared").id
    host.ask("archive.put", ids=[private, shared])
    inner = Caller("agent", "inner")
    assert [item.id for item in host.call("archive.list", {}, inner).result().value] == [shared]
    for operation in ("archive.get", "archive.restore"):
        with pytest.raises(NotFoundError):
            host.call(operation, {"id": private}, inner).result()
    with pytest.raises(AccessDeniedError):
        host.call("archive.put", {"ids": [shared]}, inner).result()
    assert host.call("archive.restore", {"id": shared}, inner).result().value.id == shared


def test_an_id_is_not_given_away_and_a_place_taken_is_not_taken_back(host: Host) -> None:
    note = host.ask("note.save", content="first", id="mine")
    host.ask("archive.put", ids=[note.id])
    with pytest.raises(InputError, match="already a memory"):
        host.ask("note.save", content="second", id="mine")
    write(host, "UPDATE memories SET kind = kind")
    host.ask("archive.restore", id="mine")
    write(host, "UPDATE memories SET kind = 'fact', category = 'c', key = 'k' WHERE id = 'mine'")
    host.ask("archive.put", ids=["mine"])
    other = host.ask("note.save", content="other").id
    write(host, "UPDATE memories SET kind = 'fact', category = 'c', key = 'k' WHERE id = ?", other)
    with pytest.raises(InputError, match="taken the place"):
        host.ask("archive.restore", id="mine")
    entry = host.ask("memory.history", target="mine")[0].id
    with pytest.raises(StaleError):
        host.ask("memory.undo", history_ids=[entry])
    assert [item.id for item in host.ask("archive.list")] == ["mine"]


def test_earlier_changes_wait_until_it_is_back(host: Host) -> None:
    note = host.ask("note.save", content="first")
    host.ask("note.update", id=note.id, version=1, title="Named")
    entry = host.ask("memory.history", target=note.id)[0].id
    host.ask("archive.put", ids=[note.id])
    with pytest.raises(StaleError, match="archive"):
        host.ask("memory.undo", history_ids=[entry])
    host.ask("archive.restore", id=note.id)
    host.ask("memory.undo", history_ids=[entry])
    assert host.ask("note.get", id=note.id).title == ""


def test_many_go_as_one_run(host: Host) -> None:
    ids = [host.ask("note.save", content=f"heron {number}").id for number in range(120)]
    moved = host.ask("archive.put", ids=ids)
    assert sorted(moved.ids) == sorted(ids)
    host.ask("memory.undo", run_id=moved.run_id)
    assert len(host.ask("note.list", limit=200)) == 120
    assert host.ask("vault.check").findings == ()


def test_cleaning_spares_notes_and_the_young(host: Host) -> None:
    note, fact, young = (host.ask("note.save", content=f"heron {number}").id for number in range(3))
    write(host, "UPDATE memories SET kind = 'fact' WHERE id IN (?, ?)", fact, young)
    host.ask("archive.put", ids=[note, fact, young])
    write(host, "UPDATE memory_archive SET archived_at = 0 WHERE id <> ?", young)
    assert host.ask("archive.clean", older_than_days=1) == 1
    assert {item.id for item in host.ask("archive.list")} == {note, young}
    assert host.ask("memory.history", target=fact)[0].event == "ARCHIVE"
