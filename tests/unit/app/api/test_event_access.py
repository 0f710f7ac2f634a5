"""Events by caller: nobody hears of what it may not read."""

from typing import Any

import pytest

from app.api.caller import OWNER, Caller
from app.api.event_access import visible
from app.changes import ChangeSet, Event, Progress
from app.host import Host

FULL = Caller("helper", "full")
INNER = Caller("helper", "inner")
FAMILIAR = Caller("helper", "familiar")
TURN = {"role": "user", "content": "words"}


def events_of(host: Host, operation: str, **arguments: Any) -> list[ChangeSet]:
    """Return what everybody is told of an operation of the person."""
    events: list[Event] = []
    unsubscribe = host.subscribe(events.append)
    host.ask(operation, **arguments)
    unsubscribe()
    return [event for event in events if isinstance(event, ChangeSet) and event.operation]


def seen_by(host: Host, caller: Caller, operation: str, **arguments: Any) -> list[ChangeSet]:
    """Return what ``caller`` hears of an operation of the person."""
    shown = (visible(event, caller) for event in events_of(host, operation, **arguments))
    return [event for event in shown if isinstance(event, ChangeSet)]


@pytest.mark.parametrize(("store", "callers"), [("private", []), ("shared", [INNER]), ("social", [INNER, FAMILIAR])])
def test_a_memory_is_heard_of_in_its_store(host: Host, store: str, callers: list[Caller]) -> None:
    for caller in (INNER, FAMILIAR, Caller("helper", "full", ("private",)), Caller("stranger", "public")):
        received = seen_by(host, caller, "note.save", content=f"for {store} {caller}", store=store)
        hears = caller in callers or (store == "private" and "private" in caller.stores)
        assert [event.areas >= {"memories"} for event in received] == [True] * hears
        assert all(event.history_ids == () for event in received)
    assert seen_by(host, OWNER, "note.save", content="mine")[0].history_ids


def test_what_moves_between_stores_is_heard_of_in_both(host: Host) -> None:
    note = host.ask("note.save", content="ours", store="social")
    received = seen_by(host, FAMILIAR, "note.update", id=note.id, version=1, store="private")
    assert [event.ids for event in received] == [(note.id,)]
    assert received[0].scopes == (("social",),)
    assert seen_by(host, FAMILIAR, "note.update", id=note.id, version=2, content="now mine") == []


def test_a_bulk_change_names_only_what_the_caller_reads(host: Host) -> None:
    stores = ("private", "shared", "social")
    notes = {store: host.ask("note.save", content=f"{store} #old", store=store).id for store in stores}
    for operation, arguments in (
        ("note.tag_many", {"ids": [*notes.values()], "add": ["new"]}),
        ("tag.rename", {"old": "old", "new": "newer"}),
        ("archive.put", {"ids": [*notes.values()]}),
    ):
        (event,) = events_of(host, operation, **arguments)
        for caller, wanted in ((INNER, {notes["shared"], notes["social"]}), (FAMILIAR, {notes["social"]})):
            shown = visible(event, caller)
            assert isinstance(shown, ChangeSet)
            assert set(shown.ids) == wanted, operation
            assert len(shown.scopes or ()) == len(shown.ids)


def test_conversations_are_heard_of_by_their_agent(host: Host) -> None:
    for agent, hears in (("helper", True), ("other", False), ("", False)):
        received = seen_by(host, INNER, "session.append", messages=[TURN], agent=agent)
        assert [event.areas for event in received] == [{"sessions", "messages"}] * hears
    assert seen_by(host, Caller("helper", "full", ("private",)), "session.append", messages=[TURN])


def test_full_trust_hears_of_what_it_reads_and_not_of_administration(host: Host) -> None:
    assert seen_by(host, FULL, "note.save", content="mine")
    assert seen_by(host, FULL, "settings.set", name="search.limit", value=7) == []
    assert seen_by(host, FULL, "agent.add", name="another") == []
    assert seen_by(host, OWNER, "settings.set", name="search.limit", value=8)


def test_a_change_of_unknown_place_is_for_those_who_read_everything() -> None:
    event = ChangeSet(frozenset({"memories"}), ("note-1",))
    assert visible(event, INNER) is None
    assert visible(event, FULL) == event
    assert visible(ChangeSet(frozenset({"memories"}), (), scopes=(("shared",),)), INNER) is not None
    assert visible(ChangeSet(frozenset({"memories"}), (), scopes=(("private",),)), INNER) is None


def test_jobs_are_heard_of_by_the_person_alone() -> None:
    event = Progress("job", "Doing", 1)
    assert visible(event, FULL) is None
    assert visible(event, OWNER) == event


@pytest.mark.parametrize("state", ["paused", "unknown"])
def test_whoever_is_held_up_hears_nothing(state: Any) -> None:
    caller = Caller("helper", "full", state=state)
    assert visible(ChangeSet(frozenset({"memories"}), ("note-1",)), caller) is None


def test_a_reply_tells_of_changes_as_an_event_does(host: Host) -> None:
    changes = host.call("note.save", {"content": "ours"}, INNER).result().changes
    assert changes is not None
    assert (changes.history_ids, changes.scopes) == ((), (("shared",),))
    assert host.call("note.save", {"content": "mine"}, OWNER).result().changes.history_ids  # type: ignore[union-attr]


@pytest.mark.parametrize("store", ["private", "shared"])
def test_a_change_of_the_graph_is_heard_of_in_its_store(host: Host, store: str) -> None:
    """Of a relation only who stated it hears, as only they see it."""
    ada = {"entities": [{"name": "Ada", "type": "person", "observations": ["Met in May."]}], "store": store}
    more = {"observations": [{"entity": "Ada", "contents": ["Likes tea."]}]}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("graph.create_entities", ada),
        ("graph.add_observations", {**more, "store": store}),
        ("graph.delete_observations", more),
        ("graph.delete_entities", {"names": ["Ada"]}),
    ]
    for operation, arguments in calls:
        events = [event for event in seen_by(host, INNER, operation, **arguments) if event.operation == operation]
        assert [event.areas >= {"memories"} for event in events] == [True] * (store == "shared"), operation
        assert all(event.ids == event.history_ids == () for event in events)
    relation = {"relations": [{"source": "Ada", "target": "Bo", "type": "knows"}], "store": store}
    assert seen_by(host, INNER, "graph.create_relations", **relation) == []
    own = {"relations": [{"source": "Cy", "target": "Di", "type": "knows"}]}
    reply = host.call("graph.create_relations", own, INNER).result(30)
    assert reply.changes is not None
    assert (reply.changes.areas, reply.changes.ids) == ({"entities"}, ())
