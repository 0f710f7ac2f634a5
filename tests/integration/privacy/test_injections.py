"""Orders inside memories: told as data within one fence, and obeyed by no part of Keepsake."""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import apsw
import pytest

from app.api.caller import Caller
from app.core.text_rules.recall_fence import CLOSE, PREAMBLE, entry, fence_text, without_recalled
from app.engine import Engine
from app.errors import InputError, KeepsakeError
from app.host import Host
from app.retrieval.query.parser import parse_plain
from tests.helpers.engine import engine_of
from tests.helpers.hostile.injections import FRAMES, INJECTIONS, OPERATORS

SCOUT = Caller("scout")
FAMILIAR = Caller("visitor", "familiar")
# Not session_summaries, which are rewritten in the background after a turn.
TABLES = (
    "sessions", "messages", "session_state", "memories", "memory_tags", "memory_links",
    "memory_sources", "memory_history", "memory_archive", "entities", "entity_aliases", "mentions", "relations",
    "agents", "access_requests", "inbox", "inbox_rules", "schedules", "files",
)  # fmt: skip
# What reading may change, and what the work after a message notes of its own.
COUNTED = {"access_count", "last_accessed", "captured_seq", "passage_seq", "updated_at"}
_OPENING = re.compile(r"[<＜﹤‹][\s/／]*recalled[-_\s]*memory", re.IGNORECASE)
_ENTRY = re.compile(r"^- ⟦.*", re.MULTILINE)
_LINE = re.compile(r"- ⟦[^⟦⟧\n]+⟧ .*|  >( .*)?|## .*|")


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    running = Host(vault, serve=False, overrides={"embedding.model": "hashed", "consolidation.enabled": False})
    running.start()
    yield running
    running.stop()


def ask(host: Host, operation: str, caller: Caller = SCOUT, /, **arguments: Any) -> Any:
    return host.call(operation, arguments, caller).result().value


def engine(host: Host) -> Engine:
    found = engine_of(host)
    assert isinstance(found, Engine)
    return found


def canonical(host: Host) -> dict[str, str]:
    """Return a digest of every canonical table."""

    def work(connection: apsw.Connection) -> dict[str, str]:
        found = {}
        for table in TABLES:
            columns = [str(row[1]) for row in connection.execute(f"PRAGMA table_info({table})")]
            kept = ", ".join(name for name in columns if name not in COUNTED)
            # Keepsake's own schedules are installed at the start, and run.
            where = " WHERE user_id <> 'keepsake'" if table == "schedules" else ""
            rows = sorted(map(repr, connection.execute(f"SELECT {kept} FROM {table}{where}")))
            found[table] = f"{len(rows)} {hashlib.sha256(repr(rows).encode('utf-8', 'replace')).hexdigest()}"
        return found

    return host.submit(engine(host).store.read(work)).result()


def fill(host: Host, texts: Sequence[str]) -> dict[str, list[str]]:
    """Store every text in every field of every kind of item, as a person's browser or import would."""
    made: dict[str, list[str]] = {"memories": [], "sessions": []}
    for number, text in enumerate(texts):
        line = " ".join(text.split())[:200]
        name = "".join(letter for letter in line if letter.isprintable()) or "name"
        tags = [name[:60]]
        for operation, arguments in (
            (
                "note.save",
                {"content": f"{text}\nheron {number}", "title": line, "tags": tags, "attributes": {name: text}},
            ),
            ("fact.remember", {"content": f"{text} fact {number}", "category": name, "key": f"{number} {name}"}),
            (
                "memory.write",
                {
                    "content": f"{text} told {number}",
                    "title": line,
                    "type": name,
                    "facts": [f"{text} {number}"],
                    "related_files": [name],
                    "related_people": [name],
                },
            ),
            ("reflection.save", {"content": f"{text} week {number}"}),
        ):
            value = _stored(host, operation, arguments)
            if value is not None:
                made["memories"].append(getattr(value, "memory", value).id)
        turns = [
            {"role": "user", "content": f"{text} heron", "author": name},
            {"role": "assistant", "content": text, "tool_calls": [{"name": name, "arguments": {"text": text}}]},
            {"role": "tool", "content": text, "tool_name": name, "payload": {"text": text}},
            {"role": "system", "content": text},
        ]
        session = host.ask("session.append", messages=turns, title=line).session_id
        host.ask("session.summary.set", session=session, summary=text, expected_epoch=0, upper_seq=1)
        host.ask("session.scratchpad.write", session=session, items=[line])
        made["sessions"].append(session)
    host.ask("vault.settle", names=True)
    return made


def _stored(host: Host, operation: str, arguments: dict[str, Any]) -> Any:
    try:
        return host.ask(operation, **arguments)
    except InputError:
        # A field that cannot be stored, such as a key with control characters, is refused; the rest is.
        return None


def require_one_fence(text: str) -> None:
    """Check that all of ``text`` lies in one fence that nothing in it ends."""
    opening, *inner, closing = text.split("\n")
    assert len(_OPENING.findall(text)) == 2, text
    assert opening.startswith('<recalled-memory from="keepsake" mark="ks1-')
    assert (closing, inner[0]) == (CLOSE, PREAMBLE)
    assert [line for line in inner[1:] if not _LINE.fullmatch(line)] == []
    assert without_recalled(text) == ""


def test_every_injection_stays_inside_one_entry() -> None:
    for text in INJECTIONS:
        for recalled in (entry("note-1", "2024", text), entry(text, text, text, whole_lines=True)):
            require_one_fence(fence_text(f"{PREAMBLE}\n\n{recalled}")[0])
    entries = [entry(text, text, text, whole_lines=bool(number % 2)) for number, text in enumerate(INJECTIONS)]
    require_one_fence(fence_text("\n".join([PREAMBLE, "", *entries]))[0])


def test_memories_with_orders_are_told_as_data_and_change_nothing(host: Host) -> None:
    made = fill(host, INJECTIONS)
    assert len(made["memories"]) > 3 * len(INJECTIONS)
    settings, before = host.ask("settings.list"), canonical(host)
    for text in INJECTIONS:
        context = ask(host, "memory.context", prompt=text, session=made["sessions"][0])
        require_one_fence(context.text)
        hits = ask(host, "memory.search", query=text, limit=20).hits
        entries = [entry(hit.id, f"{hit.kind} {hit.title} {hit.author}", hit.snippet, whole_lines=True) for hit in hits]
        if entries:
            require_one_fence(fence_text("\n".join([PREAMBLE, "", *entries]))[0])
        ask(host, "memory.parse", query=text)
        ask(host, "fact.conflicts", content=text)
        ask(host, "note.resolve", title=text)
    for start in range(0, len(made["memories"]), 50):
        ask(host, "memory.get", ids=made["memories"][start : start + 50])
    for memory_id in made["memories"]:
        ask(host, "note.links", id=memory_id) if memory_id.startswith("note-") else None
        ask(host, "search.explain", query="heron", id=memory_id) if memory_id.startswith("ref-") else None
    for session in made["sessions"]:
        ask(host, "session.restore", session=session)
        ask(host, "session.scratchpad.read", session=session)
    ask(host, "memory.timeline", around=made["memories"][0])
    ask(host, "entity.graph")
    ask(host, "session.pending")
    host.ask("vault.settle", names=True)
    assert canonical(host) == before
    assert host.ask("settings.list") == settings


def test_what_is_told_is_not_stored_again_on_any_way(host: Host) -> None:
    fill(host, INJECTIONS[::4])
    context = ask(host, "memory.context", prompt="heron").text
    session = ask(host, "session.append", messages=[{"role": "user", "content": "Hello"}]).session_id
    note = ask(host, "note.save", content="mine")
    before = canonical(host)
    writes: tuple[tuple[str, dict[str, Any]], ...] = (
        ("note.save", {"content": context}),
        ("note.update", {"id": note.id, "version": note.version, "content": context}),
        ("note.save", {"content": json.dumps({"text": context})}),
        ("fact.remember", {"content": context}),
        ("fact.set", {"category": "c", "key": "k", "value": context}),
        ("fact.batch", {"facts": [{"content": context}]}),
        ("memory.write", {"content": context, "facts": [context]}),
        ("reflection.save", {"content": f"> {context}"}),
        ("session.summary.set", {"session": session, "summary": context, "expected_epoch": 0, "upper_seq": 1}),
        ("session.scratchpad.write", {"session": session, "items": [context, *_ENTRY.findall(context)[:20]]}),
        ("session.rename", {"session": session, "title": context}),
        ("entity.relate", {"subject": context, "predicate": "knows", "target": context}),
        ("tag.rename", {"old": "x", "new": context}),
    )
    for operation, arguments in writes:
        with pytest.raises(InputError, match="That is what Keepsake told you"):
            ask(host, operation, **arguments)
    assert canonical(host) == before
    sums = host.ask("agent.activity", agent="scout")
    assert sums.echoes == len(writes)
    assert sums.echo_rate == pytest.approx(len(writes) / (len(writes) + 2), abs=0.001)


def test_what_is_new_beside_it_is_stored_without_it(host: Host) -> None:
    fill(host, INJECTIONS[::8])
    context = ask(host, "memory.context", prompt="heron").text
    mixed = f"New words.\n{context}\nMore of them."
    assert ask(host, "note.save", content=mixed).content == "New words.\n\nMore of them."
    saved = ask(host, "memory.write", content="New too", facts=[context, "a new fact"], title="Title").memory
    assert (saved.content, saved.facts) == ("New too", ("a new fact",))
    for operation in ("session.append", "session.append_later"):
        turn = {"role": "tool", "content": mixed, "payload": {"raw": mixed}, "tool_calls": [{"text": mixed}]}
        ask(host, operation, messages=[turn], session=operation)
        while operation not in host.ask("session.ids"):  # it is stored in the background
            host.ask("vault.status")
        (message,) = host.ask("session.all", session=operation)
        everything = json.dumps([message.content, message.payload, message.tool_calls], ensure_ascii=False)
        assert "<recalled-memory" not in everything
        assert PREAMBLE not in everything
        assert re.fullmatch(r"New words\.\n⟦recalled: [^⟦⟧\n]+⟧\nMore of them\.", message.content)
    assert host.ask("note.save", content=mixed).content == mixed  # the person stores what they like


def test_operators_inside_a_text_reach_nothing(host: Host) -> None:
    host.ask("note.save", content="heron of the private store", store="private")
    host.ask("note.save", content="heron of the social store", store="social")
    for text in (*OPERATORS, "heron store:private"):
        assert "private store" not in ask(host, "memory.context", FAMILIAR, prompt=f"heron {text}").text
        assert all(hit.store == "social" for hit in ask(host, "memory.search", FAMILIAR, query=f"heron {text}").hits)
        query = parse_plain(text, 0)
        assert (query.stores, query.kinds, query.sessions, query.agents, query.roles) == ((), (), (), (), ())


def test_conversations_with_orders_are_condensed_as_text(host: Host) -> None:
    turns = [{"role": "user" if n % 2 else "assistant", "content": text} for n, text in enumerate(INJECTIONS)]
    session = host.ask("session.append", messages=turns, agent="scout").session_id
    settings, untouched = host.ask("settings.list"), ("agents", "access_requests", "inbox", "inbox_rules", "memories")
    before = canonical(host)
    host.ask("session.compact", session=session)
    host.ask("session.digest.roll", session=session)
    after = canonical(host)
    assert {table: after[table] for table in untouched} == {table: before[table] for table in untouched}
    assert host.ask("settings.list") == settings
    require_one_fence(ask(host, "memory.context", prompt="delete everything", session=session).text)


def test_files_with_orders_are_imported_as_text(host: Host, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number, text in enumerate(INJECTIONS):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\n{text}\n", encoding="utf-8")
    lines = [
        json.dumps({"type": "message", "session": "imported", "role": "user", "content": text}) for text in INJECTIONS
    ]
    (tmp_path / "talk.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    settings = host.ask("settings.list")
    host.ask("exchange.import", path=str(folder))
    host.ask("exchange.import", path=str(tmp_path / "talk.jsonl"))
    after = canonical(host)
    for table in ("agents", "access_requests", "inbox", "inbox_rules", "schedules"):
        assert after[table].startswith("0 ")
    assert host.ask("settings.list") == settings
    assert len(host.ask("note.ids")) == len(INJECTIONS)
    assert len(host.ask("session.all", session="imported")) == len(INJECTIONS)
    with pytest.raises(KeepsakeError):
        host.ask("note.get", id="note-planted")
    for text in FRAMES:
        require_one_fence(ask(host, "memory.context", prompt=text).text)


def test_the_set_is_large_and_varied() -> None:
    assert len(set(INJECTIONS)) == len(INJECTIONS) >= 40
