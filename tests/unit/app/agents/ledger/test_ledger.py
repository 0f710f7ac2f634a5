"""The ledger: every call of an agent, by agent, by item and by time; and nothing of what was said."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from app.agents.ledger.model import LedgerCall
from app.api.caller import Caller
from app.api.catalogue import declared
from app.engine import Engine
from app.errors import AccessDeniedError, AccessRequiredError, InputError, KeepsakeError, NotFoundError
from app.host import Host
from tests.helpers.engine import engine_of

SCOUT = Caller("scout", client="scout 1.0")
SECRET = "the marigold safe stands behind the boiler"


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    running = Host(vault, serve=False, overrides={"embedding.model": "hashed"})
    running.start()
    yield running
    running.stop()


def ask(host: Host, operation: str, caller: Caller = SCOUT, /, **arguments: Any) -> Any:
    return host.call(operation, arguments, caller).result().value


def engine(host: Host) -> Engine:
    found = engine_of(host)
    assert isinstance(found, Engine)
    return found


def rows_of(host: Host, sql: str) -> list[Any]:
    return host.submit(engine(host).store.read(lambda connection: connection.execute(sql).fetchall())).result()


def calls(host: Host, **wanted: Any) -> tuple[LedgerCall, ...]:
    found: tuple[LedgerCall, ...] = host.ask("agent.ledger", **wanted).calls
    return found


def test_calls_of_agents_are_recorded_and_the_persons_own_are_not(host: Host) -> None:
    note = host.ask("note.save", content=SECRET)
    assert calls(host) == ()
    ask(host, "note.get", id=note.id)
    saved = ask(host, "note.save", content="new")
    write, read = calls(host)
    assert (read.agent, read.client, read.operation, read.access, read.outcome) == (
        "scout",
        "scout 1.0",
        "note.get",
        "read",
        "done",
    )
    assert (read.read, read.written, write.read, write.written) == ((note.id,), (), (), (saved.id,))
    assert read.milliseconds > 0
    assert read.at <= write.at


def test_the_persons_own_are_recorded_where_they_want_that(vault: Path) -> None:
    host = Host(vault, serve=False, overrides={"ledger.owner": True})
    host.start()
    host.ask("note.save", content="mine")
    assert [call.agent for call in calls(host)] == ["person"]
    host.stop()


@pytest.mark.parametrize(
    ("caller", "operation", "arguments", "outcome"),
    [
        (SCOUT, "agent.list", {}, "access_denied"),
        (replace(SCOUT, trust="public"), "memory.search", {"query": "x"}, "access_denied"),
        (Caller("scout", "public", state="unknown"), "note.get", {"id": "x"}, "access_required"),
        (replace(SCOUT, state="paused"), "note.list", {}, "agent_paused"),
        (SCOUT, "note.save", {"content": 5}, "invalid_input"),
        (SCOUT, "note.save", {"nonsense": SECRET}, "invalid_input"),
        (SCOUT, "note.get", {"id": "note-gone"}, "not_found"),
    ],
)
def test_refused_calls_are_recorded(
    host: Host, caller: Caller, operation: str, arguments: dict[str, Any], outcome: str
) -> None:
    with pytest.raises((AccessDeniedError, AccessRequiredError, InputError, NotFoundError)):
        ask(host, operation, caller, **arguments)
    (call,) = calls(host)
    assert (call.operation, call.outcome, call.read, call.written, call.query_hash) == (operation, outcome, (), (), "")
    assert call.agent == ("unknown" if caller.state == "unknown" else "scout")
    expected = "refused" if outcome in ("access_denied", "access_required", "agent_paused") else "failed"
    assert len(calls(host, outcome=expected)) == 1


def test_nothing_of_what_was_said_or_asked_is_stored(host: Host) -> None:
    ask(host, "memory.search", query=SECRET)
    ask(host, "memory.search", query=f"  {SECRET.upper()} ")
    ask(host, "memory.search", query="another")
    with pytest.raises(KeepsakeError):
        ask(host, "note.update", id="note-x", version=1, content=SECRET)
    third, second, first = calls(host, operation="memory.search")
    rows = [*rows_of(host, "SELECT * FROM audit"), *rows_of(host, "SELECT * FROM audit_names")]
    assert rows
    assert "marigold" not in json.dumps(rows).casefold()
    assert first.query_hash == second.query_hash != third.query_hash != ""
    assert first.query == ""


def test_hashes_are_those_of_one_vault(host: Host, tmp_path: Path) -> None:
    other = Host(tmp_path / "other", serve=False, overrides={"embedding.model": "hashed"})
    other.start()
    for one in (host, other):
        ask(one, "memory.search", query=SECRET)
    hashes = {calls(one)[0].query_hash for one in (host, other)}
    other.stop()
    assert len(hashes) == 2


def test_the_text_of_a_query_is_stored_where_the_person_wants_it(host: Host) -> None:
    host.ask("settings.set", name="ledger.queries", value=True)
    ask(host, "memory.search", query=SECRET)
    ask(host, "note.list", filter={"text": "boiler"})
    assert [(call.query, call.query_hash) for call in calls(host)] == [("boiler", ""), (SECRET, "")]


def test_who_has_read_an_item(host: Host) -> None:
    note = host.ask("note.save", content=SECRET)
    for name in ("scout", "clerk", "scout"):
        ask(host, "note.get", Caller(name), id=note.id)
    ask(host, "note.pin", Caller("painter"), id=note.id)
    readers = host.ask("agent.readers", id=note.id)
    assert {reader.agent: reader.count for reader in readers} == {"scout": 2, "clerk": 1}
    assert all(reader.first <= reader.last for reader in readers)
    assert [call.agent for call in calls(host, item=note.id)] == ["painter", "scout", "clerk", "scout"]
    assert host.ask("agent.readers", id="note-other") == []


def test_calls_are_asked_by_agent_time_operation_and_outcome_a_page_at_a_time(host: Host) -> None:
    begun = datetime.now(UTC)
    for number in range(7):
        ask(host, "tag.list" if number % 2 else "note.list", Caller("scout" if number < 5 else "clerk"))
    assert len(calls(host, agent="clerk")) == 2
    assert {call.operation for call in calls(host, operation="note.")} == {"note.list"}
    assert len(calls(host, operation="tag.list")) == 3
    assert len(calls(host, since=begun - timedelta(minutes=1), outcome="done")) == 7
    assert calls(host, until=begun - timedelta(minutes=1)) == calls(host, since=begun + timedelta(hours=1)) == ()
    first = host.ask("agent.ledger", limit=4)
    second = host.ask("agent.ledger", limit=4, before=first.before)
    assert [len(first.calls), len(second.calls), second.before] == [4, 3, None]
    ids = [call.id for call in (*first.calls, *second.calls)]
    assert ids == sorted(set(ids), reverse=True)


def test_what_an_agent_did_is_summed_in_words(host: Host) -> None:
    note = host.ask("note.save", content=SECRET)
    ask(host, "memory.search", query="marigold")
    ask(host, "note.get", id=note.id)
    ask(host, "note.save", content="one")
    with pytest.raises(AccessDeniedError):
        ask(host, "agent.list")
    sums = host.ask("agent.activity", agent="scout")
    assert (sums.calls, sums.searches, sums.reads, sums.writes, sums.refusals, sums.echoes) == (4, 1, 2, 1, 1, 0)
    assert (sums.items_read, sums.items_written) == (1, 1)
    assert sums.sentence == "scout: 1 search; 1 other read, 1 item in all; 1 write to 1 item; 1 call refused."
    later = datetime.now(UTC) + timedelta(hours=1)
    assert host.ask("agent.activity", agent="scout", since=later).sentence == "scout has not called."


def test_only_the_person_sees_and_clears_it(host: Host) -> None:
    for_the_person: list[tuple[str, dict[str, Any]]] = [
        ("agent.ledger", {}),
        ("agent.readers", {"id": "x"}),
        ("agent.activity", {"agent": "scout"}),
        ("agent.clear_ledger", {}),
    ]
    for operation, arguments in for_the_person:
        with pytest.raises(AccessDeniedError):
            ask(host, operation, **arguments)
    assert len(calls(host)) == 4
    assert host.ask("agent.clear_ledger", before=datetime.now(UTC) - timedelta(days=1)) == 0
    assert host.ask("agent.clear_ledger") == 4
    assert calls(host) == ()
    assert rows_of(host, "SELECT count(*) FROM audit_names") == [(0,)]


def test_calls_outlast_the_end_of_the_program(host: Host) -> None:
    ask(host, "note.list")
    host.stop()
    again = Host(host.vault, serve=False)
    again.start()
    assert [call.operation for call in calls(again)] == ["note.list"]
    again.stop()


def test_old_calls_leave_and_nobody_pushes_out_the_for_the_person(vault: Path) -> None:
    host = Host(vault, serve=False, overrides={"ledger.entries": 1000, "ledger.days": 30})
    host.start()
    ask(host, "note.list", Caller("quiet"))
    for _ in range(1_200):
        ask(host, "memory.operators", Caller("loud"))
    ledger = engine(host).ledger

    async def prune() -> int:
        await ledger.flush()
        return await ledger.prune_once()

    host.submit(prune()).result()
    assert len(calls(host, agent="quiet")) == 1
    assert rows_of(host, "SELECT count(*) FROM audit") == [(1000,)]
    age = "UPDATE audit SET at = 1 WHERE agent = 'loud'"
    host.submit(engine(host).store.write(lambda connection: connection.execute(age).fetchall())).result()
    assert host.submit(prune()).result() == 999
    host.stop()


@pytest.mark.parametrize("kind", ["memory", "session"])
def test_forgetting_for_ever_takes_the_id_out_of_all_calls(host: Host, kind: str) -> None:
    note = host.ask("note.save", content=SECRET).id
    turns = [{"role": "user", "content": SECRET}]
    session = ask(host, "session.append", messages=turns, session="my-own-name").session_id
    ask(host, "note.get", id=note)
    ask(host, "session.recent", session=session)
    erased: dict[str, Any] = {"ids": [note]} if kind == "memory" else {"sessions": [session]}
    host.ask("memory.forget_forever", **erased, confirm=True)
    gone, kept = (note, session) if kind == "memory" else (session, note)
    assert calls(host, item=gone) == ()
    assert calls(host, item=kept) != ()
    assert {call.operation for call in calls(host)} >= {"note.get", "session.recent"}
    assert gone not in json.dumps([*rows_of(host, "SELECT * FROM audit"), *rows_of(host, "SELECT * FROM audit_names")])


def test_calls_of_isolated_agents_are_in_the_persons_ledger(vault: Path) -> None:
    host = Host(vault, serve=False, overrides={"agents.isolated": "scout", "embedding.model": "hashed"})
    host.start()
    saved = ask(host, "note.save", content=SECRET)
    ask(host, "note.get", id=saved.id)
    assert [call.operation for call in calls(host)] == ["note.get", "note.save"]
    assert host.ask("agent.readers", id=saved.id)[0].agent == "scout"
    host.ask(
        "agent.ask",
        agent="scout",
        operation="memory.forget_forever",
        arguments={"ids": [saved.id], "confirm": True},
    )
    assert host.ask("agent.readers", id=saved.id) == []
    host.stop()


READS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "archive.get": ({"id": "{archived}"}, ("archived",)),
    "archive.list": ({}, ("archived",)),
    "entity.duplicates": ({}, ("twin", "other_twin")),
    "entity.graph": ({"id": "{entity}"}, ("entity",)),
    "entity.ids": ({}, ("entity",)),
    "entity.info": ({"id": "{entity}"}, ("entity", "note")),
    "entity.list": ({}, ("entity",)),
    "entity.named": ({"owners": ["{note}"]}, ("entity", "note")),
    "entity.of": ({"owner": "{note}"}, ("entity", "note")),
    "entity.rows": ({"ids": ["{entity}"]}, ("entity",)),
    "fact.beliefs": ({"id": "{fact}"}, ("fact",)),
    "fact.by_metadata": ({"key": "colour", "value": "red"}, ("fact",)),
    "fact.clashes": ({"id": "{clashing}"}, ("fact",)),
    "fact.conflicts": ({"content": "Marta drinks green tea in the morning, always"}, ("fact",)),
    "fact.get": ({"category": "people", "key": "marta"}, ("fact",)),
    "fact.list": ({}, ("fact",)),
    "memory.context": ({"prompt": "Where does Marta live?"}, ("note",)),
    "memory.get": ({"ids": ["{note}", "{session}#1"]}, ("note", "session")),
    "memory.history": ({}, ("note", "fact")),
    "memory.list": ({}, ("note", "fact")),
    "memory.people": ({}, ("entity",)),
    "memory.on_this_day": ({"day": "2001-01-01"}, ("anniversary",)),
    "memory.related": ({"text": "Marta drinks green tea in the morning"}, ("fact",)),
    "memory.search": ({"query": "Marta"}, ("note", "fact", "session")),
    "memory.sources": ({"id": "{drawn}"}, ("session",)),
    "memory.timeline": ({"around": "{note}"}, ("note",)),
    "note.entities": ({}, ("entity",)),
    "note.get": ({"id": "{note}"}, ("note",)),
    "note.ids": ({}, ("note",)),
    "note.links": ({"id": "{linking}"}, ("note",)),
    "note.files": ({}, ("file",)),
    "note.list": ({}, ("note",)),
    "note.mentions": ({"id": "{note}"}, ("naming",)),
    "note.resolve": ({"title": "Marta"}, ("note",)),
    "note.rows": ({"ids": ["{note}"]}, ("note",)),
    "note.templates": ({}, ("template",)),
    "note.titles": ({}, ("note",)),
    "reflection.latest": ({}, ("reflection",)),
    "reflection.list": ({}, ("reflection",)),
    "search.explain": ({"query": "Marta", "id": "{note}"}, ("note",)),
    "session.all": ({"session": "{session}"}, ("session",)),
    "session.at": ({"session": "{session}", "when": "2001-01-01"}, ("session",)),
    "session.before": ({"session": "{session}", "seq": 3}, ("session",)),
    "session.digest.get": ({"session": "{session}"}, ("session",)),
    "session.digest.list": ({}, ("session",)),
    "session.find": ({"session": "{session}", "text": "Marta"}, ("session",)),
    "session.get": ({"session": "{session}"}, ("session",)),
    "session.ids": ({}, ("session",)),
    "session.length": ({"session": "{session}"}, ("session",)),
    "session.list": ({}, ("session",)),
    "session.memories": ({"session": "{session}"}, ("session", "drawn")),
    "session.messages": ({"session": "{session}"}, ("session",)),
    "session.pending": ({}, ("older",)),
    "session.recent": ({"session": "{session}"}, ("session",)),
    "session.restore": ({"session": "{session}"}, ("session",)),
    "session.rows": ({"ids": ["{session}"]}, ("session",)),
    "session.scratchpad.read": ({"session": "{session}"}, ("session",)),
    "session.summary.get": ({"session": "{session}"}, ("session",)),
}
# What answers with numbers and names, not with memories, conversations or entities.
WITHOUT_ITEMS = {
    "fact.confidence",
    "memory.forecast",
    "note.kept_texts",  # of machines that share the vault
    "memory.months",
    "memory.operators",
    "memory.parse",
    "memory.receipts",
    "memory.stats",
    "tag.list",
    "note.days",
    "note.facets",
    "reflection.preview",
    "session.agents",
    "session.groups",
    "session.memory_counts",
}


def test_every_operation_that_reads_items_is_tested_here() -> None:
    reads = {item.name for item in declared() if item.access == "read" and item.holds_items}
    assert reads == READS.keys() | WITHOUT_ITEMS


@pytest.fixture
def filled(host: Host) -> dict[str, str]:
    """Return the ids of something of every kind in the host's vault, by name."""
    names = {
        "note": host.ask("note.save", content="Marta lives in Graz", title="Marta").id,
        "linking": host.ask("note.save", content="See [[Marta]].", title="Links").id,
        "naming": host.ask("note.save", content="Ask Marta about it", title="To do").id,
        "template": host.ask("note.save", content="Plan for {{date}}", title="Plan", tags=["template"]).id,
        "file": host.ask("note.create_file", path="plan.md", content="Plan").id,
        "archived": host.ask("note.save", content="Long ago").id,
        "fact": host.ask(
            "fact.remember",
            content="Marta drinks green tea in the morning",
            category="people",
            key="marta",
            attributes={"colour": "red"},
        ).memory.id,
        "reflection": host.ask("reflection.save", content="A quiet week").id,
        "clashing": host.ask("note.save", content="Marta drinks no green tea in the morning").id,
        "anniversary": host.ask(
            "session.append",
            messages=[{"role": "user", "content": "Long since", "created_at": "2000-01-01T12:00:00Z"}],
        ).session_id,
        "older": host.ask("session.append", messages=[{"role": "user", "content": "Hello"}]).session_id,
        "session": host.ask(
            "session.append", messages=[{"role": "user", "content": f"Marta said {n}"} for n in range(3)]
        ).session_id,
    }
    host.ask("archive.put", ids=[names["archived"]])
    twins = [{"name": name, "type": "person"} for name in ("Katharina Berger", "Katherina Berger")]
    host.ask("graph.create_entities", entities=twins)
    host.ask("note.save", content="Katharina Berger met Katherina Berger in Graz, and Katherina Berger left.")
    host.ask("session.digest.roll", session=names["session"])
    names["drawn"] = host.ask(
        "memory.write", content="She spoke thrice", sources=[{"kind": "message", "id": f"{names['session']}#1"}]
    ).memory.id
    host.ask("vault.settle", names=True)
    names["entity"] = next(row.id for row in host.ask("entity.list") if row.name == "Marta")
    names |= {
        key: next(row.id for row in host.ask("entity.list") if row.name == name)
        for key, name in (("twin", "Katharina Berger"), ("other_twin", "Katherina Berger"))
    }
    return names


def test_what_an_answer_held_is_in_the_ledger(host: Host, filled: dict[str, str]) -> None:
    lacking = {}
    for operation, (arguments, expected) in READS.items():
        ask(host, operation, **json.loads(_filled_in(json.dumps(arguments), filled)))
        (call,) = calls(host, operation=operation)
        assert (call.outcome, call.written) == ("done", ())
        lacking[operation] = {name for name in expected if filled[name] not in call.read}
    assert {operation: names for operation, names in lacking.items() if names} == {}


def _filled_in(text: str, names: dict[str, str]) -> str:
    for name, value in names.items():
        text = text.replace("{" + name + "}", value)
    return text
