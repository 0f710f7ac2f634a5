"""Undo, quarantine and release of what an agent wrote."""

import contextlib
import json
import threading
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.agents.model import Trust
from app.api.caller import OWNER, Caller
from app.errors import AccessDeniedError, InputError, NotFoundError
from app.history.state_diff import VOLATILE
from app.host import Host
from tests.unit.app.quarantine.conftest import RIVAL, SCOUT, do


def contents(host: Host) -> list[str]:
    return sorted(row.preview for row in host.ask("memory.list", limit=1000))


def vault_state(host: Host) -> dict[str, Any]:
    """Return all that a person can tell of the vault: memories, titles of conversations, entities, tags, words."""
    memories = {}
    for deleted in (False, True):
        for row in host.ask("memory.list", filter={"deleted": deleted}, limit=1000):
            memory = host.ask("note.get", id=row.id)
            fields = {name: getattr(memory, name) for name in memory.__slots__ if name not in VOLATILE}
            if fields.pop("deleted_at") is None:
                memories[row.id] = fields
    sessions = {one.id: (one.title, one.message_count) for one in host.ask("session.list", limit=1000)}
    tags = {facet.name: facet.count for facet in host.ask("tag.list")}
    hits = {
        hit.id for word in ("heron", "kingfisher") for hit in host.ask("memory.search", query=word, legs=["words"]).hits
    }
    return {"memories": memories, "sessions": sessions, "tags": tags, "hits": hits}


@pytest.mark.parametrize("since", ["", "soon", "tomorrowish", "99999999999999999999"])
def test_a_time_that_is_none_is_refused(host: Host, since: str) -> None:
    do(host, SCOUT, "note.save", content="heron")
    with pytest.raises(InputError, match="is no time"):
        host.ask("agent.undo", name="scout", since=since)


def test_an_unknown_agent_and_the_person_are_refused(host: Host) -> None:
    host.ask("session.append", session="mine", messages=[{"role": "user", "content": "heron"}])
    for operation in ("agent.undo", "agent.quarantine"):
        with pytest.raises(NotFoundError):
            host.ask(operation, name="nobody", since="today")
        for name in ("person", "Person", "", "  "):
            with pytest.raises(InputError, match="Name an agent"):
                host.ask(operation, name=name, since="today")
    with pytest.raises(NotFoundError):
        host.ask("agent.release", name="scout")
    with pytest.raises(AccessDeniedError):
        do(host, SCOUT, "agent.undo", name="scout", since="today")
    assert host.ask("session.length", session="mine") == 1


def test_all_that_an_agent_wrote_today_is_undone_and_comes_back(host: Host) -> None:
    mine = host.ask("note.save", content="my heron")
    note = do(host, SCOUT, "note.save", content="its heron")
    do(host, SCOUT, "note.update", id=mine.id, version=1, content="my heron, changed by it")
    do(host, SCOUT, "fact.set", category="look", key="theme", value="dark")
    do(host, SCOUT, "fact.set", category="look", key="theme", value="light")
    do(
        host,
        SCOUT,
        "session.append",
        session="talk",
        agent="scout",
        messages=[{"role": "user", "content": "kingfisher"}],
    )
    before = vault_state(host)
    looked = host.ask("agent.undo", name="scout", since="today", dry_run=True)
    assert (looked.state, looked.run_id) == ("preview", "")
    assert vault_state(host) == before
    done = host.ask("agent.undo", name="scout", since="today")
    assert (done.memories, done.sessions, done.skipped, done.state) == (4, 1, (), "finished")
    assert (looked.memories, looked.sessions) == (done.memories, done.sessions)
    assert contents(host) == ["my heron"]
    assert host.ask("session.list") == []
    assert host.ask("memory.search", query="kingfisher", legs=["words"]).hits == ()
    host.ask("memory.undo", run_id=done.run_id)
    assert vault_state(host) == before
    assert host.ask("note.get", id=note.id).deleted_at is None


def test_what_the_person_changed_since_stays_and_is_named(host: Host) -> None:
    touched = do(host, SCOUT, "note.save", content="written by scout")
    do(host, SCOUT, "note.save", content="left alone")
    host.ask("note.update", id=touched.id, version=1, content="edited by the person")
    looked = host.ask("agent.undo", name="scout", since="today", dry_run=True)
    done = host.ask("agent.undo", name="scout", since="today")
    assert (looked.memories, looked.skipped) == (done.memories, done.skipped)
    assert contents(host) == ["edited by the person"]
    assert [(item.target, item.target_kind) for item in done.skipped] == [(touched.id, "memory")]
    assert "since" in done.skipped[0].reason
    assert done.memories == 1


def test_a_correction_and_what_it_corrected_go_together(host: Host) -> None:
    wrong = host.ask("fact.remember", content="Rosa lives in Graz").memory
    right = do(host, SCOUT, "fact.correct", id=wrong.id, content="Rosa lives in Linz").fact
    host.ask("note.pin", id=right.id)
    done = host.ask("agent.undo", name="scout", since="today")
    assert {item.target for item in done.skipped} == {wrong.id, right.id}
    assert contents(host) == ["Rosa lives in Linz"]


def test_a_conversation_from_before_stays(host: Host) -> None:
    talk = {"session": "talk", "agent": "scout"}
    do(host, SCOUT, "session.append", **talk, messages=[{"role": "user", "content": "heron"}])
    since = host.ask("session.get", session="talk").updated_at + timedelta(minutes=1)
    later = {"role": "user", "content": "kingfisher", "created_at": (since + timedelta(minutes=1)).isoformat()}
    do(host, SCOUT, "session.append", **talk, messages=[later])
    until = (since + timedelta(minutes=2)).isoformat()
    done = host.ask("agent.undo", name="scout", since=since.isoformat(), until=until)
    assert [(item.target, item.target_kind) for item in done.skipped] == [("talk", "session")]
    assert host.ask("session.length", session="talk") == 2


def test_what_an_agent_undid_is_done_again(host: Host) -> None:
    note = host.ask("note.save", content="heron")
    entry = host.ask("memory.history", limit=1)[0].id
    do(host, SCOUT, "memory.undo", history_ids=[entry])
    assert contents(host) == []
    host.ask("agent.undo", name="scout", since="today")
    assert contents(host) == ["heron"]
    assert host.ask("note.get", id=note.id).deleted_at is None


def test_a_conversation_whose_agent_was_left_out_is_of_who_made_it(host: Host) -> None:
    made = host.ask("agent.add", name="scout", trust="full")
    agent = Caller("scout", "full", agent_id=made.id)
    turns = [{"role": "user", "content": "kingfisher"}]
    do(host, agent, "session.append", session="talk", messages=turns)
    later = do(host, agent, "session.append_later", messages=turns, session="later")
    assert later is not None
    host.ask("vault.settle")
    do(host, agent, "session.create", title="Empty")
    host.ask("session.append", session="mine", messages=turns)
    assert [one.agent for one in host.ask("session.list", order="title")].count("scout") == 3
    assert host.ask("session.get", session="mine").agent == ""
    assert host.ask("agent.quarantine", name="scout").sessions == 3
    assert [one.id for one in host.ask("session.list")] == ["mine"]
    host.ask("agent.release", name="scout")
    assert host.ask("agent.undo", name="scout", since="today").sessions == 3
    assert [one.id for one in host.ask("session.list")] == ["mine"]


@pytest.mark.parametrize("dated", ["2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z"])
def test_the_times_that_an_agent_gives_its_turns_keep_no_conversation(host: Host, dated: str) -> None:
    turn = {"role": "user", "content": "kingfisher", "created_at": dated}
    do(host, SCOUT, "session.append", session="talk", agent="scout", messages=[turn])
    assert host.ask("agent.undo", name="scout", since="today", dry_run=True).sessions == 1
    done = host.ask("agent.quarantine", name="scout")
    assert (done.sessions, done.skipped) == (1, ())
    assert host.ask("session.list") == []
    host.ask("agent.release", name="scout")
    assert host.ask("agent.undo", name="scout", since="today").sessions == 1
    assert host.ask("session.list") == []


def test_quarantine_hides_and_release_brings_back_exactly_that(host: Host) -> None:
    host.ask("note.save", content="my heron")
    theirs = do(host, SCOUT, "note.save", content="its heron #birds", title="Heron")
    gone = do(host, SCOUT, "note.save", content="deleted before")
    host.ask("note.delete", id=gone.id)
    do(
        host,
        SCOUT,
        "session.append",
        session="talk",
        agent="scout",
        messages=[{"role": "user", "content": "kingfisher"}],
    )
    before = vault_state(host)
    done = host.ask("agent.quarantine", name="scout")
    assert (done.memories, done.sessions) == (1, 1)
    assert contents(host) == ["my heron"]
    assert host.ask("tag.list") == []
    assert host.ask("memory.search", query="kingfisher", legs=["words"]).hits == ()
    hidden = host.ask("agent.quarantined", name="scout")
    assert {item.title for item in hidden} >= {"Heron"}
    assert {item.target for item in hidden} == {theirs.id, "talk"}
    released = host.ask("agent.release", name="scout")
    assert (released.memories, released.sessions) == (1, 1)
    assert vault_state(host) == before
    assert host.ask("agent.quarantined", name="scout") == []
    host.ask("memory.undo", run_id=released.run_id)
    assert {item.target for item in host.ask("agent.quarantined", name="scout")} == {theirs.id, "talk"}
    host.ask("memory.undo", run_id=done.run_id)
    assert vault_state(host) == before


def test_ten_thousand_changes_are_undone_in_batches_and_a_cancelled_undo_goes_on(host: Host) -> None:
    facts = [{"content": f"heron number {number}"} for number in range(400)]
    do(host, SCOUT, "fact.batch", facts=facts)
    future = host.call("agent.undo", {"name": "scout", "since": "today", "job": "undoing"}, OWNER)
    while not future.done():
        host.ask("job.cancel", job="undoing")
    first = future.result().value
    rest = host.ask("agent.undo", name="scout", since="today")
    assert contents(host) == []
    assert first.memories + rest.memories == 400
    if first.state == "cancelled" and first.run_id:
        assert rest.run_id == first.run_id
    host.ask("memory.undo", run_id=rest.run_id)
    assert len(contents(host)) == 400


STEPS = st.lists(
    st.tuples(
        st.sampled_from([OWNER, SCOUT, RIVAL]),
        st.sampled_from(["save", "edit", "delete", "restore", "tag", "pin", "set", "forget", "undo", "say", "rename"]),
        st.integers(0, 5),
    ),
    min_size=1,
    max_size=14,
)


def step(host: Host, caller: Caller, action: str, which: int) -> None:
    with contextlib.suppress(InputError):
        rows = [
            row
            for deleted in (False, True)
            for row in host.ask("memory.list", filter={"deleted": deleted}, order="created", limit=100)
        ]
        chosen = rows[which % len(rows)].id if rows else "none"
        match action:
            case "save":
                do(host, caller, "note.save", content=f"heron {which} #tag{which % 2}")
            case "edit":
                version = host.ask("note.get", id=chosen).version
                do(host, caller, "note.update", id=chosen, version=version, content=f"kingfisher {which}")
            case "tag":
                do(host, caller, "note.tag_many", ids=[chosen], add=[f"new{which}"])
            case "pin":
                do(host, caller, "note.pin", id=chosen, pinned=which % 2 == 0)
            case "set":
                do(host, caller, "fact.set", category="look", key=f"k{which % 2}", value=f"heron {which % 3}")
            case "undo":
                entries = host.ask("memory.history", limit=which + 1)
                do(host, caller, "memory.undo", history_ids=[entry.id for entry in entries[-1:]])
            case "say":
                turn = [{"role": "user", "content": f"kingfisher {which}"}]
                name = "" if caller is OWNER else caller.name
                do(host, caller, "session.append", session=f"s{which % 3}", agent=name, messages=turn)
            case "rename":
                do(host, caller, "session.rename", session=f"s{which % 3}", title=f"Title {which}")
            case _:
                do(host, caller, f"note.{'delete' if action == 'forget' else action}", id=chosen)


@given(steps=STEPS)
@settings(max_examples=15, suppress_health_check=list(HealthCheck))
def test_undo_and_quarantine_are_undone_whatever_was_written(
    steps: list[tuple[Caller, str, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("vault")
    folder.chmod(0o700)
    host = Host(folder, serve=False, overrides={"embedding.model": "hashed"})
    host.start()
    try:
        for caller, action, which in steps:
            step(host, caller, action, which)
        before = vault_state(host)
        with contextlib.suppress(NotFoundError):
            done = host.ask("agent.undo", name="scout", since="today")
            if done.run_id:
                host.ask("memory.undo", run_id=done.run_id)
            assert vault_state(host) == before
            host.ask("agent.quarantine", name="scout")
            written = host.ask("agent.quarantined", name="scout")
            assert not {item.target for item in written} & vault_state(host)["memories"].keys()
            host.ask("agent.release", name="scout")
        assert vault_state(host) == before
    finally:
        host.stop()


def said(host: Host, session: str) -> list[str]:
    return [turn.content for turn in host.ask("session.messages", session=session)]


def turn(content: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": content}]


def test_what_an_agent_wrote_in_anothers_name_is_its_own(host: Host) -> None:
    do(host, RIVAL, "session.append", session="true", messages=turn("a true heron"))
    do(host, SCOUT, "session.append", session="false", agent="rival", messages=turn("a false heron"))
    do(host, SCOUT, "session.create", title="empty", agent="rival")
    later = do(host, SCOUT, "session.append_later", agent="rival", messages=turn("a late heron")).session_id
    do(host, SCOUT, "session.scratchpad.write", session="pad", items=["a noted heron"])
    rest_until_stored(host, later)
    before = vault_state(host)
    hidden = host.ask("agent.quarantine", name="rival")
    assert {one.target for one in host.ask("agent.quarantined", name="rival")} == {"true"}
    assert hidden.sessions == 1
    host.ask("agent.release", name="rival")
    assert vault_state(host) == before
    hidden = host.ask("agent.quarantine", name="scout")
    assert (hidden.sessions, hidden.skipped) == (4, ())
    assert [one.id for one in host.ask("session.list")] == ["true"]
    assert [hit.id for hit in host.ask("memory.search", query="heron", legs=["words"]).hits] == ["true#1"]
    host.ask("agent.release", name="scout")
    assert vault_state(host) == before
    assert host.ask("session.get", session="false").agent == "rival"  # the name that it stated stays
    undone = host.ask("agent.undo", name="scout", since="today")
    assert (undone.sessions, [one.id for one in host.ask("session.list")]) == (4, ["true"])


def rest_until_stored(host: Host, session: str) -> None:
    """Wait until an append in the background is stored."""
    stored = threading.Event()
    unsubscribe = host.subscribe(lambda event: stored.set() if getattr(event, "ids", ()) == (session,) else None)
    if not any(one.id == session for one in host.ask("session.list")):
        assert stored.wait(60)
    unsubscribe()


def test_turns_in_others_conversations_are_taken_out_and_come_back(host: Host) -> None:
    host.ask("session.append", session="mine", messages=turn("my heron"))
    do(host, SCOUT, "session.append", session="mine", messages=turn("its kingfisher dives"))
    host.ask("session.append", session="mine", messages=turn("my wren"))
    do(host, RIVAL, "session.append", session="mine", messages=turn("a rival kingfisher"))
    host.ask("vault.settle")
    before, shown = vault_state(host), host.ask("session.get", session="mine")
    looked = host.ask("agent.undo", name="scout", since="today", dry_run=True)
    host.ask("agent.quarantine", name="scout")
    assert said(host, "mine") == ["my heron", "my wren", "a rival kingfisher"]
    assert host.ask("session.get", session="mine").message_count == 3
    host.ask("vault.settle")
    assert host.ask("memory.search", query="dives", legs=["words"]).hits == ()
    (item,) = host.ask("agent.quarantined", name="scout")
    assert (item.target, item.target_kind) == ("mine", "session")
    host.ask("agent.quarantine", name="rival")
    assert said(host, "mine") == ["my heron", "my wren"]
    assert host.ask("vault.check").findings == ()
    released = host.ask("agent.release", name="scout")  # the one that was hidden first, too
    assert released.skipped == ()
    host.ask("agent.release", name="rival")
    host.ask("vault.settle")
    assert (vault_state(host), host.ask("session.get", session="mine")) == (before, shown)
    done = host.ask("agent.undo", name="scout", since="today")
    assert (looked.sessions, done.sessions) == (1, 1)
    assert said(host, "mine") == ["my heron", "my wren", "a rival kingfisher"]
    host.ask("memory.undo", run_id=done.run_id)
    assert said(host, "mine") == ["my heron", "its kingfisher dives", "my wren", "a rival kingfisher"]


def test_the_beginning_that_an_agent_wrote_is_no_preview_while_it_is_hidden(host: Host) -> None:
    identity = host.ask("session.create", title="Birds").id
    do(host, SCOUT, "session.append", session=identity, messages=turn("a planted heron"))
    host.ask("session.append", session=identity, messages=turn("my wren"))
    assert host.ask("session.get", session=identity).preview == "a planted heron"
    host.ask("agent.quarantine", name="scout")
    assert host.ask("session.get", session=identity).preview == "my wren"
    host.ask("agent.release", name="scout")
    assert host.ask("session.get", session=identity).preview == "a planted heron"


def test_a_transcript_that_an_agent_sent_is_its_own_whatever_client_it_names(host: Host) -> None:
    line = json.dumps(
        {
            "type": "user",
            "uuid": "u1",
            "sessionId": "talk",
            "timestamp": "2026-03-01T10:00:00Z",
            "message": {"role": "user", "content": "a sent heron"},
        }
    )
    sent = {"path": "/home/me/talk.jsonl", "text": line + "\n", "end": len(line) + 1}
    assert do(host, SCOUT, "capture.part", **sent).messages == 1
    assert host.ask("session.list")[0].agent != "scout"
    host.ask("agent.quarantine", name="scout")
    assert host.ask("session.list") == []


def test_what_was_taken_out_is_erased_with_its_conversation(host: Host) -> None:
    host.ask("session.append", session="mine", messages=turn("my heron"))
    do(host, SCOUT, "session.append", session="mine", messages=turn("its unforgettable kingfisher"))
    host.ask("agent.quarantine", name="scout")
    receipt = host.ask("memory.forget_forever", sessions=["mine"], confirm=True)
    assert receipt.removed["withheld_messages"] == 1


@pytest.mark.parametrize("trust", ["inner", "full"])
def test_an_agent_does_not_release_itself(host: Host, trust: Trust) -> None:
    scout = Caller("scout", trust)
    note = do(host, scout, "note.save", content="heron", store="shared")
    run = host.ask("agent.quarantine", name="scout").run_id
    # Below full trust what is in quarantine is not there.
    refusal = AccessDeniedError if trust == "full" else NotFoundError
    with pytest.raises(refusal, match="only the person can release" if trust == "full" else "There is no memory"):
        do(host, scout, "note.restore", id=note.id)
    if trust == "full":
        entry = host.ask("memory.history", target=note.id, limit=1)[0].id
        for arguments in ({"run_id": run}, {"history_ids": [entry]}):
            with pytest.raises(AccessDeniedError, match="only the person can release"):
                do(host, scout, "memory.undo", **arguments)
    assert contents(host) == []
    hidden = do(host, SCOUT, "note.save", content="wren", store="private").id
    host.ask("agent.quarantine", name="scout")
    if trust == "inner":  # what it may not read is not there for it, hidden or not
        with pytest.raises(NotFoundError):
            do(host, scout, "note.restore", id=hidden)
    host.ask("note.restore", id=note.id)
    assert contents(host) == ["heron"]
