"""Operations that read memories of a running host."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.api.caller import Caller
from app.core.clock import to_datetime
from app.errors import AccessDeniedError, InputError, KeyConflictError, NotFoundError
from app.host import Host
from tests.helpers.engine import engine_of


def counted(host: Host) -> None:
    """Write the counts that wait."""
    engine: Any = engine_of(host)
    host.submit(engine.memories.access.flush()).result()


@pytest.mark.parametrize(
    ("operation", "arguments", "error"),
    [
        ("memory.get", {}, InputError),
        ("memory.get", {"id": ""}, InputError),
        ("memory.get", {"id": "note-none"}, NotFoundError),
        ("memory.get", {"ids": ["x"] * 1001}, InputError),
        ("memory.get", {"id": "x", "as_of": "yesterday"}, InputError),
        ("memory.get", {"id": "x", "max_tokens": -1}, InputError),
        ("memory.timeline", {"around": "note-none"}, NotFoundError),
        ("memory.timeline", {"kinds": ["song"]}, InputError),
        ("memory.stats", {"step": "hour"}, InputError),
        ("memory.undo", {}, InputError),
        ("memory.undo", {"history_ids": [1], "run_id": "run-1"}, InputError),
        ("memory.undo", {"run_id": "run-none"}, NotFoundError),
        ("tag.rename", {"old": "none", "new": "x"}, NotFoundError),
        ("tag.merge", {"tags": [], "into": "x"}, InputError),
    ],
)
def test_bad_input(host: Host, operation: str, arguments: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        host.call(operation, arguments).result()


def test_get_gives_whole_items_within_a_budget_and_names_the_rest(host: Host) -> None:
    notes = [host.ask("note.save", content="word " * size, title=f"T{size}").id for size in (40, 400, 8)]
    memories = host.ask("memory.get", ids=[*notes, "note-none", notes[0]], max_tokens=100)
    assert [memory.id for memory in memories.memories] == [notes[0], notes[2]]
    assert [(left.id, left.title) for left in memories.left_out] == [(notes[1], "T400")]
    assert memories.missing == ("note-none",)
    assert memories.tokens + memories.left_out[0].tokens == host.ask("memory.get", ids=notes).tokens
    assert host.ask("memory.get", ids=notes, max_tokens=0).memories == ()


def test_what_search_and_get_give_is_counted_and_survives_the_stop(vault: Path) -> None:
    host = Host(vault, serve=False)
    host.start()
    note, other = host.ask("note.save", content="heron"), host.ask("note.save", content="plough")
    host.ask("memory.search", query="heron", legs=["words"])
    host.ask("memory.get", id=note.id)
    host.ask("memory.get", id=note.id, as_of="2100-01-01T00:00:00Z")
    host.ask("memory.search", query="heron", as_of="2100-01-01T00:00:00Z")
    host.stop()
    again = Host(vault, serve=False)
    again.start()
    try:
        assert [again.ask("note.get", id=one.id).access_count for one in (note, other)] == [2, 0]
        stats = again.ask("memory.stats")
        assert (stats.accessed, stats.last_accessed) == (2, again.ask("note.get", id=note.id).last_accessed)
        assert again.ask("note.get", id=note.id).version == 1
        assert [entry.event for entry in again.ask("memory.history", target=note.id)] == ["ADD"]
    finally:
        again.stop()


def test_stats_tell_each_caller_of_its_own(host: Host) -> None:
    host.ask("note.save", content="a", source="claude")
    host.ask("note.save", content="b", store="shared")
    host.ask("session.append", session="s", messages=[{"role": "user", "content": "said"}])
    stats = host.ask("memory.stats", steps=2, step="week")
    assert (stats.memories, stats.sessions, stats.messages) == (2, 1, 1)
    assert {facet.name: facet.count for facet in stats.stores} == {"private": 1, "shared": 1}
    assert {facet.name for facet in stats.sources} == {"claude", "person"}
    assert [(week.memories, week.messages) for week in stats.growth] == [(0, 0), (2, 1)]
    assert stats.growth[1].day.weekday() == 0
    assert stats.chunks > 0 < stats.disk_bytes
    seen = host.call("memory.stats", {}, Caller("agent", "inner")).result().value
    assert (seen.memories, seen.messages, seen.chunks, seen.disk_bytes) == (1, 0, 0, 0)
    assert sum(day.memories for day in seen.growth) == 1
    with pytest.raises(AccessDeniedError):
        host.call("memory.stats", {}, Caller("stranger", "public")).result()


def test_people_and_sessions(host: Host) -> None:
    turns = [{"role": "user", "content": f"Alice Jones met Bob Miller, turn {number}."} for number in range(4)]
    host.ask("session.append", session="s", title="Talk", messages=turns)
    host.ask("note.save", content="Alice Jones sings.", store="shared")
    host.ask("vault.settle", names=True)
    people = {one.name: (one.mentions, one.memories) for one in host.ask("memory.people")}
    assert people == {"Alice Jones": (5, 1), "Bob Miller": (4, 0)}
    assert [one.name for one in host.ask("memory.people", text="bob")] == ["Bob Miller"]
    inner = host.call("memory.people", {}, Caller("agent", "inner")).result().value
    assert [(one.name, one.mentions, one.memories) for one in inner] == [("Alice Jones", 1, 1)]
    host.ask("session.digest.roll", session="s")
    assert [one.session_id for one in host.ask("session.digest.list", agent="")] == ["s"]
    with pytest.raises(AccessDeniedError):
        host.call("session.digest.list", {}, Caller("agent", "inner")).result()


def test_a_renamed_tag_is_undone_by_its_run(host: Host) -> None:
    note = host.ask("note.save", content="in the #garden/soil", tags=["garden"])
    done = host.ask("tag.rename", old="garden", new="hof")
    assert [facet.name for facet in host.ask("tag.list")] == ["hof", "hof/soil"]
    assert [hit.id for hit in host.ask("memory.search", query="tag:hof").hits] == [note.id]
    host.ask("memory.undo", run_id=done.run_id)
    assert host.ask("note.get", id=note.id).content == "in the #garden/soil"
    assert [facet.name for facet in host.ask("tag.list", prefix="g")] == ["garden", "garden/soil"]
    with pytest.raises(NotFoundError):
        host.ask("memory.undo", run_id=done.run_id)


def test_timeline_begins_at_the_requested_item(host: Host) -> None:
    note = host.ask("note.save", content="now")
    host.ask("session.append", session="s", messages=[{"role": "user", "content": "said"}])
    for around in ("", "today", "2100-01-01", note.id, "s#1"):
        assert {item.id for item in host.ask("memory.timeline", around=around).items} == {note.id, "s#1"}
    assert host.ask("memory.timeline", around="2000-01-01", after=1).later


class SetClock:
    """A clock that says what it was set to."""

    def __init__(self) -> None:
        self.ms = 1_700_000_000_000

    def now_ms(self) -> int:
        return self.ms


def test_the_past_knows_of_the_archive_and_forgets_what_is_forgotten_for_ever(vault: Path) -> None:
    clock = SetClock()
    host = Host(vault, serve=False, clock=clock)
    host.start()
    try:
        note = host.ask("note.save", content="heron")
        stood: list[tuple[int, list[str], list[str], int]] = []

        def look(at_ms: int | None) -> tuple[list[str], list[str], int]:
            as_of = None if at_ms is None else to_datetime(at_ms)
            active = host.ask("memory.list", as_of=as_of)
            trash = host.ask("memory.list", filter={"deleted": True}, as_of=as_of)
            result = host.ask("memory.search", query="heron", as_of=as_of)
            return [row.id for row in active], [row.id for row in trash], len(result.hits)

        for operation, arguments in (
            ("vault.settle", {}),
            ("archive.put", {"ids": [note.id]}),
            ("archive.restore", {"id": note.id}),
            ("note.delete", {"id": note.id}),
            ("archive.put", {"ids": [note.id]}),
        ):
            clock.ms += 400_000
            host.ask(operation, **arguments)
            stood.append((clock.ms, *look(None)))
        assert [(at, *look(at)) for at, *_ in stood] == stood
        assert look(stood[0][0] - 1_000_000) == ([], [], 0)
        host.ask("memory.forget_forever", ids=[note.id], confirm=True)
        assert [look(at) for at, *_ in stood] == [([], [], 0)] * len(stood)
        with pytest.raises(NotFoundError):
            host.ask("memory.get", id=note.id, as_of=to_datetime(stood[0][0]))
    finally:
        host.stop()


def test_get_gives_turns_by_the_ids_that_searches_show(host: Host) -> None:
    note = host.ask("note.save", content="heron")
    turns = [{"role": "user", "content": f"heron {number}"} for number in range(3)]
    host.ask("session.append", session="s#1", messages=turns)
    shown = [hit.id for hit in host.ask("memory.search", query="heron", legs=["words"]).hits]
    found = host.ask("memory.get", ids=[*shown, "s#1#9", "nobody#1", "s#1#x"])
    assert {memory.id for memory in found.memories} == {note.id}
    assert sorted(turn.content for turn in found.messages) == ["heron 0", "heron 1", "heron 2"]
    assert found.missing == ("s#1#9", "nobody#1", "s#1#x")
    assert host.ask("memory.get", id="s#1#2").messages[0].content == "heron 1"
    assert [left.id for left in host.ask("memory.get", id="s#1#2", max_tokens=0).left_out] == ["s#1#2"]
    long_ago = host.ask("memory.get", ids=["s#1#2"], as_of="2001-01-01T00:00:00Z")
    assert (long_ago.messages, long_ago.missing) == ((), ("s#1#2",))


def test_unknown_ids_are_missing_whether_one_or_all(host: Host) -> None:
    assert host.ask("memory.get", ids=["note-none", "s#1"]).missing == ("note-none", "s#1")
    with pytest.raises(NotFoundError, match="no memory or message"):
        host.ask("memory.get", id="s#1")


def test_turns_of_others_are_missing_below_full_trust(host: Host) -> None:
    turn = {"role": "user", "content": "words"}
    host.ask("session.append", session="mine", messages=[turn])
    agent = Caller("agent", "inner")
    ours = host.call("session.append", {"session": "ours", "messages": [turn]}, agent).result().value.session_id
    found = host.call("memory.get", {"ids": ["mine#1", "ours#1"]}, agent).result().value
    assert ([message.session_id for message in found.messages], found.missing) == ([ours], ("mine#1",))


def test_reading_a_note_counts_as_an_access(host: Host) -> None:
    note = host.ask("note.save", content="heron")
    host.ask("note.get", id=note.id)
    counted(host)
    assert host.ask("note.get", id=note.id).access_count == 1


def test_key_of_an_append_cannot_carry_other_turns(host: Host) -> None:
    requested = {"session": "s", "key": "k", "messages": [{"role": "user", "content": "one"}]}
    assert host.ask("session.append", **requested) == replace(host.ask("session.append", **requested), created=True)
    for other in ("two", "one "):
        with pytest.raises(KeyConflictError, match="key of its own"):
            host.ask("session.append", **{**requested, "messages": [{"role": "user", "content": other}]})
    assert host.ask("session.length", session="s") == 1
