"""Two machines of one person agree on everything once each has heard of the other."""

import asyncio
import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.core.declared_operations import declared_operations
from app.errors import InputError, MachineError, NotFoundError
from app.sync.model import SyncReport
from app.sync.removal_guard import LEAST
from app.sync.sealing import sealed_object
from app.sync.segments import lane_rows, lane_segment
from app.sync.segments.change import ERASE
from tests.helpers.engine import engine_of
from tests.helpers.guards.unexpected_logs import AllowLogs
from tests.integration.sync.machines import Machine, machines_in, settle, share

if TYPE_CHECKING:
    from app.changes import Event

STRANGE = {
    "hlc": 1, "n": 1, "at": 1, "actor": "a", "run": None, "kind": "planet", "target": "x", "event": ERASE,
    "before": None, "after": None, "undoes": None,
}  # fmt: skip


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Machine, Machine]]:
    with machines_in(tmp_path, "desktop", "laptop") as (one, other):
        yield one, other


@pytest.fixture
def joined(pair: tuple[Machine, Machine]) -> tuple[Machine, Machine]:
    share(*pair)
    return pair


def test_a_note_appears_on_the_other_machine(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    note = one.ask("note.save", content="A heron at the lake. #birds", title="Heron")
    settle(one, other)
    [found] = other.ask("memory.get", ids=[note.id]).memories
    assert (found.title, found.content, found.tags) == ("Heron", "A heron at the lake. #birds", ("birds",))
    assert [hit.id for hit in other.ask("memory.search", query="heron").hits] == [note.id]


def test_edits_of_both_are_merged_by_lines(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    note = one.ask("note.save", content="first\nsecond\nthird\n")
    settle(one, other)
    here = one.ask("memory.get", ids=[note.id]).memories[0]
    one.ask("note.update", id=note.id, version=here.version, content="first of one\nsecond\nthird\n")
    there = other.ask("memory.get", ids=[note.id]).memories[0]
    other.ask("note.update", id=note.id, version=there.version, content="first\nsecond\nthird of other\n")
    settle(one, other)
    assert one.contents() == ["first of one\nsecond\nthird of other\n"]


def test_a_vault_with_content_of_its_own_joins_without_loss(pair: tuple[Machine, Machine]) -> None:
    one, other = pair
    one.ask("note.save", content="of one")
    one.ask("session.append", session="talk", messages=[{"role": "user", "content": "hello from one"}])
    other.ask("note.save", content="of other")
    other.ask("session.append", session="talk", messages=[{"role": "user", "content": "hello from other"}])
    share(one, other)
    settle(one, other)
    assert one.contents() == ["of one", "of other"]
    assert {row[0] for row in one.rows("SELECT content FROM messages")} == {"hello from one", "hello from other"}


def test_deletion_restoration_and_undo_of_the_other_machines_edit(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    notes = [one.ask("note.save", content=f"note {number}") for number in range(3)]
    settle(one, other)
    other.ask("note.delete", id=notes[0].id)
    here = one.ask("memory.get", ids=[notes[1].id]).memories[0]
    one.ask("note.update", id=notes[1].id, version=here.version, content="note 1 edited")
    settle(one, other)
    assert one.contents() == ["note 1 edited", "note 2"]
    one.ask("note.restore", id=notes[0].id)
    [(entry,)] = other.rows("SELECT max(id) FROM memory_history WHERE target = ?", notes[1].id)
    other.ask("memory.undo", history_ids=[entry])
    settle(one, other)
    assert one.contents() == ["note 0", "note 1", "note 2"]


def test_of_two_facts_of_one_key_one_holds_everywhere(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    one.ask("fact.set", category="home", key="city", value="Riga")
    other.ask("fact.set", category="home", key="city", value="Oslo")
    settle(one, other)
    live = one.rows("SELECT id, content FROM memories WHERE kind = 'fact' AND valid_until IS NULL")
    assert len(live) == 1
    one.ask("fact.forget", id=live[0][0])
    settle(one, other)
    again = other.rows("SELECT content FROM memories WHERE kind = 'fact' AND valid_until IS NULL")
    assert [row for row in again if row[0] == live[0][1]] == []
    assert len(again) == 1


def test_conversations_of_both_go_on_in_one(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    one.ask("session.append", session="talk", messages=[{"role": "user", "content": "one 1"}], title="Talk")
    settle(one, other)
    one.ask("session.append", session="talk", messages=[{"role": "user", "content": "one 2"}])
    other.ask("session.append", session="talk", messages=[{"role": "user", "content": "other 1"}])
    settle(one, other)
    for machine in joined:
        numbers = [row[0] for row in machine.rows("SELECT seq FROM messages ORDER BY seq")]
        assert numbers == [1, 2, 3]
        assert machine.rows("SELECT message_count FROM sessions") == [(3,)]
    one.ask("session.rename", session="talk", title="Renamed")
    settle(one, other)
    other.ask("session.forget", session="talk")
    settle(one, other)
    assert one.ask("session.ids") == []


def test_projects_of_conversations_and_notes_are_those_of_the_last_change(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    note = one.ask("note.save", content="Lime.").id
    said = [{"role": "user", "content": "Lime."}]
    one.ask("session.append", session="talk", messages=said, project="alice/garden")
    settle(one, other)
    other.ask("session.set_project", session="talk", project="bob/mill")
    other.ask("note.change_many", ids=[note], project="bob/mill")
    one.ask("session.rename", session="talk", title="Renamed")
    settle(one, other)
    for machine in joined:
        assert machine.rows("SELECT title, attributes ->> '$.project' FROM sessions") == [("Renamed", "bob/mill")]
        assert machine.rows("SELECT attributes ->> '$.project' FROM memories") == [("bob/mill",)]
        assert {hit.id for hit in machine.ask("memory.search", query="project:mill").hits} == {note, "talk#1"}
    one.ask("session.set_project", session="talk", project="")
    settle(one, other)
    [(entry,)] = other.rows("SELECT id FROM memory_history WHERE target = 'talk' ORDER BY id DESC LIMIT 1")
    assert other.rows("SELECT attributes FROM sessions") == [("{}",)]
    other.ask("memory.undo", history_ids=[entry])
    settle(one, other)
    assert one.rows("SELECT attributes ->> '$.project' FROM sessions") == [("bob/mill",)]


def test_what_was_said_in_a_forgotten_conversation_is_searched_once_it_is_back(
    joined: tuple[Machine, Machine],
) -> None:
    one, other = joined
    one.ask("session.append", session="talk", messages=[{"role": "user", "content": "a heron"}])
    settle(one, other)
    one.ask("session.forget", session="talk")
    other.ask("session.append", session="talk", messages=[{"role": "user", "content": "a kingfisher"}])
    settle(one, other)
    [(entry,)] = one.rows("SELECT id FROM memory_history WHERE target = 'talk' AND event = 'FORGET'")
    one.ask("memory.undo", history_ids=[entry])
    settle(one, other)
    for machine in joined:
        assert machine.ask("vault.check").findings == ()
        assert len(machine.ask("memory.search", query="kingfisher").hits) == 1


def test_entities_schedules_and_saved_searches(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    for machine in joined:
        machine.ask("note.save", content=f"Anna Novak met Bela Kiss at Lake Como. {machine.vault.name}")
        machine.ask("vault.settle", names=True)
    [(anna,)] = one.rows("SELECT id FROM entities WHERE canonical_name = 'Anna Novak'")
    one.ask("entity.rename", id=anna, name="Anna Novakova")
    one.ask("schedule.create", goal="Water the beds", cadence={"kind": "interval", "seconds": 7200})
    other.ask("schedule.create", goal="Feed the cat", cadence={"kind": "interval", "seconds": 7200})
    one.ask("saved_search.save", query="heron", name="Birds")
    other.ask("saved_search.save", query="heron", name="Water birds")
    settle(one, other)
    assert len(other.rows("SELECT 1 FROM schedules WHERE user_id <> 'keepsake'")) == 2
    assert len(other.rows("SELECT 1 FROM saved_searches")) == 1
    [(goal,)] = one.rows("SELECT schedule_id FROM schedules WHERE goal = 'Feed the cat'")
    one.ask("schedule.delete", id=goal)
    settle(one, other)
    assert len(other.rows("SELECT 1 FROM schedules WHERE user_id <> 'keepsake' AND deleted_at IS NULL")) == 1


def test_what_one_forgets_for_ever_the_other_forgets(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    note = one.ask("note.save", content="an unforgettablesecret", title="Secret")
    kept = one.ask("note.save", content="kept")
    one.ask("session.append", session="talk", messages=[{"role": "user", "content": "unforgettablesecret talk"}])
    settle(one, other)
    events: list[Event] = []
    unsubscribe = one.host.subscribe(events.append)
    other.ask("memory.forget_forever", ids=[note.id], sessions=["talk"], confirm=True)
    settle(one, other)
    unsubscribe()
    [erasure] = [event for event in events if getattr(event, "operation", "") in declared_operations().erases]
    assert set(erasure.ids) == {note.id, "talk"}
    for machine in joined:
        assert machine.contents() == ["kept"]
        assert machine.rows("SELECT 1 FROM memory_history WHERE target = ?", note.id) == []
        assert machine.rows("SELECT count(*) FROM messages") == [(0,)]
    assert one.ask("memory.get", ids=[kept.id]).memories
    assert one.shared_texts()
    assert not [text for text in one.shared_texts() if b"unforgettablesecret" in text]


def test_forgetting_reaches_what_a_vault_wrote_before_it_was_put_back(
    joined: tuple[Machine, Machine], tmp_path: Path
) -> None:
    one, other = joined
    settle(one, other)
    one.stop()
    copy = tmp_path / "copy"
    shutil.copytree(one.vault, copy)
    put_back(one, copy)
    note = one.ask("note.save", content="an unforgettablesecret")  # in the first lane that the copy does not know
    settle(one, other)
    one.stop()
    put_back(one, copy)
    settle(one, other)
    one.ask("memory.forget_forever", ids=[note.id], confirm=True)
    settle(one, other)
    assert one.shared_texts()
    assert not [text for text in one.shared_texts() if b"unforgettablesecret" in text]


def test_three_machines_agree_whatever_the_order(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    machines = [Machine(tmp_path / name, folder) for name in ("a", "b", "c")]
    try:
        share(*machines)
        note = machines[0].ask("note.save", content="one\ntwo\nthree\nfour\n", title="Plan")
        settle(*machines)
        for number, machine in enumerate(machines):
            here = machine.ask("memory.get", ids=[note.id]).memories[0]
            lines = here.content.split("\n")
            lines[number] += f" by {number}"
            machine.ask("note.update", id=note.id, version=here.version, content="\n".join(lines))
            machine.ask("note.tag_many", ids=[note.id], add=[f"tag{number}"])
        machines[2].sync()
        machines[1].sync()
        machines[1].ask("note.delete", id=note.id)
        machines[0].sync()
        here = machines[0].ask("memory.get", ids=[note.id]).memories[0]
        machines[0].ask("note.update", id=note.id, version=here.version, content=here.content + "five\n")
        settle(*machines)
        [content] = machines[1].contents()
        assert content == "one by 0\ntwo by 1\nthree by 2\nfour\nfive\n"
        assert machines[1].rows("SELECT tag FROM memory_tags ORDER BY tag") == [("tag0",), ("tag1",), ("tag2",)]
    finally:
        for machine in machines:
            machine.stop()


def test_a_vault_that_was_put_back_gets_its_own_tail_again(joined: tuple[Machine, Machine], tmp_path: Path) -> None:
    one, other = joined
    one.ask("note.save", content="before the backup")
    settle(one, other)
    [(lanes,)] = one.rows("SELECT count(*) FROM lanes WHERE was_own")
    one.stop()
    backup = tmp_path / "backup.db"
    shutil.copy(one.vault / "memory.db", backup)
    one.start()
    one.ask("note.save", content="after the backup")
    one.ask("session.append", session="talk", messages=[{"role": "user", "content": "said after it"}])
    settle(one, other)
    one.stop()
    shutil.copy(backup, one.vault / "memory.db.new")
    (one.vault / "memory.db.new").replace(one.vault / "memory.db")
    for name in ("memory.db-wal", "memory.db-shm"):
        (one.vault / name).unlink(missing_ok=True)
    one.start()
    assert one.contents() == ["before the backup"]
    one.ask("note.save", content="after it was put back")
    settle(one, other)
    assert other.contents() == ["after it was put back", "after the backup", "before the backup"]
    assert one.rows("SELECT count(*) FROM lanes WHERE was_own") == [(lanes + 1,)]
    assert one.rows("SELECT content FROM messages") == [("said after it",)]


def test_a_copied_vault_goes_on_in_a_lane_of_its_own(joined: tuple[Machine, Machine], tmp_path: Path) -> None:
    one, other = joined
    one.ask("note.save", content="before the copy")
    one.sync()
    one.ask("note.save", content="not shared before the copy")
    one.ask("session.append", session="talk", messages=[{"role": "user", "content": "not shared either"}])
    one.stop()
    shutil.copytree(one.vault, tmp_path / "copy")
    one.start()
    copy = Machine(tmp_path / "copy", one.folder)
    try:
        copy.ask("note.save", content="in the copy")
        one.ask("note.save", content="in the first")
        settle(copy, one, other)
        expected = ["before the copy", "in the copy", "in the first", "not shared before the copy"]
        assert other.contents() == expected
        assert other.rows("SELECT content FROM messages") == [("not shared either",)]
    finally:
        copy.stop()


def test_what_is_damaged_is_named_and_loses_nothing(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    one.ask("note.save", content="first")
    one.sync()
    one.ask("note.save", content="second")
    one.sync()
    first, second = sorted(one.folder.rglob("s-*"))
    whole = second.read_bytes()
    second.write_bytes(whole[:-9])
    assert other.sync().waiting == "Changes of another machine are still being copied."
    assert other.contents() == ["first"]
    second.write_bytes(whole[:-40] + bytes([whole[-40] ^ 1]) + whole[-39:])
    assert "damaged" in other.sync().waiting
    second.write_bytes(first.read_bytes())
    assert "in the place of another" in other.sync().waiting
    other.ask("note.save", content="of the other")
    assert other.sync().added == 1
    assert other.contents() == ["first", "of the other"]
    second.write_bytes(whole)
    settle(one, other)
    assert other.contents() == ["first", "of the other", "second"]


def test_archive_and_trash_come_to_a_machine_that_joins_late(pair: tuple[Machine, Machine]) -> None:
    one, other = pair
    one.share()
    notes = [one.ask("note.save", content=f"note {number}", title=f"Note {number}") for number in range(3)]
    one.ask("note.delete", id=notes[0].id)
    one.ask("archive.put", ids=[notes[1].id])
    other.join(one)
    settle(one, other)
    assert other.contents() == ["note 2"]
    other.ask("archive.restore", id=notes[1].id)
    other.ask("note.restore", id=notes[0].id)
    settle(one, other)
    assert one.contents() == ["note 0", "note 1", "note 2"]


@pytest.mark.parametrize("renaming", [0, 1])
def test_a_name_that_stood_for_another_stands_for_itself_once_that_is_renamed(
    joined: tuple[Machine, Machine], renaming: int
) -> None:
    for machine in joined:
        machine.ask("note.save", content=f"Anna Novak met Bela Kiss at Lake Como. {machine.vault.name}")
        machine.ask("vault.settle", names=True)
        [(anna,)] = machine.rows("SELECT id FROM entities WHERE canonical_name = 'Anna Novak'")
        machine.ask("entity.rename", id=anna, name="Anna Novakova")
    settle(*joined)
    sql = "SELECT id FROM entities WHERE canonical_name = 'Anna Novakova' AND merged_into IS"
    [(standing,)] = joined[0].rows(f"{sql} NULL")
    [(merged,)] = joined[0].rows(f"{sql} NOT NULL")
    joined[renaming].ask("entity.rename", id=standing, name="Zita Lang")
    settle(*joined)
    for machine in joined:
        assert machine.rows(f"{sql} NULL") == [(merged,)]


def test_relations_between_names_come_along(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    for machine in joined:
        machine.ask("note.save", content=f"Anna Novak met Bela Kiss at Lake Como. {machine.vault.name}")
        machine.ask("vault.settle", names=True)
    ids = dict(one.rows("SELECT canonical_name, id FROM entities"))
    one.ask("entity.relate", subject=ids["Anna Novak"], predicate="knows", target=ids["Lake Como"])
    settle(one, other)
    found = other.rows("SELECT s.canonical_name, predicate, o.canonical_name FROM relations r"
                       " JOIN entities s ON s.id = subject_id JOIN entities o ON o.id = object_id")  # fmt: skip
    assert found == [("Anna Novak", "knows", "Lake Como")]
    one.ask("entity.merge", ids=[ids["Lake Como"]], into=ids["Anna Novak"])
    settle(one, other)


def test_an_export_is_the_same_before_and_after(joined: tuple[Machine, Machine], tmp_path: Path) -> None:
    one, other = joined
    one.ask("note.save", content="A heron. #birds", title="Heron")
    one.ask("session.append", session="talk", messages=[{"role": "user", "content": "hello"}])
    paths = [tmp_path / f"{number}.jsonl" for number in range(2)]
    one.ask("exchange.export", path=str(paths[0]), format="jsonl")
    settle(one, other)
    one.ask("exchange.export", path=str(paths[1]), format="jsonl")
    assert lines(paths[0]) == lines(paths[1])


def test_nothing_is_sealed_while_an_import_runs(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    other.ask("note.save", content="of the other")
    other.sync()
    with engine_of(one.host).store.held_open():
        one.ask("note.save", content="of an import")
        assert one.sync().waiting.startswith("An import is running.")
        assert one.contents() == ["of an import"]
    settle(one, other)
    assert one.contents() == ["of an import", "of the other"]


def test_a_lane_that_cannot_be_taken_in_keeps_no_other(joined: tuple[Machine, Machine], allow_logs: AllowLogs) -> None:
    allow_logs("a lane of another machine waits: KeyError")
    one, other = joined
    one.ask("note.save", content="of one")
    one.sync()
    [name] = one.folder.rglob("s-*")
    vault = name.parent.parent
    keys, _ = one.sealer()
    for lane, line in ((1, {"session": {}}), (2, {"change": STRANGE})):
        clock = {"places": [], "knowledge": [], "first": 1, "last": 1, "previous": "", "lane": lane}
        text = json.dumps(line)
        header = {"vault": vault.name, "lines": [lane_segment.digest_of(text)], **clock}
        content = lane_segment.pack(json.dumps(header), [text])
        fields = {"first": 1, "last": 1, "previous": "", "digest": "of it"}
        place = f"{lane:016x}/{name.name}"
        (vault / place).parent.mkdir()
        (vault / place).write_bytes(sealed_object.seal(keys, 1, vault.name, place, content, fields))
    other.ask("note.save", content="of the other")
    report = other.sync()
    assert (report.taken, report.added) == (1, 1)
    assert report.waiting == "Changes of another machine cannot be read."
    assert other.contents() == ["of one", "of the other"]
    assert other.rows("SELECT 1 FROM erasures") == []


def test_changes_of_a_newer_keepsake_wait_until_it_is_updated(
    joined: tuple[Machine, Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = joined
    one.ask("note.save", content="before")
    one.sync()
    one.ask("inbox.rule.set", action="reject", agent="claude")
    one.ask("note.save", content="beside it")
    one.sync()
    one.ask("note.save", content="after it")
    one.sync()
    other.ask("note.save", content="of the other")
    with monkeypatch.context() as older:
        older.setattr(lane_rows, "KINDS", tuple(kind for kind in lane_rows.KINDS if kind != "inbox_rule"))
        for _ in range(2):
            report = other.sync()
            assert report.waiting.endswith("Update Keepsake here to see what it wrote (changes that wait: 3).")
        assert other.contents() == ["before", "of the other"]
        one.sync()
        assert one.contents() == ["after it", "before", "beside it", "of the other"]
    settle(one, other)
    assert other.contents() == ["after it", "before", "beside it", "of the other"]
    assert other.rows("SELECT agent, action FROM inbox_rules") == [("claude", "reject")]


def test_an_import_that_begins_meanwhile_is_not_sealed(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    other.ask("note.save", content="of the other")
    other.sync()
    store = engine_of(one.host).store

    async def sync() -> SyncReport:
        is_held = threading.Event()
        before = asyncio.create_task(store.write(lambda _: is_held.wait()))
        running = asyncio.create_task(engine_of(one.host).sync.service.sync())
        await asyncio.sleep(0.3)  # its write waits behind the other
        with store.held_open():
            is_held.set()
            await before
            return await running

    one.ask("note.save", content="of an import")
    [sealed] = one.rows("SELECT sealed FROM lanes WHERE is_own")
    assert one.host.submit(sync()).result().waiting.startswith("An import is running.")
    assert one.rows("SELECT sealed FROM lanes WHERE is_own") == [sealed]
    settle(one, other)


def test_joining_sharing_and_leaving(pair: tuple[Machine, Machine]) -> None:
    one, other = pair
    with pytest.raises(InputError, match="no other machine"):
        one.sync()
    missing = one.folder / "missing"
    with pytest.raises(MachineError, match="Make it first"):
        one.share(missing)
    state = one.share()
    with pytest.raises(InputError, match="Make an invitation"):
        other.share()
    assert other.join(one).vault == state.vault
    one.ask("note.save", content="shared")
    assert one.sync().added == 1
    assert other.sync().taken == 1
    service = engine_of(one.host).sync.service
    [own] = [lane for lane in one.host.submit(service.state()).result().lanes if lane.is_own]
    assert own.known == own.shared > 0
    assert one.host.submit(service.leave()).result().place == ""
    another = one.folder.parent / "another"
    another.mkdir()
    with pytest.raises(InputError, match="through another place"):
        one.share(another)
    assert one.share().vault == state.vault
    settle(one, other)


def test_the_loss_of_much_at_once_waits_for_the_person(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    notes = [one.ask("note.save", content=f"note {number}") for number in range(LEAST + 10)]
    settle(one, other)
    for note in notes[:10]:  # little at a time is as usual
        one.ask("note.delete", id=note.id)
    settle(one, other)
    third = Machine(other.vault.parent / "third", other.folder)
    third.join(other)
    third.ask("note.save", content="of a third")
    third.sync()
    third.stop()
    for note in notes[10:]:
        one.ask("note.delete", id=note.id)
    kept = one.ask("note.save", content="of one")
    one.sync()
    other.ask("note.save", content="of the other")
    report = other.sync()
    assert "waits for you" in report.waiting
    assert report.added == 1
    assert len(other.contents()) == LEAST + 2
    [held] = report.held
    assert held.removed == LEAST
    assert other.sync().held == (held,)
    with pytest.raises(NotFoundError, match="Nothing of that machine waits"):
        other.ask("device.accept", lane=held.lane, last=held.last + 1)
    assert other.ask("device.accept", lane=held.lane, last=held.last).held == ()
    assert other.sync().held == ()
    settle(one, other)
    assert other.contents() == ["of a third", "of one", "of the other"]
    assert other.ask("memory.get", ids=[kept.id]).memories


def test_what_a_lane_was_about_to_know_is_not_kept_when_it_is_left(
    joined: tuple[Machine, Machine], tmp_path: Path
) -> None:
    one, other = joined
    note = one.ask("note.save", content="first")
    settle(one, other)
    other.stop()
    shutil.copytree(other.vault, tmp_path / "copy")
    other.start()
    note = one.ask("note.update", id=note.id, version=note.version, content="second")
    settle(one, other)
    [(entry,)] = other.rows("SELECT max(id) FROM memory_history WHERE target = ?", note.id)
    other.ask("memory.undo", history_ids=[entry])
    settle(one, other)
    other.stop()
    put_back(other, tmp_path / "copy")
    settle(one, other)
    assert one.contents() == ["first"]


def put_back(machine: Machine, copy: Path) -> None:
    """Put a vault that is closed back from a copy of its folder, and open it."""
    shutil.rmtree(machine.vault)
    shutil.copytree(copy, machine.vault)
    machine.start()


def lines(path: Path) -> list[str]:
    return [line for line in path.read_text("utf-8").splitlines() if '"exported_at"' not in line]
