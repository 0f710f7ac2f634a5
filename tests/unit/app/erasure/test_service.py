"""Forgetting for ever: nothing of it in the raw bytes, everything else as it was, a receipt that says so."""

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import msgspec
import pytest

from app.api.caller import Caller
from app.api.registry import to_builtins
from app.core.ids import new_id
from app.erasure.model import ErasureReceipt
from app.erasure.service import ErasureService
from app.errors import AccessDeniedError, DiskFullError, InputError, NotFoundError
from app.host import Host
from app.schedule import repo as schedule_repo
from app.schedule.model import ScheduleRun
from app.store.connection import open_writer
from app.store.store import DATABASE
from tests.helpers.engine import engine_of

FIRST = "Before: the xylozwickian quarterdeck of Ferdinand Zwickelbauer. " + "Filler that nobody else wrote. " * 20
LONG = "Written with Dr. Ferdinand Zwickelbauer.\n" + "\n".join(
    f'Line {n} says "marmaladefjord{n}" and 我们今天讨论了秘密花园的计划第{n}号。' for n in range(300)
)
TURN = 'Tell nobody of plumbagovitch, 这是一个很长的秘密故事,\nand "quoted" too'
PAYLOAD = "Aus der fremden Datei: Würzburger Blaukehlchen über alles"
TITLE = "Quixotry of Zephyrblooms"
# Parts of words too: the word index shares the beginning of a word with the word before.
TRACES = ["lozwick", "uarterdeck", "wickelbau", "that nobody else wrote", "armaladefj", "秘密花园", "密花", "lumbagov"]
TRACES += ["秘密故事", "phyrbloom", "Blaukehlchen", "rzburger", "\\u00fcber alles", "ephyrtag"]


def start(vault: Path) -> Host:
    running = Host(vault, serve=False, overrides={"embedding.model": "hashed"})
    running.start()
    return running


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    running = start(vault)
    yield running
    running.stop()


def engine(host: Host) -> Any:
    return engine_of(host)


def read(host: Host, work: Callable[[apsw.Connection], Any]) -> Any:
    return host.submit(engine(host).store.read(work)).result()


def fill(host: Host) -> dict[str, str]:
    """Store things to keep and a note and a conversation to forget, each with a past; return their ids."""
    host.ask(
        "session.append", session="kept", messages=[{"role": "user", "content": f"kept turn {n}"} for n in range(50)]
    )
    kept = host.ask("note.save", content="A heron in [[Pond]] of Ferdinand", title="Kept", tags=["pond"])
    host.ask("note.update", id=kept.id, version=1, content="A heron stays")
    note = host.ask("note.save", content=FIRST, title=TITLE, tags=["zephyrtag"])
    turns = [{"role": "user", "content": TURN, "payload": {"original": PAYLOAD, "n": n}} for n in range(250)]
    host.ask("session.append", session="secret", title="Of plumbagovitch", messages=turns)
    host.ask("vault.settle", names=True)
    host.ask("note.update", id=note.id, version=1, content=LONG)
    host.ask("session.rename", session="secret", title="Zwickelbauer and plumbagovitch")
    host.ask("vault.settle", names=True)
    return {"note": note.id, "kept": kept.id}


def traces(vault: Path, pattern: str = "**/*") -> dict[str, list[str]]:
    """Return which traces are in the bytes of which file of the vault."""
    found = {}
    for path in (path for path in vault.glob(pattern) if path.is_file()):
        data = path.read_bytes()
        if there := [trace for trace in TRACES if trace.encode() in data]:
            found[path.name] = there
    return found


def dump(host: Host, gone: set[str]) -> dict[str, list[Any]]:
    """Return every row of the canonical tables and their search entries but those of ``gone``."""

    def work(connection: apsw.Connection) -> dict[str, list[Any]]:
        names = "sessions session_state messages memories memory_tags memory_links memory_sources memory_history"
        names += " memory_archive chunks files schedules"
        rows = {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in names.split()}
        rows["vectors"] = connection.execute(
            "SELECT chunk_id, memory_id, session_id, embedding FROM vectors_1 JOIN chunks ON id = chunk_id"
        ).fetchall()
        return {name: [row for row in found if not gone & set(map(str, row))] for name, found in rows.items()}

    return read(host, work)


def forget(host: Host, ids: dict[str, str], **more: Any) -> ErasureReceipt:
    return host.ask("memory.forget_forever", ids=[ids["note"]], sessions=["secret"], confirm=True, **more)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, InputError),
        ({"ids": ["note-none"], "confirm": True}, NotFoundError),
        ({"sessions": ["none", "\ud800"], "confirm": True}, NotFoundError),
        ({"ids": ["kept"]}, InputError),
        ({"ids": ["kept", "note-none"], "confirm": True}, NotFoundError),
        ({"ids": ["kept"], "confirm": True, "backups": "burn"}, InputError),
    ],
)
def test_what_is_not_meant_removes_nothing(host: Host, arguments: dict[str, Any], error: type[InputError]) -> None:
    host.ask("note.save", content="stays", id="kept")
    with pytest.raises(error):
        host.ask("memory.forget_forever", **arguments)
    assert host.ask("note.get", id="kept").content == "stays"
    assert host.ask("memory.receipts") == []


def test_it_is_for_the_person_and_whom_they_trust_fully(host: Host) -> None:
    note = host.ask("note.save", content="ours", store="shared").id
    with pytest.raises(AccessDeniedError):
        host.call("memory.forget_forever", {"ids": [note], "confirm": True}, Caller("agent", "inner")).result()


def test_nothing_is_left_in_the_bytes_and_all_else_is_as_it_was(host: Host) -> None:
    ids = fill(host)
    assert set().union(*traces(host.vault).values()) == set(TRACES)
    assert read(host, lambda conn: conn.execute("SELECT 1 FROM entities WHERE name_key LIKE '%zwick%'").fetchall())
    requested = "SELECT embedding FROM vectors_1 JOIN chunks ON id = chunk_id WHERE memory_id = ?"
    vectors = [row[0] for row in read(host, lambda conn: conn.execute(requested, (ids["note"],)).fetchall())]
    before = dump(host, {ids["note"], "secret"})
    receipt = forget(host, ids)
    assert traces(host.vault) == {}
    data = (host.vault / DATABASE).read_bytes()
    assert vectors
    assert not [vector for vector in vectors if vector in data]
    assert (receipt.verified, receipt.how, receipt.notes) == (True, "overwritten in place", ())
    assert receipt.looked_for > 20
    assert receipt.removed["messages"] == 250
    assert receipt.removed["memories"] == receipt.removed["sessions"] == 1
    assert receipt.removed["memory_history"] == 3
    assert receipt.removed["vectors"] > 250
    assert not read(host, lambda conn: conn.execute("SELECT 1 FROM entities WHERE name_key LIKE '%zwick%'").fetchall())
    assert dump(host, set()) == before
    assert host.ask("vault.check").findings == ()
    assert host.ask("memory.history", target=ids["note"]) == []
    with pytest.raises(NotFoundError):
        host.ask("note.get", id=ids["note"])
    with pytest.raises(NotFoundError):
        host.ask("session.recent", session="secret")
    assert [hit.title for hit in host.ask("memory.search", query="heron", recipe="words").hits] == ["Kept"]
    assert host.ask("memory.search", query="marmaladefjord7 秘密花园", recipe="words").hits == ()


def test_hidden_entries_of_a_forgotten_conversation_go_too(host: Host) -> None:
    ids = fill(host)
    host.ask("session.forget", session="secret")
    host.ask("vault.settle", names=True)
    of_session = "SELECT embedding FROM vectors_1 JOIN chunks ON id = chunk_id WHERE session_id = 'secret'"
    vectors = [row[0] for row in read(host, lambda conn: conn.execute(of_session).fetchall())]
    assert len(vectors) >= 250
    assert forget(host, ids).verified
    assert traces(host.vault) == {}
    data = (host.vault / DATABASE).read_bytes()
    assert not [vector for vector in vectors if vector in data]
    assert read(host, lambda conn: conn.execute("SELECT 1 FROM session_moves").fetchall()) == []
    assert host.ask("vault.check").findings == ()


@pytest.mark.parametrize("deleted", [True, False])
def test_schedules_and_saved_searches_go_with_their_past_and_their_runs(host: Host, deleted: bool) -> None:
    kept = host.ask("schedule.create", goal="Water the roses", cadence={"kind": "interval", "seconds": 86_400})
    schedule = host.ask(
        "schedule.create", goal=FIRST, name=TITLE, cadence={"kind": "once", "at": "2099-01-01T00:00:00Z"}
    )
    search = host.ask("saved_search.save", query="plumbagovitch quarterdeck", name=TITLE)
    host.ask("schedule.update", id=schedule.id, patch={"goal": "Now something shorter", "name": "armaladefjord goals"})
    host.ask("saved_search.rename", id=search.id, name="Würzburger Blaukehlchen")
    now, run = schedule.created_at, new_id("run")
    output = f"Done: {TURN}"
    ended = ScheduleRun(run, schedule.id, now, now, "succeeded", output[:40], output)
    host.submit(engine(host).store.write(lambda conn: schedule_repo.insert_run(conn, ended))).result()
    if deleted:
        host.ask("schedule.delete", id=schedule.id)
        host.ask("saved_search.delete", id=search.id)
    assert traces(host.vault) != {}
    with pytest.raises(NotFoundError):
        host.ask("memory.forget_forever", ids=["sch-decay"], confirm=True)
    receipt = host.ask("memory.forget_forever", ids=[schedule.id, search.id], confirm=True)
    assert receipt.verified
    assert (receipt.removed["schedules"], receipt.removed["schedule_runs"]) == (1, 1)
    assert receipt.removed["saved_searches"] == 1
    assert traces(host.vault) == {}
    for target in (schedule.id, search.id):
        assert host.ask("memory.history", target=target) == []
    assert [act.text for act in host.ask("history.list").acts] == ["Created the schedule ‘Water the roses’"]
    assert host.ask("schedule.get", id=kept.id) == kept
    assert host.ask("vault.check").findings == ()


def test_the_receipt_is_kept_and_says_nothing_of_the_text(host: Host) -> None:
    receipt = forget(host, fill(host))
    assert host.ask("memory.receipts") == [receipt]
    shown = msgspec.json.encode(to_builtins(receipt)).decode()
    assert not [trace for trace in [*TRACES, "Zwickelbauer", "filler"] if trace in shown]
    assert receipt.finished_at is not None


def test_who_quotes_it_or_came_of_it_is_named_and_stays(host: Host) -> None:
    ids = fill(host)
    quoting = host.ask("note.save", content=f"They wrote: {FIRST}").id
    drawn = host.ask("note.save", content="A conclusion of its own").id
    host.submit(
        engine(host).store.write(
            lambda conn: conn.execute("INSERT INTO memory_sources VALUES (?, 'memory', ?)", (drawn, ids["note"])).get
        )
    ).result()
    host.ask("vault.settle", names=True)
    receipt = forget(host, ids)
    assert receipt.verified
    assert ("memories", quoting, "quotes it") in {(item.table, item.id, item.why) for item in receipt.left}
    assert ("memories", drawn, "was drawn from it") in {(item.table, item.id, item.why) for item in receipt.left}
    assert host.ask("note.get", id=quoting).content.startswith("They wrote")


def test_deleted_and_archived_ones_go_too(host: Host) -> None:
    deleted, archived = (host.ask("note.save", content=f"{FIRST} {n}", title=TITLE).id for n in range(2))
    host.ask("note.delete", id=deleted)
    host.ask("archive.put", ids=[archived])
    receipt = host.ask("memory.forget_forever", ids=[deleted, archived], confirm=True)
    assert receipt.verified
    assert receipt.removed["memory_archive"] == 1
    assert traces(host.vault) == {}
    assert host.ask("archive.list") == []


@pytest.mark.parametrize("text", ["tea", "x" * 500, "🌸" * 3, "\n\n.\n", "geheim"])
def test_a_text_without_anything_of_its_own_to_look_for(host: Host, text: str) -> None:
    note = host.ask("note.save", content=text).id
    receipt = host.ask("memory.forget_forever", ids=[note], confirm=True)
    assert receipt.verified
    assert receipt.removed["memories"] == 1


@pytest.mark.parametrize(("choice", "outcome"), [("keep", "kept"), ("rewrite", "rewritten"), ("delete", "deleted")])
def test_backups_that_hold_it(host: Host, choice: str, outcome: str) -> None:
    host.ask("backup.now")
    ids = fill(host)
    before = dump(host, {ids["note"], "secret"})
    held = Path(host.ask("backup.now").path)
    receipt = forget(host, ids, backups=choice)
    assert [(file.name, file.outcome) for file in receipt.backups] == [(held.name, outcome)]
    assert bool(traces(host.vault, "backups/*")) == (choice == "keep")
    assert held.exists() == (choice != "delete")
    assert len(list((host.vault / "backups").glob("*.db"))) == (1 if choice == "delete" else 2)
    if choice == "rewrite":
        assert host.ask("backup.verify", name=held.name).ok
        with closing(apsw.Connection(str(held))) as copy:
            assert copy.execute("SELECT count(*) FROM memories").get == len(before["memories"])
            assert copy.execute("SELECT count(*) FROM messages").get == 50


def test_what_free_space_kept_of_it_makes_the_file_be_written_anew(vault: Path) -> None:
    with closing(open_writer(vault / DATABASE)) as careless:
        careless.pragma("secure_delete", False)
        careless.execute("CREATE TABLE scratch (text TEXT) STRICT")
        careless.execute("INSERT INTO scratch VALUES (?)", (FIRST * 5_000,))
        careless.execute("DROP TABLE scratch")
    running = start(vault)
    try:
        note = running.ask("note.save", content=FIRST).id
        kept = running.ask("note.save", content="A heron").id
        running.ask("vault.settle")
        assert running.ask("note.delete", id=kept)
        receipt = running.ask("memory.forget_forever", ids=[note], confirm=True)
        assert (receipt.verified, receipt.how) == (True, "file rewritten")
        assert traces(vault) == {}
        assert running.ask("vault.check").findings == ()
        running.ask("note.restore", id=kept)
        running.ask("vault.settle")
        assert running.ask("memory.search", query="heron", recipe="vector").hits[0].id == kept
    finally:
        running.stop()


def test_while_somebody_reads_an_older_state(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.erasure.service._LOG_SECONDS", 0.1)
    running = start(vault)
    ids = fill(running)
    with closing(apsw.Connection(str(vault / DATABASE))) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM memories").fetchall()
        receipt = forget(running, ids)
        assert (receipt.verified, receipt.finished_at) == (False, None)
        assert "next start" in receipt.notes[0]
        with pytest.raises(NotFoundError):
            running.ask("note.get", id=ids["note"])
        reader.execute("ROLLBACK")
    running.stop()
    again = start(vault)
    try:
        host_receipt = wait_for_receipt(again)
        assert (host_receipt.verified, host_receipt.how) == (True, "file rewritten")
        assert host_receipt.removed == receipt.removed
        assert traces(vault) == {}
    finally:
        again.stop()


def wait_for_receipt(host: Host) -> ErasureReceipt:
    """Return the newest receipt once nothing is pending."""

    async def until_done() -> ErasureReceipt:
        service = engine(host).erasure
        async with asyncio.timeout(30):
            while (found := await service.receipts())[0].finished_at is None:
                await asyncio.sleep(0.01)
        return found[0]

    return host.submit(until_done()).result()


def test_what_agents_proposed_and_the_audit_knew_of_it_goes(host: Host) -> None:
    note, other = (host.ask("note.save", content=f"{FIRST} {n}").id for n in range(2))

    def prepare(connection: apsw.Connection) -> None:
        for memory_id in (note, other):
            arguments = json.dumps({"id": memory_id, "content": memory_id})
            connection.execute(
                "INSERT INTO inbox (agent, operation, arguments, created_at) VALUES ('a', 'note.update', ?, 0)",
                (arguments,),
            )
        connection.execute(
            "INSERT INTO audit (id, at, agent, operation, outcome, milliseconds)"
            " VALUES (1, 0, 'a', 'note.rows', 'done', 1)"
        )
        for number, memory_id in enumerate((note, other)):
            connection.execute("INSERT INTO audit_names VALUES (?, ?)", (number, memory_id))
            connection.execute("INSERT INTO audit_items VALUES (1, 0, ?)", (number,))

    host.submit(engine(host).store.write(prepare)).result()
    receipt = host.ask("memory.forget_forever", ids=[note], confirm=True)
    assert (receipt.removed["inbox"], receipt.removed["audit_items"]) == (1, 1)
    (call,) = host.ask("agent.ledger").calls
    assert call.read == (other,)


def test_copies_that_were_set_aside_or_wait_to_be_restored(host: Host) -> None:
    ids = fill(host)
    host.ask("backup.restore", name=host.ask("backup.now").name)
    folders = [host.vault / "backups" / "20260101T000000Z-before-restore", host.vault / "replaced-2"]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / DATABASE).write_bytes(b"damaged" * 1_000 + FIRST.encode())
    (host.vault / f"{DATABASE}-wal.damaged").write_bytes(b"log " * 1_000 + LONG.encode())
    (host.vault / f"{DATABASE}-wal.damaged1").write_bytes(b"another log" * 1_000)
    receipt = forget(host, ids, backups="rewrite")
    outcomes = {file.name: file.outcome for file in receipt.backups}
    assert outcomes.pop("restore.db") == "rewritten"
    damaged = {folder.name for folder in folders} | {f"{DATABASE}-wal.damaged"}
    assert {name for name, outcome in outcomes.items() if outcome == "unreadable"} == damaged
    assert any("Delete these backups" in note for note in receipt.notes)
    assert host.ask("backup.verify", name=str(host.vault / "restore.db")).ok


def test_copies_that_were_kept_can_be_cleaned_later(host: Host) -> None:
    ids = fill(host)
    host.ask("backup.now")
    folder = host.vault / "backups" / "20260101T000000Z-before-restore"
    folder.mkdir()
    (folder / DATABASE).write_bytes(b"damaged" * 1_000 + ids["note"].encode())
    receipt = forget(host, ids)
    assert {file.outcome for file in receipt.backups} == {"kept"}
    assert any("still hold it" in note for note in receipt.notes)
    with pytest.raises(NotFoundError):
        forget(host, ids)
    again = forget(host, ids, backups="rewrite")
    assert sorted(file.outcome for file in again.backups) == ["rewritten", "unreadable"]
    assert [file.outcome for file in forget(host, ids, backups="delete").backups] == ["deleted"]
    assert not folder.exists()
    assert traces(host.vault) == {}
    with pytest.raises(NotFoundError):
        host.ask("memory.forget_forever", ids=["note-none"], confirm=True, backups="delete")


def test_the_vectors_beside_the_database_are_dropped(host: Host) -> None:
    ids = fill(host)
    for name in ("vectors.cache", "vectors.new"):
        (host.vault / name).write_bytes(b"all vectors")
    forget(host, ids)
    assert not list(host.vault.glob("vectors.*"))


EARLIER = "Xaver Quellenbrink told me about his illness. #plumbrandel"
NAMED = ["Quellenbrink", "quellenbrink", "plumbrandel"]


def named_in_the_files(vault: Path) -> dict[str, list[str]]:
    """Return the names of the earlier wording that are in the bytes of each file."""
    files = {path: path.read_bytes() for path in vault.glob("**/*") if path.is_file()}
    found = {path.name: [name for name in NAMED if name.encode() in data] for path, data in files.items()}
    return {name: names for name, names in found.items() if names}


def edited_away(host: Host) -> str:
    """Save a note with names, word it anew without them, back up at once and return its id."""
    note = host.ask("note.save", content=EARLIER)
    host.ask("vault.settle", names=True)
    host.ask("note.update", id=note.id, version=note.version, content="nothing to see")
    host.ask("backup.now")
    return str(note.id)


def test_names_of_an_earlier_wording_go_from_the_vault_and_its_copies(host: Host) -> None:
    note = edited_away(host)
    assert len(named_in_the_files(host.vault)) > 1
    receipt = host.ask("memory.forget_forever", ids=[note], confirm=True, backups="rewrite")
    assert named_in_the_files(host.vault) == {}
    assert receipt.verified
    assert receipt.left == ()
    assert [file.outcome for file in receipt.backups] == ["rewritten"]


def test_a_name_that_a_person_decided_about_is_named_as_left(host: Host) -> None:
    note = host.ask("note.save", content=EARLIER)
    host.ask("vault.settle", names=True)
    (entity,) = [item for item in host.ask("entity.list") if "Quellenbrink" in item.name]
    host.ask("entity.rename", id=entity.id, name="Xaver Quellenbrink", summary="A neighbour")
    host.ask("note.update", id=note.id, version=note.version, content="nothing to see")
    host.ask("backup.now")
    receipt = host.ask("memory.forget_forever", ids=[note.id], confirm=True, backups="rewrite")
    assert not receipt.verified
    assert receipt.how == "not verified"
    assert ("entities", entity.id, "has a name from it") in {(one.table, one.id, one.why) for one in receipt.left}
    assert any("changed, protected or connected" in note for note in receipt.notes)
    assert [file.outcome for file in receipt.backups] == ["incomplete"]


def test_a_name_that_others_mention_stays_and_nothing_is_left(host: Host) -> None:
    host.ask("note.save", content="Xaver Quellenbrink told me about his garden.")
    note = edited_away(host)
    receipt = host.ask("memory.forget_forever", ids=[note], confirm=True, backups="rewrite")
    assert receipt.verified
    assert "entities" not in {item.table for item in receipt.left}
    assert any("Quellenbrink" in item.name for item in host.ask("entity.list"))
    assert not any("plumbrandel" in names for names in named_in_the_files(host.vault).values())


def test_receipts_of_repeated_writes_and_previews_go(host: Host) -> None:
    note, other = (host.ask("note.save", content=f"{FIRST} {n}").id for n in range(2))
    host.ask("session.append", session="talk", messages=[{"role": "user", "content": FIRST}])

    def prepare(connection: apsw.Connection) -> None:
        for name in (note, other, "talk"):
            answer = json.dumps({"memory_id": name, "matched": ""})
            connection.execute(
                "INSERT INTO write_receipts (actor, key, operation, arguments, answer, at, session_id)"
                " VALUES ('a', ?, 'note.save', '', ?, 0, ?)",
                (name, answer, name if name == "talk" else None),
            )
            connection.execute(
                "INSERT INTO inbox (agent, operation, arguments, preview, created_at)"
                " VALUES ('a', 'memory.write', '{}', ?, 0)",
                (answer,),
            )

    host.submit(engine(host).store.write(prepare)).result()
    receipt = host.ask("memory.forget_forever", ids=[note], sessions=["talk"], confirm=True)
    assert (receipt.removed["inbox"], receipt.removed["write_receipts"]) == (2, 1)
    left = read(host, lambda conn: conn.execute("SELECT key FROM write_receipts").fetchall())
    assert left == [(other,)]


def test_what_a_full_disk_cuts_off_is_said_to_stand_and_is_finished(
    host: Host, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = fill(host)

    def full(*_arguments: object) -> None:
        raise DiskFullError("The disk is full. Free some space; nothing already saved was lost.", path="x")

    with monkeypatch.context() as patch:
        patch.setattr(ErasureService, "_step", full)
        with pytest.raises(DiskFullError) as refused:
            forget(host, ids)
    assert "could not be finished. It stands all the same" in refused.value.message
    assert "lost" not in refused.value.message
    assert "secret" not in host.ask("session.ids")  # hidden at once
    host.stop()
    again = start(vault)
    try:
        again.submit(engine(again).erasure.settled()).result()
        (receipt,) = again.ask("memory.receipts")
        assert receipt.finished_at is not None
        assert receipt.removed["messages"] == 250
    finally:
        again.stop()
