"""The vault as a target of imports and a source of exports: nothing twice, nothing lost."""

import asyncio
import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import apsw
import pytest

from app.core.text import has_controls
from app.exchange.importing.vault_sink import LONGEST_REST_S, VaultSink, _session_id
from app.exchange.model import ImportReport, MessageRecord
from app.host import Host
from app.sessions.model import NewMessage
from app.sessions.service import MAX_NAME_CHARACTERS
from tests.unit.app.vault_harness import VaultHarness


def write(folder: Path, *records: Mapping[str, Any], name: str = "file.jsonl") -> str:
    file = folder / name
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(file)


def turn(content: str, session: str = "s", **fields: Any) -> dict[str, Any]:
    return {"type": "message", "session": session, "role": "user", "content": content} | fields


def bring_in(host: Host, folder: Path, *records: Mapping[str, Any]) -> ImportReport:
    report: ImportReport = host.ask("exchange.import", path=write(folder, *records))
    return report


def said(host: Host, session: str = "s") -> list[tuple[int, str]]:
    return [(turn.seq, turn.content) for turn in host.ask("session.messages", session=session, limit=10_000)]


def test_a_file_that_grew_adds_what_is_new(host: Host, tmp_path: Path) -> None:
    assert bring_in(host, tmp_path, turn("a"), turn("b")).messages == 2
    report = bring_in(host, tmp_path, turn("a"), turn("b"), turn("a"), turn("c"))
    assert (report.messages, report.unchanged) == (2, 2)
    assert [content for _, content in said(host)] == ["a", "b", "a", "c"]
    again = bring_in(host, tmp_path, turn("a"), turn("b"), turn("a"), turn("c"))
    assert (again.messages, again.unchanged) == (0, 4)


def test_control_characters_in_names_are_replaced(host: Host, tmp_path: Path) -> None:
    bad = "a\x1b[2J\x9b\u202e"
    lines = [
        {"type": "session", "id": bad, "agent": bad, "channel": bad},
        turn("x", bad),
        {"type": "memory", "id": "note-\x1bx", "version": 1, "kind": "note", "content": "y", "session": bad},
    ]
    for expected in (1, 0):
        report = bring_in(host, tmp_path, *lines)
        assert (report.messages, report.memories, report.problem_count) == (expected, expected, 0)
    (session,) = host.ask("session.list")
    (note,) = host.ask("note.list")
    names = (session.id, session.agent, session.channel, note.id)
    assert not any(has_controls(name) for name in names)
    assert (session.agent, note.id) == ("a\ufffd[2J\ufffd\ufffd", "note-\ufffdx")


def test_turns_said_here_meanwhile_stay(host: Host, tmp_path: Path) -> None:
    bring_in(host, tmp_path, turn("a"), turn("b"))
    host.ask("session.append", session="s", messages=[{"role": "user", "content": "mine"}])
    report = bring_in(host, tmp_path, turn("a"), turn("b"), turn("theirs"))
    assert report.messages == 1
    assert [content for _, content in said(host)] == ["a", "b", "mine", "theirs"]
    assert bring_in(host, tmp_path, turn("a"), turn("b"), turn("theirs")).messages == 0


def test_a_number_taken_by_another_text_is_a_problem(host: Host, tmp_path: Path) -> None:
    bring_in(host, tmp_path, turn("a", seq=1), turn("b", seq=2))
    report = bring_in(host, tmp_path, turn("a", seq=1), turn("other", seq=2), turn("c", seq=3))
    assert (report.messages, report.unchanged, report.problem_count) == (1, 1, 1)
    assert said(host) == [(1, "a"), (2, "b"), (3, "c")]


def test_a_number_that_leaves_no_room_is_not_kept(host: Host, tmp_path: Path) -> None:
    bring_in(host, tmp_path, turn("a", seq=1 << 53), turn("b"))
    assert said(host) == [(1, "a"), (2, "b")]
    host.ask("session.append", session="s", messages=[{"role": "user", "content": "c"}])


def test_a_long_conversation_over_many_batches(host: Host, tmp_path: Path) -> None:
    turns = [turn(f"turn {number % 700}") for number in range(2_300)]
    assert bring_in(host, tmp_path, *turns).messages == 2_300
    assert [content for _, content in said(host)] == [item["content"] for item in turns]
    again = bring_in(host, tmp_path, *turns, turn("new"))
    assert (again.messages, again.unchanged) == (1, 2_300)


def test_interleaved_conversations(host: Host, tmp_path: Path) -> None:
    turns = [turn(f"turn {number}", session=f"s{number % 3}") for number in range(1_200)]
    report = bring_in(host, tmp_path, *turns)
    assert (report.sessions, report.messages) == (3, 1_200)
    assert bring_in(host, tmp_path, *turns).messages == 0
    assert [content for _, content in said(host, "s1")] == [f"turn {number}" for number in range(1, 1_200, 3)]


def test_what_is_exported_comes_back_the_same_and_adds_nothing_here(host: Host, tmp_path: Path) -> None:
    for key in (" two  spaces ", "plain", "x" * MAX_NAME_CHARACTERS):
        payload = {"role": "user", "content": f"of {key}", "payload": {"a": [1]}, "seq": 5}
        host.ask("session.append", session=key, messages=[payload], title="Title", agent="Bot")
    host.ask("session.forget", session="plain")
    host.ask("note.save", content="a #note", title="Note", store="shared")
    out = str(tmp_path / "out.jsonl")
    report = host.ask("exchange.export", path=out)
    assert (report.sessions, report.messages, report.memories) == (3, 3, 1)
    again = host.ask("exchange.import", path=out)
    assert (again.sessions, again.messages, again.memories, again.problem_count) == (0, 0, 0, 0)
    other = Host(tmp_path / "other", serve=False)
    other.start()
    try:
        other.ask("exchange.import", path=out)
        for key in (" two  spaces ", "x" * MAX_NAME_CHARACTERS):
            assert other.ask("session.messages", session=key) == host.ask("session.messages", session=key)
            assert other.ask("session.get", session=key).title == "Title"
        second = str(tmp_path / "second.jsonl")
        other.ask("exchange.export", path=second)
        assert sorted(Path(second).read_text().splitlines()) == sorted(Path(out).read_text().splitlines())
    finally:
        other.stop()


def test_an_export_brings_back_what_was_deleted_and_archived_as_that(host: Host, tmp_path: Path) -> None:
    host.ask("note.save", content="thrown away", id="gone")
    host.ask("note.delete", id="gone")
    host.ask("note.save", content="put away", id="shelved")
    host.ask("archive.put", ids=["shelved"], reason="spring cleaning")
    host.ask("fact.set", category="home", key="city", value="Graz")
    host.ask("fact.set", category="home", key="city", value="Linz", attributes={"by": "post"})
    out = str(tmp_path / "out.jsonl")
    assert host.ask("exchange.export", path=out).memories == 4
    assert host.ask("exchange.export", path=str(tmp_path / "bare.jsonl"), removed=False).memories == 1
    assert host.ask("exchange.import", path=out).unchanged == 4
    other = Host(tmp_path / "other", serve=False)
    other.start()
    try:
        assert other.ask("exchange.import", path=out).memories == 4
        assert [row.id for row in other.ask("memory.list", filter={"deleted": True})] == ["gone"]
        archived = other.ask("archive.get", id="shelved")
        assert (archived.memory.content, archived.reason) == ("put away", "spring cleaning")
        assert other.ask("fact.get", category="home", key="city") == host.ask("fact.get", category="home", key="city")
        assert other.ask("exchange.import", path=out).unchanged == 4
        assert [row.id for row in other.ask("archive.list")] == ["shelved"]
        (arrived, _) = other.ask("memory.history", target="shelved")
        other.ask("memory.undo", history_ids=[arrived.id])
        assert other.ask("note.get", id="shelved").content == "put away"
    finally:
        other.stop()


@pytest.mark.parametrize("key", ["plain", " two  spaces ", "x" * MAX_NAME_CHARACTERS])
def test_an_id_that_can_be_kept_is(key: str) -> None:
    assert _session_id(key) == key


def test_ids_that_cannot_be_kept_stay_different() -> None:
    keys = ["", " ", "\0", "a\0", "x" * 600, "x" * 601, "\ud800"]
    made = [_session_id(key) for key in keys]
    assert len({*made}) >= len(keys) - 1  # an empty key and a blank one read the same
    assert all(name.strip() and len(name) <= MAX_NAME_CHARACTERS for name in made)


def test_what_an_import_did_to_memories_is_one_run_that_can_be_undone(host: Host, tmp_path: Path) -> None:
    lines = [{"type": "memory", "content": f"note {number}", "id": f"n{number}"} for number in range(3)]
    report = bring_in(host, tmp_path, *lines)
    assert report.memories == 3
    assert len(host.ask("memory.undo", run_id=report.run_id)) == 3
    assert host.ask("note.ids") == []
    talk = bring_in(host, tmp_path, turn("a"))
    host.ask("memory.undo", run_id=talk.run_id)
    assert host.ask("memory.stats").messages == 0
    assert bring_in(host, tmp_path, turn("a")).messages == 1  # it is brought back
    assert host.ask("memory.stats").messages == 1
    assert bring_in(host, tmp_path, *lines).memories == 3


def test_an_import_rests_after_each_batch_while_a_search_runs(vault_harness: VaultHarness) -> None:
    rests: list[float] = []

    async def rest(seconds: float) -> None:
        rests.append(seconds)

    sink = VaultSink(vault_harness.store, vault_harness.sessions, vault_harness.indexer, vault_harness.clock, rest)
    reading, done = threading.Event(), threading.Event()

    def long(_connection: apsw.Connection) -> bool:
        reading.set()
        return done.wait(30)

    async def ingest(text: str) -> int:
        batch = [MessageRecord("s", NewMessage("user", text))]
        return (await sink.ingest(batch, source="import", format="keepsake", store="private", actor="person")).messages

    async def work() -> None:
        assert await ingest("no search") == 1
        assert rests == []
        search = asyncio.create_task(vault_harness.store.read(long))
        try:
            await asyncio.to_thread(reading.wait, 30)
            assert await ingest("a search") == 1
            assert await ingest("and still does") == 1
        finally:
            done.set()
        assert await search
        assert len(rests) == 2
        assert all(0 < seconds <= LONGEST_REST_S for seconds in rests)

    vault_harness.do(work())


def test_a_conversation_that_is_forgotten_during_its_import_stays_so(vault_harness: VaultHarness) -> None:
    sink = VaultSink(vault_harness.store, vault_harness.sessions, vault_harness.indexer, vault_harness.clock)

    def ingest(*texts: str) -> tuple[int, int]:
        batch = [MessageRecord("s", NewMessage("user", text)) for text in texts]
        ingesting = sink.ingest(batch, source="import", format="keepsake", store="private", actor="person")
        done = vault_harness.do(ingesting)
        return done.messages, done.unchanged

    assert ingest("a heron", "another heron") == (2, 0)
    vault_harness.forget("s")
    assert ingest("a third heron") == (0, 1)
    assert vault_harness.rows("SELECT count(*) FROM chunks_fts('third')") == [(0,)]
    assert vault_harness.rows("SELECT count(*) FROM messages") == [(2,)]


def test_all_conversations_of_a_batch_are_indexed(vault_harness: VaultHarness) -> None:
    sink = VaultSink(vault_harness.store, vault_harness.sessions, vault_harness.indexer, vault_harness.clock)
    batch = [MessageRecord(f"s{number % 3}", NewMessage("user", f"heron {number}")) for number in range(9)]
    vault_harness.do(sink.ingest(batch, source="import", format="keepsake", store="private", actor="person"))
    found = vault_harness.rows(
        "SELECT c.session_id, c.seq_start, c.text FROM chunks_fts('heron') f JOIN chunk_texts c ON c.id = f.rowid"
        " ORDER BY c.text"
    )
    assert found == [(f"s{number % 3}", number // 3 + 1, f"heron {number}") for number in range(9)]
