"""An export read into a new vault gives every canonical row again, and a second time adds nothing."""

import base64
import json
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.errors import InputError
from app.host import Host
from tests.helpers.encryption import PASSPHRASE
from tests.helpers.engine import engine_of
from tests.integration.contents.test_properties import NAMES, VERBS, Player, opened, remembered

STEPS = st.lists(
    st.tuples(st.sampled_from((*VERBS, "summary", "pad", "digest", "alias", "place", "read", "consolidated")),
              st.integers(0, 7), st.integers(0, 7)),
    min_size=4,
    max_size=25,
)  # fmt: skip
DEEDS = st.lists(
    st.tuples(
        st.sampled_from(("set", "fact", "seen", "reflect", "correct", "confirm", "archive", "read")),
        st.sampled_from(NAMES),
        st.lists(st.sampled_from(NAMES), max_size=2),
        st.integers(0, 2_000_000_000_000),
    ),
    max_size=8,
)
ATTACHED = st.dictionaries(
    st.sampled_from(("plan.json", "plan.csv", "rows of beds.csv", "Grüße.json")),
    st.text("abc\n,é", min_size=1).map(lambda text: text.encode()),
    max_size=3,
)
# What each table holds for ever. Row ids, counts of mentions and what an index derives are made anew.
TABLES = {
    "sessions": "id, title, agent, channel, trust, preview, message_count, created_at, updated_at, first_seen,"
    " consolidated_at, forgotten_at, attributes FROM sessions",
    "messages": "session_id, seq, role, author, content, tool_call_id, tool_name, tool_calls, payload, importance,"
    " tokens, created_at FROM messages",
    "session_state": "session_id, last_seq, summary, summary_epoch, summary_upper_seq, scratchpad, captured_seq,"
    " updated_at FROM session_state",
    "session_aliases": "* FROM session_aliases",
    "session_summaries": "* FROM session_summaries",
    "memories": "id, kind, title, title_key, content, facts, files, people, category, key, type, store, source,"
    " session_id, confidence, decay_rate, pinned, access_count, last_accessed, mention_count, tokens, content_hash,"
    " event_time, created_at, updated_at, valid_until, expires_at, superseded_by, schema_version, version, attributes"
    " FROM memories",
    "memory_tags": "* FROM memory_tags",
    "memory_links": "* FROM memory_links",
    "memory_sources": "* FROM memory_sources",
    "memory_archive": "id, kind, json_remove(payload, '$.memories[0].rowid'), archived_at, reason FROM memory_archive",
    "entities": "id, canonical_name, name_key, type, summary, protected, touched, created_at, updated_at, merged_into,"
    " position_x, position_y, attributes FROM entities WHERE touched OR protected OR merged_into IS NOT NULL",
    "positions": "canonical_name, type, position_x, position_y FROM entities WHERE position_x IS NOT NULL",
    "entity_aliases": "a.* FROM entity_aliases a JOIN entities e ON e.id = a.entity_id WHERE e.touched",
    "entity_claims": "* FROM entity_claims",
    "relations": "* FROM relations",
    "files": "source_uri, content_hash, format, target, attributes FROM files WHERE format <> 'keepsake'",
}
HISTORY = (
    "SELECT h.target_kind, h.target, h.event, h.before, h.after, h.actor, h.run_id, h.at, u.event, u.at"
    " FROM memory_history h LEFT JOIN memory_history u ON u.id = h.undone_by ORDER BY h.id"
)


def rows(vault: Path, columns: str) -> list[tuple[Any, ...]]:
    connection = apsw.Connection(str(vault / "memory.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return sorted(connection.execute(f"SELECT {columns}"), key=repr)
    finally:
        connection.close()


def canonical(vault: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return every canonical row of a vault that is not open."""
    return {table: rows(vault, columns) for table, columns in TABLES.items()}


def files(vault: Path) -> dict[str, bytes]:
    """Return the attachments of a plain vault."""
    return {path.name: path.read_bytes() for path in sorted((vault / "attachments").glob("*"))}


def history(vault: Path) -> list[tuple[Any, ...]]:
    connection = apsw.Connection(str(vault / "memory.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return list(connection.execute(HISTORY))
    finally:
        connection.close()


def prepare(host: Host) -> None:
    """Put conversations, notes and names into a vault."""
    for number in range(3):
        turns = [{"role": "user", "content": f"{NAMES[number]} met {NAMES[number + 1]} at Lake Como."}]
        channel = {"title": f"Talk {number}", "agent": "Atlas", "channel": f"chat:{number}:x"}
        host.ask("session.append", session=f"s{number}", messages=turns, **channel)
    host.ask("note.save", content="Anna Novak and Bela Kiss own the boat. #boat", title="Boat")
    host.ask("note.save", content="See [[Boat]]. Acme Corp built it.", title="Yard", store="shared")
    host.ask("vault.settle", names=True)


def act(host: Host, player: Player, verb: str, one: int, other: int) -> None:
    """Do one step; one that is refused is passed over."""
    sessions = sorted(host.ask("session.ids")) or ["none"]
    session, entities = sessions[one % len(sessions)], sorted(host.ask("entity.ids")) or ["none"]
    turn = {"role": "assistant", "content": f"Turn {one}", "tool_calls": [{"id": "c", "name": "t"}]}
    notes = host.ask("note.ids", order="oldest")
    try:
        if verb == "summary":
            epoch = host.ask("session.summary.get", session=session).epoch
            host.ask("session.summary.set", session=session, summary=f"S {one}", expected_epoch=epoch, upper_seq=1)
        elif verb == "pad":
            host.ask("session.scratchpad.write", session=session, items=[f"do {one}", f"then {other}"])
        elif verb == "digest":
            host.ask("session.digest.roll", session=session)
        elif verb == "alias":
            host.ask("session.append", session=f"other {one}", messages=[turn], channel=f"chat:{other % 3}:x")
        elif verb == "place":
            host.ask("entity.place", positions=[(entities[one % len(entities)], one / 3, -other / 7)])
        elif verb == "read":
            host.ask("memory.get", ids=notes[:other])
        elif verb == "consolidated":
            look_consolidated(host, session, 1_700_000_000_000 + one)
        else:
            player.play(verb, one, other)
    except InputError:
        return


def look_consolidated(host: Host, session: str, at_ms: int) -> None:
    def work(connection: apsw.Connection) -> None:
        connection.execute("UPDATE sessions SET consolidated_at = ? WHERE id = ?", (at_ms, session))
        connection.execute("UPDATE session_state SET captured_seq = 1 WHERE session_id = ?", (session,))

    engine: Any = engine_of(host)
    host.submit(engine.store.write(work)).result()


def export(host: Host, path: Path, form: str = "jsonl", **options: Any) -> None:
    host.ask("exchange.export", path=str(path), format=form, **options)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS, deeds=DEEDS, attached=ATTACHED, form=st.sampled_from(("jsonl", "folder", "encrypted")))
def test_a_new_vault_has_every_canonical_row(
    template_db: Path, tmp_path_factory: pytest.TempPathFactory, steps: Any, deeds: Any, attached: Any, form: str
) -> None:
    folder = tmp_path_factory.mktemp("round")
    file, notes = folder / ("vault.jsonl" if form == "jsonl" else "everything"), folder / "notes"
    secret = {"passphrase": PASSPHRASE} if form == "encrypted" else {}
    notes.mkdir()
    (notes / "Pier.md").write_text("See [[Boat]] #boat")
    with opened(template_db, folder / "one") as host:
        prepare(host)
        for name, data in attached.items():
            host.ask("attachment.add", name=name, data=base64.b64encode(data).decode())
        host.ask("exchange.import", path=str(notes))
        player = Player(host)
        for step in steps:
            act(host, player, *step)
        for deed in deeds:
            remembered(host, *deed)
        host.ask("vault.settle", names=True)
    with opened(template_db, folder / "one", is_new=False) as host:  # counts of reads are stored when it closes
        export(host, file, form, history=True, **secret)
    before = canonical(folder / "one")
    with opened(template_db, folder / "two") as host:
        assert host.ask("exchange.import", path=str(file), **secret).problems == ()
        host.ask("vault.settle", names=True)
        assert host.ask("vault.check").findings == ()
    assert files(folder / "two") == files(folder / "one")
    after = canonical(folder / "two")
    for table, expected in before.items():
        assert after[table] == expected, table
    kept = history(folder / "two")
    assert [entry for entry in kept if entry in history(folder / "one")] == history(folder / "one")
    with opened(template_db, folder / "two", is_new=False) as host:
        again = host.ask("exchange.import", path=str(file), **secret)
        assert (again.sessions, again.messages, again.memories, again.updated, again.problems) == (0, 0, 0, 0, ())
        host.ask("exchange.import", path=str(notes))
    assert canonical(folder / "two") == after
    assert history(folder / "two") == kept


def test_without_history_there_is_none(host: Host, tmp_path: Path) -> None:
    host.ask("note.save", content="x")
    export(host, tmp_path / "out.jsonl")
    types = [json.loads(line)["type"] for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert "history" not in types


def test_an_import_that_was_cut_off_goes_on_to_the_same_vault(
    template_db: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("cut")
    file = folder / "vault.jsonl"
    with opened(template_db, folder / "one") as host:
        prepare(host)
        player = Player(host)
        for verb in ("summary", "pad", "alias", "merge", "relate", "archive", "forget", "consolidated", "set"):
            act(host, player, verb, 1, 2)
        host.ask("vault.settle", names=True)
        export(host, file, history=True)
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    with opened(template_db, folder / "two") as host:
        for cut in range(1, len(lines) + 1):
            part = folder / "part.jsonl"
            part.write_text("".join(lines[:cut]), encoding="utf-8")
            assert host.ask("exchange.import", path=str(part)).problems == (), lines[cut - 1]
            if cut % 3 == 0:  # names are read before what was decided about them is there
                host.ask("vault.settle", names=True)
        host.ask("vault.settle", names=True)
        assert host.ask("vault.check").findings == ()
    assert canonical(folder / "two") == canonical(folder / "one")
    counts = "canonical_name, type, mention_count FROM entities WHERE merged_into IS NULL AND mention_count > 0"
    assert rows(folder / "two", counts) == rows(folder / "one", counts)
