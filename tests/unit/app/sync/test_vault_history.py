"""What one machine wrote folds into what it has, entry by entry."""

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from app.entities.entity_state import EntityApplier
from app.history.undo import StateApplier
from app.host import Host
from app.index.indexer import Indexer
from app.memories.history_applier import MemoryApplier
from app.sessions.session_applier import SessionApplier
from app.store.connection import open_reader
from app.store.store import DATABASE
from app.sync.folding.fold import fold_row
from app.sync.segments import capture

APPLIERS: Mapping[str, StateApplier] = {
    "memory": MemoryApplier(Indexer()),
    "entity": EntityApplier(),
    "session": SessionApplier(Indexer()),
}


def write(host: Host) -> None:
    """Do with notes, facts, names and conversations what a person does."""
    note = host.ask("note.save", title="Roses", content="Water them\n#garden Ann Miller")
    note = host.ask("note.update", id=note.id, version=note.version, content="Water them\n#garden\nAnd cut them")
    host.ask("note.update", id=note.id, version=note.version, store="shared", pinned=True)
    host.ask("note.delete", id=note.id)
    host.ask("note.restore", id=note.id)
    host.ask("archive.put", ids=[note.id], reason="old")
    host.ask("archive.restore", id=note.id)
    for value in ("Rome", "Paris"):
        fact = host.ask("fact.set", category="home", key="city", value=value).fact
    host.ask("fact.confirm", id=fact.id)
    host.ask("session.append", session="s", messages=[{"role": "user", "content": "Hello"}])
    host.ask("session.rename", session="s", title="Greeting")
    host.ask("session.forget", session="s")
    names = [{"name": name, "type": "person", "observations": [f"{name} likes tea"]} for name in ("Ann", "Bob")]
    host.ask("graph.create_entities", entities=names)
    entries = host.ask("memory.history", limit=9)
    bob, ann = (entry.target for entry in entries if entry.target_kind == "entity")
    host.ask("entity.rename", id=ann, name="Anna")
    host.ask("entity.merge", ids=[ann], into=bob)
    search = host.ask("saved_search.save", name="Tea", query="tag:tea")
    host.ask("saved_search.rename", id=search.id, name="All tea")
    host.ask("note.delete", id=note.id)


def check(vault: Path) -> set[str]:
    """Compare each row with the fold of its changes; return the events of all."""
    events = set()
    with closing(open_reader(vault / DATABASE)) as connection:
        rows = connection.execute("SELECT DISTINCT target_kind, target FROM memory_history").fetchall()
        for kind, target in rows:
            changes = capture.changes_of_row(connection, str(kind), str(target))
            folded = fold_row(changes)
            assert (folded.kept, folded.notices) == ((), ())
            after = changes[-1].after
            if after is None or kind in ("memory", "entity"):
                assert folded.state == after
            else:
                assert {name: (folded.state or {})[name] for name in after} == after
            if kind in APPLIERS and folded.state is not None:
                current = APPLIERS[str(kind)].current(connection, str(target)) or {}
                assert {name: current.get(name) for name in folded.state} == folded.state
            events |= {f"{kind} {change.event}" for change in changes}
    return events


def test_what_one_machine_wrote_undid_and_did_again_is_what_it_has(vault: Path, host: Host) -> None:
    write(host)
    assert {
        "memory ADD", "memory UPDATE", "memory DELETE", "memory RESTORE", "memory ARCHIVE", "memory CONFIRM",
        "session RENAME", "session FORGET", "entity ADD", "entity MERGE", "saved_search RENAME",
    } <= check(vault)  # fmt: skip
    for step in ("undo", "redo"):
        for _ in range(9):
            host.ask("history.step", step=step)
        check(vault)
