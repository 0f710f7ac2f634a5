"""Properties of undo, export and import, tags, and contended summaries."""

import contextlib
import json
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core.clock import to_datetime
from app.core.text_rules.tag_names import MAX_TAG_LENGTH, MAX_TAGS, normalise_tags
from app.entities import entity_state
from app.errors import InputError
from app.history.state_diff import VOLATILE
from app.host import Host
from app.memories.state_codec import to_state
from tests.helpers.engine import engine_of
from tests.helpers.sample_data import NAUGHTY

VERBS = (
    *("save", "update", "delete", "restore", "pin", "tag", "delete_many", "append", "title", "forget"),
    *("merge", "split", "name", "relate", "unrelate", "undo"),
    *("set", "say", "batch", "correct", "confirm", "resolve", "rename_tag", "merge_tags", "archive", "unarchive"),
)
STEPS = st.lists(st.tuples(st.sampled_from(VERBS), st.integers(0, 7), st.integers(0, 7)), min_size=1, max_size=12)
NAMES = ("Anna Novak", "Bela Kiss", "Acme Corp", "Lake Como", "Clara Winter")

Request = tuple[str, dict[str, Any]]


class Player:
    """Runner of steps on a vault that records which can be undone."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.done: dict[int, None] = {}

    def play(self, verb: str, one: int, other: int) -> None:
        """Do one step to the notes, conversations and entities that the numbers choose."""
        request = (
            self._of_notes(verb, one, other)
            or self._of_facts(verb, one, other)
            or self._of_sessions(verb, one)
            or self._of_names(verb, one, other)
        )
        if request is None:
            return
        try:
            changes = self.host.call(*request).result().changes
        except InputError:
            return
        if changes is not None:
            self.done |= dict.fromkeys(changes.history_ids)

    def undo_all(self) -> None:
        """Undo everything, the latest first; what an undo was undone by stands."""
        for entry in sorted(self.done, reverse=True):
            rows = {row.id: row for row in self.host.ask("memory.history", limit=400)}
            if rows[entry].undone_by is None:
                self.host.ask("memory.undo", history_ids=[entry])

    def _of_notes(self, verb: str, one: int, other: int) -> Request | None:
        name, notes = NAMES[one % len(NAMES)], self.host.ask("note.ids", order="oldest")
        if verb == "save":
            return "note.save", {"content": f"{name} rows on [[{NAMES[other % 5]}]] #boat{other}", "title": name}
        if not notes:
            return None
        key = notes[one % len(notes)]
        requests: dict[str, Callable[[], Request]] = {
            "update": lambda: (
                "note.update",
                self._version(key) | {"content": f"{NAMES[other % 5]} sails", "title": "T"},
            ),
            "delete": lambda: ("note.delete", {"id": key}),
            "restore": lambda: ("note.restore", {"id": self._deleted(one) or key}),
            "pin": lambda: ("note.pin", {"id": key, "pinned": bool(other % 2)}),
            "tag": lambda: ("note.tag_many", {"ids": notes[:other], "add": [f"tag{one}"], "remove": ["tag1", "boat1"]}),
            "delete_many": lambda: ("note.delete_many", {"ids": notes[:other]}),
            "undo": lambda: ("memory.undo", {"history_ids": list(self.done)[one : one + 1]}),
        }
        return requests[verb]() if verb in requests else None

    def _of_facts(self, verb: str, one: int, other: int) -> Request | None:
        name, facts = NAMES[other % len(NAMES)], [fact.id for fact in self.host.ask("fact.list")] or [""]
        fact, notes = facts[one % len(facts)], self.host.ask("note.ids", order="oldest")
        backups = [row.id for row in self.host.ask("archive.list")] or [""]
        drawn = [{"kind": "memory", "id": key} for key in notes[:one]]
        said = {"content": f"{name} sails at {one}", "tags": [f"tag{other}"], "sources": drawn}
        requests: dict[str, Request] = {
            "set": ("fact.set", {"category": "boat", "key": f"{one % 2}", "value": f"{name} #boat", "tags": ["tag1"]}),
            "say": ("memory.write", {**said, "facts": [name], "related_people": [name], "related_files": ["log"]}),
            "batch": ("fact.batch", {"facts": [said, {"content": "Lake Como froze", "category": "boat", "key": "1"}]}),
            "correct": ("fact.correct", {"id": fact, "content": f"{name} never sails"}),
            "confirm": ("fact.confirm", {"id": fact}),
            "resolve": ("fact.resolve", {"new_id": fact, "old_id": facts[other % len(facts)]}),
            "rename_tag": ("tag.rename", {"old": ("boat", "tag1")[one % 2], "new": f"tag{other}"}),
            "merge_tags": ("tag.merge", {"tags": ["boat", f"tag{one}"], "into": f"fleet/boat{other}"}),
            "archive": ("archive.put", {"ids": notes[one : one + other % 3]}),
            "unarchive": ("archive.restore", {"id": backups[one % len(backups)]}),
        }
        return requests.get(verb)

    def _version(self, key: str) -> dict[str, Any]:
        return {"id": key, "version": self.host.ask("note.get", id=key).version}

    def _deleted(self, number: int) -> str | None:
        entries = self.host.ask("memory.history", limit=100)
        gone = [entry.target for entry in entries if entry.event == "DELETE"]
        return gone[number % len(gone)] if gone else None

    def _of_sessions(self, verb: str, one: int) -> Request | None:
        sessions = sorted(self.host.ask("session.ids"))
        if not sessions:
            return None
        session = sessions[one % len(sessions)]
        turn = {"role": "user", "content": f"{NAMES[one % 5]} waved"}
        requests: dict[str, Request] = {
            "append": ("session.append", {"session": session, "messages": [turn]}),
            "title": ("session.rename", {"session": session, "title": f"Title {one}"}),
            "forget": ("session.forget", {"session": session}),
        }
        return requests.get(verb)

    def _of_names(self, verb: str, one: int, other: int) -> Request | None:
        entities = sorted(self.host.ask("entity.ids"))
        if not entities:
            return None
        first, second = entities[one % len(entities)], entities[other % len(entities)]
        requests: dict[str, Callable[[], Request]] = {
            "merge": lambda: ("entity.merge", {"ids": [first], "into": second}),
            "split": lambda: ("entity.split", {"id": first, "messages": [f"s{other % 3}#1"], "name": f"Other {one}"}),
            "name": lambda: ("entity.rename", {"id": first, "name": f"New {other}"}),
            "relate": lambda: ("entity.relate", {"subject": first, "predicate": "knows", "target": second}),
            "unrelate": lambda: ("entity.unrelate", {"subject": first, "predicate": "knows", "target": second}),
        }
        return requests[verb]() if verb in requests else None


def look(host: Host, work: Callable[[apsw.Connection], Any]) -> Any:
    """Read the database of a running host."""
    engine: Any = engine_of(host)
    return host.submit(engine.store.read(work)).result()


def shown(host: Host) -> dict[str, Any]:
    """Return the visible content, without counters, dates of change and history."""
    kept = [host.ask("note.get", id=key) for key in sorted(host.ask("note.ids"))]

    def entities(connection: apsw.Connection) -> dict[str, Any]:
        ids = connection.execute("SELECT id FROM entities ORDER BY id").fetchall()
        found = {str(key): entity_state.read(connection, str(key)) for (key,) in ids}
        return {key: state for key, state in found.items() if state is not None and state["touched"]}

    return {
        "memories": [{key: value for key, value in to_state(one).items() if key not in VOLATILE} for one in kept],
        "sessions": {row.id: row.title for row in host.ask("session.list")},
        # Turns said since cannot be unsaid.
        "turns": {key: host.ask("session.messages", session=key)[:1] for key in host.ask("session.ids")},
        "entities": look(host, entities),
        "found": sorted(hit.id for hit in host.ask("memory.search", query="boat met", limit=500, legs=["words"]).hits),
        "tags": sorted((facet.name, facet.count) for facet in host.ask("tag.list")),
    }


@pytest.fixture
def peopled(host: Host) -> Host:
    """Return a host with three conversations and two notes that name people and places."""
    for number in range(3):
        turns = [{"role": "user", "content": f"{NAMES[number]} met {NAMES[number + 1]} at Lake Como."}]
        host.ask("session.append", session=f"s{number}", messages=turns)
    host.ask("note.save", content="Anna Novak and Bela Kiss own the boat. #boat", title="Boat")
    host.ask("note.save", content="See [[Boat]]. Acme Corp built it.", title="Yard")
    host.ask("vault.settle", names=True)
    return host


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_undoing_everything_gives_the_same_vault(peopled: Host, steps: list[tuple[str, int, int]]) -> None:
    before, player = shown(peopled), Player(peopled)
    for step in steps:
        player.play(*step)
    player.undo_all()
    peopled.ask("vault.settle", names=True)
    assert shown(peopled) == before
    assert peopled.ask("vault.check").findings == ()


RUNS = ("tag", "untag", "delete", "rename", "merge", "archive", "facts")


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(runs=st.lists(st.tuples(st.sampled_from(RUNS), st.integers(1, 20)), min_size=1, max_size=4))
def test_runs_undone_one_after_the_other_give_the_same_vault(host: Host, runs: list[tuple[str, int]]) -> None:
    ids = host.ask("note.ids", order="oldest")
    ids += [host.ask("note.save", content=f"note {number} #boat").id for number in range(len(ids), 20)]
    before, marks = shown(host), list[str]()
    for verb, count in runs:
        said = [
            {"content": f"fact {count} of {number % 3}", "category": "c", "key": f"{number}"} for number in range(4)
        ]
        requests: dict[str, Request] = {
            "tag": ("note.tag_many", {"ids": ids[:count], "add": ["x", f"y{count}"]}),
            "untag": ("note.tag_many", {"ids": ids[:count], "remove": ["boat", "x"]}),
            "delete": ("note.delete_many", {"ids": ids[:count]}),
            "rename": ("tag.rename", {"old": "boat", "new": f"ship{count}/boat"}),
            "merge": ("tag.merge", {"tags": ["boat", "x"], "into": "fleet"}),
            "archive": ("archive.put", {"ids": ids[count - 1 :]}),
            "facts": ("fact.batch", {"facts": said}),
        }
        try:
            changes = host.call(*requests[verb]).result().changes
        except InputError:
            continue  # there is no such tag now
        if changes is not None and changes.history_ids:
            marks.append(host.ask("memory.history", limit=1)[0].run_id)
    for mark in reversed(marks):
        host.ask("memory.undo", run_id=mark)
    assert shown(host) == before


WORDS = st.one_of(st.sampled_from(NAUGHTY), st.text(max_size=40), st.sampled_from(NAMES))
INSTANTS = st.integers(0, 4_000_000_000_000)
DEEDS = ("set", "fact", "seen", "reflect", "own", "correct", "confirm", "delete", "archive", "read")


def lines(file: Path, kind: str) -> list[dict[str, Any]]:
    """Return the lines of an export that are of a kind, without what counts changes."""
    found = [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]
    return [{key: value for key, value in one.items() if key != "version"} for one in found if one["type"] == kind]


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    turns=st.lists(st.tuples(WORDS, WORDS, INSTANTS, st.floats(0, 1), st.booleans()), min_size=1, max_size=6),
    notes=st.lists(st.tuples(WORDS, WORDS, st.lists(WORDS, max_size=4), st.booleans()), max_size=4),
    facts=st.lists(st.tuples(st.sampled_from(DEEDS), WORDS, st.lists(WORDS, max_size=3), INSTANTS), max_size=8),
    data=st.data(),
)
def test_an_export_read_into_an_empty_vault_is_the_same_export(
    template_db: Path, tmp_path_factory: pytest.TempPathFactory, turns: Any, notes: Any, facts: Any, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("round")
    first = folder / "first.jsonl"
    with opened(template_db, folder / "one") as host:
        for number, (text, author, said_ms, importance, is_tool) in enumerate(turns):
            turn = {"role": "tool" if is_tool else "user", "content": text, "author": author, "importance": importance}
            turn |= {"created_at": f"{to_datetime(said_ms).isoformat()}", "payload": {"from": text[:5]}}
            turn |= {"tool_calls": [{"id": "c", "arguments": {"x": number}}]} if not is_tool else {"tool_name": "t"}
            host.ask("session.append", session=f"s{number % 2}", messages=[turn], title=author, agent="Atlas")
        look_marked(host, data.draw(st.sampled_from((None, 1_700_000_000_000))))
        for text, title, tags, pinned in notes:
            if text.strip():
                kept = host.ask("note.save", content=text, title=title[:50], tags=tags, store="shared")
                host.ask("note.pin", id=kept.id, pinned=pinned)
        for deed in facts:
            remembered(host, *deed)
        host.ask("exchange.export", path=str(first), format="jsonl")
    with opened(template_db, folder / "two") as host:
        report = host.ask("exchange.import", path=str(first))
        assert report.problems == ()
        host.ask("exchange.export", path=str(folder / "second.jsonl"), format="jsonl")
        assert host.ask("exchange.import", path=str(first)).unchanged == len(turns) + len(lines(first, "memory"))
    for kind in ("session", "message", "memory"):
        assert lines(folder / "second.jsonl", kind) == lines(first, kind)


def remembered(host: Host, deed: str, text: str, more: list[str], at_ms: int) -> None:
    """Apply one random action to facts, observations or the archive; refusals are ignored."""
    when, ids = to_datetime(at_ms).isoformat(), host.ask("note.ids", order="oldest")
    drawn = [{"kind": "message", "id": "s0#1"}, *({"kind": "memory", "id": identity} for identity in ids[:2])]
    facts = [one.id for one in host.ask("fact.list")]
    requests: dict[str, Callable[[], Request]] = {
        "set": lambda: (
            "fact.set",
            {"category": "c", "key": f"k{at_ms % 2}", "value": text, "attributes": {"m": more}},
        ),
        "fact": lambda: ("fact.remember", {"content": text, "tags": more, "sources": drawn, "decay_rate": 2.5}),
        "seen": lambda: (
            "memory.write",
            {"content": text, "facts": more, "related_files": more, "related_people": more, "type": "decision"}
            | {"title": text[:9], "event_time": when, "expires_at": "2990-01-01T00:00:00Z", "session": "s0"},
        ),
        "reflect": lambda: ("reflection.save", {"content": f"[[{text}]]", "sources": drawn, "store": "social"}),
        "own": lambda: ("note.save", {"content": text, "id": f"mine {at_ms}"}),
        "correct": lambda: ("fact.correct", {"id": facts[0], "content": text}),
        "confirm": lambda: ("fact.confirm", {"id": facts[0]}),
        "delete": lambda: ("note.delete_many", {"ids": ids[:1]}),
        "archive": lambda: ("archive.put", {"ids": ids[-1:], "reason": text}),
        "read": lambda: ("memory.get", {"ids": ids}),
    }
    with contextlib.suppress(InputError, IndexError):
        host.call(*requests[deed]()).result()


@contextlib.contextmanager
def opened(template_db: Path, vault: Path, *, is_new: bool = True) -> Iterator[Host]:
    """Run a host on a new vault, or on one that is there."""
    if is_new:
        vault.mkdir(mode=0o700)
        Path(shutil.copy(template_db, vault / "memory.db")).chmod(0o600)
    host = Host(vault, serve=False, overrides={"index.vectors": False})
    host.start()
    try:
        yield host
    finally:
        host.stop()


def look_marked(host: Host, at_ms: int | None) -> None:
    """Note that facts were drawn from all conversations at a time."""

    def work(connection: apsw.Connection) -> None:
        connection.execute("UPDATE sessions SET consolidated_at = ?", (at_ms,))

    engine: Any = engine_of(host)
    host.submit(engine.store.write(work)).result()


@given(st.lists(st.one_of(st.text(max_size=100), st.sampled_from(NAUGHTY)), max_size=30))
def test_tags_in_stored_form_stay_as_they_are(tags: list[str]) -> None:
    stored = normalise_tags(tags)
    assert normalise_tags(stored) == stored
    assert len(set(stored)) == len(stored) <= MAX_TAGS
    assert all(0 < len(tag) <= MAX_TAG_LENGTH and tag == tag.lower().strip() for tag in stored)
    assert normalise_tags([tag.upper() for tag in stored if tag.upper().lower() == tag]) == tuple(
        tag for tag in stored if tag.upper().lower() == tag
    )


def test_each_epoch_of_a_summary_has_one_winner(host: Host) -> None:
    host.ask("session.append", session="s", messages=[{"role": "user", "content": f"turn {n}"} for n in range(9)])
    won: list[list[int]] = [[] for _ in range(6)]

    def compete(number: int) -> None:
        for attempt in range(20):
            epoch = host.ask("session.summary.get", session="s").epoch
            text = f"{number} {attempt}"
            written = host.ask("session.summary.set", session="s", summary=text, expected_epoch=epoch, upper_seq=1)
            if written.applied:
                won[number].append(epoch)

    threads = [threading.Thread(target=compete, args=(number,)) for number in range(len(won))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    epochs = [epoch for mine in won for epoch in mine]
    last = host.ask("session.summary.get", session="s").epoch
    assert sorted(epochs) == list(range(last))
    assert all(mine == sorted(mine) for mine in won)
