"""The vault's care: what it says of itself, copies, and building the index anew."""

import sqlite3
import threading
from pathlib import Path

import apsw
import pytest

from app.host import Host
from app.index import rebuild
from tests.helpers.engine import engine_of


def say(host: Host, *texts: str, session: str = "s") -> None:
    host.ask("session.append", session=session, messages=[{"role": "user", "content": text} for text in texts])


def harm(host: Host, sql: str) -> None:
    """Change the database behind the engine's back."""

    def work(connection: apsw.Connection) -> None:
        connection.execute(sql)

    host.submit(engine_of(host).store.write(work)).result()


def areas(host: Host) -> set[str]:
    report = host.ask("vault.check")
    assert report.ok == (not [finding for finding in report.findings if finding.severity == "error"])
    return {finding.area for finding in report.findings}


def test_counts(host: Host) -> None:
    say(host, "one", "two")
    say(host, "three", session="t")
    host.ask("session.forget", session="t")
    kept = host.ask("note.save", content="a note")
    host.ask("note.delete", id=host.ask("note.save", content="gone").id)
    status = host.ask("vault.settle")
    stats = host.ask("memory.stats")
    assert (stats.sessions, stats.messages, stats.memories) == (status.sessions, 2, status.memories) == (1, 2, 1)
    assert [(facet.name, facet.count) for facet in stats.kinds] == [("note", 1)]
    assert stats.chunks == stats.embedded == status.total_chunks
    assert (stats.pending, status.pending_vectors, status.notes) == (0, 0, ())
    assert stats.disk_bytes > 100_000
    assert Path(status.vault) == host.vault
    assert kept.version == 1


STRAY = (
    "INSERT INTO mentions (owner_kind, owner_id, surface, entity_id, at)"
    " SELECT {}, 'other:x', id, 0 FROM entities LIMIT 1"
)


@pytest.mark.parametrize(
    ("sql", "area"),
    [
        ("UPDATE sessions SET message_count = 7", "references"),
        ("UPDATE session_state SET last_seq = 0", "references"),
        ("DELETE FROM session_state", "references"),
        ("UPDATE entities SET mention_count = 99", "references"),
        (STRAY.format("'memory', 'note-gone'"), "names"),
        (STRAY.format("'message', 's#99'"), "names"),
        ("INSERT INTO pending_mentions (owner_kind, owner_id) VALUES ('session', 'gone')", "names"),
        ("DROP TABLE vectors_1", "vectors"),
        ("DELETE FROM chunks WHERE kind = 'message'", "words"),
        ("DELETE FROM chunks WHERE kind = 'memory'", "words"),
        ("UPDATE chunks SET session_id = 'elsewhere' WHERE kind = 'message'", "words"),
        ("DELETE FROM chunk_lengths WHERE chunk_id = 1", "words"),
        ("UPDATE chunks_fts_data SET block = x'00' WHERE id > 10", "words"),
        ("DELETE FROM vectors_1", "vectors"),
        ("INSERT INTO vectors_1 (chunk_id, embedding) VALUES (99999, vec_int8(zeroblob(256)))", "vectors"),
    ],
)  # fmt: skip
def test_the_check_finds_harm_and_a_repair_mends_it(host: Host, sql: str, area: str) -> None:
    say(host, "one", "two with Anna Berg of Bergen")
    host.ask("note.save", content="a note")
    host.ask("vault.settle", names=True)
    assert areas(host) == set()
    harm(host, sql)
    findings = host.ask("vault.check").findings
    assert area in {item.area for item in findings}
    assert all(item.is_mended_by_repair for item in findings)
    assert "--repair" in findings[0].remedy
    report = host.ask("vault.repair")
    assert report.ok
    assert report.mended
    assert report.left == ()
    host.ask("vault.settle", names=True)
    assert areas(host) == set()
    assert host.ask("memory.search", query="two").hits
    assert host.ask("entity.list")
    assert say_one(host) == 3
    assert host.ask("vault.repair").mended == ()


def say_one(host: Host) -> int:
    return int(host.ask("session.append", session="s", messages=[{"role": "user", "content": "three"}]).seqs[-1])


def test_turns_that_lost_their_conversation_get_one(host: Host) -> None:
    say(host, "kept words", session="lost")
    # As after a repair by another program, which knows nothing of references.
    host.ask("vault.settle", names=True)
    host.stop()
    with sqlite3.connect(host.vault / "memory.db") as connection:
        connection.execute("DELETE FROM sessions WHERE id = 'lost'")
        connection.execute("INSERT INTO memory_tags VALUES ('note-gone', 'tag', 0)")
    connection.close()
    again = Host(host.vault)
    again.start()
    assert "references" in areas(again)
    assert again.ask("vault.repair").ok
    assert areas(again) == set()
    assert again.ask("session.messages", session="lost")[0].content == "kept words"
    assert again.ask("memory.search", query="kept words").hits
    again.stop()


def test_a_rebuild_that_was_cut_off_goes_on_at_the_next_start(host: Host) -> None:
    say(host, *[f"turn {number}" for number in range(700)])
    host.ask("note.save", content="a note of herons")
    host.ask("vault.settle")
    begin = engine_of(host).store.write(rebuild.begin)
    position = host.submit(begin).result()
    host.submit(engine_of(host).store.write(rebuild.next_step(position))).result()
    assert {item.severity for item in host.ask("vault.check").findings} == {"warning"}
    assert host.ask("memory.search", query="herons", recipe="words").hits == ()
    host.stop()
    again = Host(host.vault)
    again.start()
    again.ask("vault.settle")
    assert areas(again) == set()
    assert again.ask("memory.search", query="herons", recipe="words").hits
    assert again.ask("memory.search", query='"turn 699"', recipe="words").hits
    again.stop()


def test_files_others_may_read(host: Host) -> None:
    (host.vault / "memory.db").chmod(0o644)
    report = host.ask("vault.check")
    assert report.ok
    assert {(finding.area, finding.severity) for finding in report.findings} == {("files", "warning")}
    assert "chmod" in report.findings[0].remedy


def test_the_check_sees_the_index_as_it_is_now(host: Host) -> None:
    for number in range(40):
        say(host, f"turn {number} " + "word " * 200)
        if number % 10 == 0:
            host.ask("vault.settle")
            entry = host.call("session.forget", {"session": "s"}).result().changes.history_ids
            assert areas(host) == set()
            host.ask("memory.undo", history_ids=list(entry))
        assert areas(host) == set()


def test_reindexing_while_others_write(host: Host) -> None:
    say(host, *[f"turn {number}" for number in range(1_500)])
    forgotten = "gone"
    say(host, "gone words", session=forgotten)
    host.ask("session.forget", session=forgotten)
    note = host.ask("note.save", content="a note of herons")
    rebuilding = host.call("vault.reindex", {})
    number = 0
    while not rebuilding.done():
        number += 1
        say(host, f"meanwhile {number}")
    assert rebuilding.result().value >= 1_501
    host.ask("vault.settle")
    assert areas(host) == set()
    assert host.ask("memory.search", query="herons").hits[0].id == note.id
    assert host.ask("memory.search", query=f'"meanwhile {number}"').hits
    assert all(hit.session_id != forgotten for hit in host.ask("memory.search", query='"gone words"').hits)
    assert host.ask("session.length", session="s") == 1_500 + number


def test_a_backup_is_whole_while_others_write(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    # So many steps that somebody writes between any two.
    monkeypatch.setattr("app.store.backup._PAGES_A_STEP", 4)
    say(host, *["padding " * 600 for _ in range(3_000)])
    stopping = threading.Event()

    def write() -> None:
        number = 0
        while not stopping.is_set():
            number += 1
            say(host, f"turn {number}", session="busy")

    writing = threading.Thread(target=write)
    writing.start()
    try:
        copy = Path(host.ask("backup.now").path)
    finally:
        stopping.set()
        writing.join()
    assert copy.stat().st_mode & 0o077 == 0
    assert list(copy.parent.iterdir()) == [copy]
    with sqlite3.connect(copy) as connection:
        assert connection.execute("SELECT count(*) FROM messages WHERE session_id = 's'").fetchone() == (3_000,)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
