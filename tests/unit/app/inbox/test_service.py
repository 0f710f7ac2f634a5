"""The inbox: what agents propose, and what the person makes of it."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from app.api.caller import Caller, caller_of
from app.api.catalogue import declared
from app.core.paths import migrations
from app.errors import AccessDeniedError, InputError, NotFoundError
from app.host import Host
from app.inbox import service
from app.inbox.model import NewProposal, ProposalPreview
from app.store.store import Store

OPERATIONS = {item.name: item for item in declared()}


class SetClock:
    """A clock that says what it was set to."""

    def __init__(self) -> None:
        self.ms = 1_700_000_000_000

    def now_ms(self) -> int:
        return self.ms


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def host(vault: Path, clock: SetClock) -> Iterator[Host]:
    running = Host(vault, serve=False, overrides={"embedding.model": "hashed"}, clock=clock)
    running.start()
    yield running
    running.stop()


def agent(host: Host, name: str = "scout", **options: Any) -> Caller:
    known = [one for one in host.ask("agent.list") if one.name == name and one.revoked_at is None]
    if not known:
        host.ask("agent.add", name=name, **({"trust": "full", "review": True} | options))
    return caller_of(next(one for one in host.ask("agent.list") if one.name == name))


def do(host: Host, caller: Caller, operation: str, **arguments: Any) -> Any:
    return host.call(operation, arguments, caller).result().value


def propose(host: Host, caller: Caller, operation: str, **arguments: Any) -> int:
    reply = host.call(operation, arguments, caller).result()
    assert reply.outcome == "proposed"
    assert reply.value.state == "waiting"
    return int(reply.value.proposed)


def contents(host: Host) -> list[str]:
    return sorted(row.preview for row in host.ask("memory.list", limit=1000))


def test_every_write_is_classified() -> None:
    writes = {name for name, item in OPERATIONS.items() if item.access == "write"}
    theirs = {name for name in writes if not OPERATIONS[name].owner_only}
    assert {name for name in theirs if OPERATIONS[name].kind == "other"} == set()
    assert {name for name, item in OPERATIONS.items() if item.kind != "other"} <= writes


@pytest.mark.parametrize(
    ("operation", "arguments", "error"),
    [
        ("note.save", {"content": ""}, InputError),
        ("note.save", {"content": "x", "store": "private"}, AccessDeniedError),
        ("note.update", {"id": "note-none", "version": 1, "content": "x"}, NotFoundError),
        ("note.delete", {"id": "note-secret"}, NotFoundError),
        ("fact.set", {"category": "look", "key": "", "value": "x"}, InputError),
        ("session.rename", {"session": "none", "title": "x"}, AccessDeniedError),
        ("note.save", {"content": "x", "sparkle": True}, InputError),
    ],
)
def test_what_could_not_be_done_is_refused_at_once(
    host: Host, operation: str, arguments: dict[str, Any], error: type[Exception]
) -> None:
    host.ask("note.save", content="private", id="note-secret", store="private")
    scout = agent(host, trust="inner")
    with pytest.raises(error):
        do(host, scout, operation, **arguments)
    assert host.ask("inbox.count") == 0


def test_a_proposal_changes_nothing_until_it_is_accepted(host: Host) -> None:
    scout = agent(host)
    one = propose(host, scout, "note.save", content="heron by the river", title="Heron")
    assert contents(host) == []
    assert host.ask("memory.search", query="heron").hits == ()
    assert host.ask("memory.history") == []
    (waiting,) = host.ask("inbox.list")
    assert (waiting.id, waiting.agent, waiting.operation, waiting.kind) == (one, "scout", "note.save", "note")
    assert waiting.arguments == {"content": "heron by the river", "title": "Heron"}
    (change,) = waiting.preview.changes
    assert (change.event, change.before) == ("ADD", None)
    assert change.after is not None
    assert change.after["content"] == "heron by the river"
    (decision,) = host.ask("inbox.accept", id=one)
    assert decision.state == "accepted"
    assert contents(host) == ["heron by the river"]
    (entry,) = host.ask("memory.history")
    assert (entry.actor, entry.run_id) == ("scout", decision.run_id)
    assert decision.run_id.startswith("inbox:")
    (mine,) = do(host, scout, "inbox.mine")
    assert (mine.state, mine.ids) == ("accepted", decision.ids)
    host.ask("memory.undo", run_id=decision.run_id)
    assert contents(host) == []


def test_several_are_accepted_as_one_run(host: Host) -> None:
    scout = agent(host)
    old = host.ask("fact.set", category="look", key="theme", value="dark").fact
    first = propose(host, scout, "note.save", content="heron")
    second = propose(host, scout, "fact.set", category="look", key="theme", value="light")
    decisions = host.ask("inbox.accept", ids=[first, second])
    assert {decision.state for decision in decisions} == {"accepted"}
    (run,) = {decision.run_id for decision in decisions}
    assert contents(host) == ["heron", "light"]
    host.ask("memory.undo", run_id=run)
    assert contents(host) == ["dark"]
    assert host.ask("fact.get", category="look", key="theme").id == old.id


def test_the_same_proposal_waits_once(host: Host) -> None:
    scout = agent(host)
    ids = {propose(host, scout, "note.save", content="heron") for _ in range(3)}
    assert len(ids) == 1
    assert host.ask("inbox.count") == 1


def test_rejecting_tells_the_agent_why(host: Host) -> None:
    scout = agent(host)
    one = propose(host, scout, "note.save", content="heron")
    assert host.ask("inbox.reject", id=one, reason="Not this one")[0].state == "rejected"
    assert host.ask("inbox.accept", id=one)[0].state == "rejected"
    assert contents(host) == []
    (mine,) = do(host, scout, "inbox.mine")
    assert (mine.state, mine.note) == ("rejected", "Not this one")
    with pytest.raises(NotFoundError):
        host.ask("inbox.reject", id=1)


def test_an_agent_sees_its_own_proposals_only_and_decides_none(host: Host) -> None:
    scout, rival = agent(host), agent(host, "rival")
    one = propose(host, scout, "note.save", content="heron")
    assert do(host, rival, "inbox.mine") == []
    assert host.ask("inbox.mine") == []
    for operation in ("inbox.list", "inbox.accept", "inbox.get", "inbox.count", "inbox.rules"):
        with pytest.raises(AccessDeniedError):
            do(host, scout, operation, **({"id": one} if operation in ("inbox.accept", "inbox.get") else {}))


def test_arguments_can_be_edited(host: Host) -> None:
    scout = agent(host)
    one = propose(host, scout, "note.save", content="heron")
    with pytest.raises(InputError):
        host.ask("inbox.edit", id=one, arguments={"content": ""})
    with pytest.raises(InputError):
        host.ask("inbox.edit", id=one, arguments={"sparkle": 1})
    changed = host.ask("inbox.edit", id=one, arguments={"content": "grey heron"})
    assert changed.preview.changes[0].after["content"] == "grey heron"
    host.ask("inbox.accept", id=one, arguments={"content": "grey heron, edited"})
    assert contents(host) == ["grey heron, edited"]


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("note.update", {"version": 1, "content": "changed by the agent"}),
        ("note.tag_many", {"add": ["birds"]}),
    ],
)
def test_what_was_changed_since_needs_a_second_decision(host: Host, operation: str, arguments: dict[str, Any]) -> None:
    scout = agent(host)
    note = host.ask("note.save", content="heron")
    named = {"ids": [note.id]} if operation.endswith("many") else {"id": note.id}
    one = propose(host, scout, operation, **named, **arguments)
    host.ask("note.update", id=note.id, version=1, content="changed by the person", title="New")
    (decision,) = host.ask("inbox.accept", id=one)
    assert decision.state == "stale"
    assert contents(host) == ["changed by the person"]
    assert host.ask("inbox.get", id=one).preview.is_stale
    (decision,) = host.ask("inbox.accept", id=one)
    assert decision.state == "accepted"
    assert host.ask("note.get", id=note.id).version == 3


def test_the_trust_of_the_moment_counts(host: Host) -> None:
    scout = agent(host, trust="full")
    one = propose(host, scout, "note.save", content="heron", store="private")
    host.ask("agent.trust", name="scout", trust="inner")
    (decision,) = host.ask("inbox.accept", id=one)
    assert decision.state == "failed"
    assert contents(host) == []
    host.ask("agent.revoke", name="scout")
    (decision,) = host.ask("inbox.accept", id=one)
    assert (decision.state, "no access" in decision.message) == ("failed", True)
    assert host.ask("inbox.reject", id=one)[0].state == "rejected"


def protected(host: Host, how: str) -> str:
    if how == "pinned":
        note = host.ask("note.save", content="heron")
        return str(host.ask("note.pin", id=note.id).id)
    fact = host.ask("fact.remember", content="Rosa lives in Graz").memory
    return str(host.ask("fact.confirm", id=fact.id).id)


@pytest.mark.parametrize("how", ["pinned", "confirmed"])
@pytest.mark.parametrize("operation", ["note.delete", "note.tag_many", "archive.put", "fact.correct"])
def test_what_the_person_protects_waits_whatever_the_setting(host: Host, how: str, operation: str) -> None:
    scout = agent(host, review=False)
    target = protected(host, how)
    if (operation, how) == ("fact.correct", "pinned"):
        pytest.skip("a note is no fact")
    every: dict[str, dict[str, Any]] = {
        "note.delete": {"id": target},
        "note.tag_many": {"ids": [target], "add": ["birds"]},
        "archive.put": {"ids": [target]},
        "fact.correct": {"id": target, "content": "Rosa lives in Linz"},
    }
    given = every[operation]
    before = host.ask("note.get", id=target)
    one = propose(host, scout, operation, **given)
    assert host.ask("note.get", id=target).version == before.version
    assert host.ask("inbox.get", id=one).preview.why == "protected"
    host.ask("inbox.rule.set", action="accept", agent="scout")
    propose(host, scout, operation, **given)
    assert host.ask("inbox.accept", id=one)[0].state == "accepted"


def test_what_nobody_protects_is_written_at_once(host: Host) -> None:
    scout = agent(host, review=False)
    note = do(host, scout, "note.save", content="heron")
    do(host, scout, "note.update", id=note.id, version=1, content="grey heron")
    fact = do(host, scout, "fact.remember", content="never fades", decay_rate=0.0).memory
    do(host, scout, "fact.forget", id=fact.id)
    assert host.ask("inbox.count") == 0
    assert contents(host) == ["grey heron"]


def test_saying_a_confirmed_fact_again_changes_nothing(host: Host) -> None:
    protected(host, "confirmed")
    for review in (False, True):
        scout = agent(host, f"scout-{review}", review=review)
        assert do(host, scout, "fact.remember", content="Rosa lives in Graz", store="private").outcome == "EXACT_DUP"
    assert host.ask("inbox.count") == 0


def test_own_conversations_and_scratchpads_do_not_wait(host: Host) -> None:
    scout = agent(host)
    turn = [{"role": "user", "content": "heron"}]
    do(host, scout, "session.append", session="own", agent="scout", messages=turn)
    do(host, scout, "session.scratchpad.write", session="own", items=["heron"])
    host.ask("session.append", session="other", agent="rival", messages=turn)
    propose(host, scout, "session.append", session="other", messages=turn)
    one = propose(host, scout, "session.summary.set", session="own", summary="Of herons")
    assert host.ask("inbox.get", id=one).kind == "session"
    assert host.ask("session.length", session="other") == 1


def test_rules_decide_for_the_person(host: Host) -> None:
    scout, rival = agent(host), agent(host, "rival", review=False)
    host.ask("inbox.rule.set", action="accept", agent="scout", kind="note")
    host.ask("inbox.rule.set", action="reject", kind="fact")
    host.ask("inbox.rule.set", action="review", agent="rival")
    do(host, scout, "note.save", content="heron")
    with pytest.raises(AccessDeniedError, match="takes no such changes"):
        do(host, scout, "fact.remember", content="Rosa lives in Graz")
    propose(host, rival, "fact.remember", content="Rosa lives in Graz")
    assert contents(host) == ["heron"]
    assert [(one.agent, one.kind, one.action) for one in host.ask("inbox.rules")] == [
        ("scout", "note", "accept"),
        ("rival", "", "review"),
        ("", "fact", "reject"),
    ]
    host.ask("inbox.rule.remove", agent="scout", kind="note")
    propose(host, scout, "note.save", content="egret")
    with pytest.raises(NotFoundError):
        host.ask("inbox.rule.remove", agent="scout", kind="note")


def test_proposals_expire_and_are_forgotten(vault: Path, clock: SetClock) -> None:
    async def live() -> None:
        store = Store.open(vault, migrations())
        published: list[Any] = []
        try:
            inbox = service.InboxService(store, clock, lambda: 30, published.append)
            proposal = NewProposal("scout", "note.save", {"content": "heron"}, "note", "", "", ProposalPreview())
            one = (await inbox.propose(proposal)).value.proposed
            assert await inbox.tidy() == []
            clock.ms += 31 * 86_400_000
            assert await inbox.tidy() == [one]
            assert [change.ids for change in published] == [(str(one),)]
            assert (await inbox.get(one)).state == "expired"
            assert await inbox.of_agent("scout", "waiting", 10) == []
            clock.ms += 31 * 86_400_000
            await inbox.tidy()
            assert await inbox.count(None, "", "") == 0
        finally:
            store.close()

    asyncio.run(live())


def test_only_so_many_wait(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MAX_WAITING", 2)
    scout = agent(host)
    for number in range(2):
        propose(host, scout, "note.save", content=f"heron {number}")
    with pytest.raises(InputError, match="wait for the person already"):
        do(host, scout, "note.save", content="one too many")
    propose(host, agent(host, "rival"), "note.save", content="of another agent")


def test_a_proposal_accepted_from_many_windows_is_done_once(host: Host) -> None:
    scout = agent(host)
    ids = [propose(host, scout, "note.save", content=f"heron {number}") for number in range(5)]
    start = threading.Barrier(4)

    def window(_: int) -> list[str]:
        start.wait()
        return [decision.state for decision in host.ask("inbox.accept", ids=ids)]

    with ThreadPoolExecutor(4) as windows:
        states = list(windows.map(window, range(4)))
    assert states == [["accepted"] * 5] * 4
    assert contents(host) == [f"heron {number}" for number in range(5)]
    assert len(host.ask("memory.history")) == 5


def test_quarantined_memories_are_not_restored_by_an_agent(host: Host) -> None:
    scout = agent(host, review=False)
    note = do(host, scout, "note.save", content="heron")
    host.ask("agent.quarantine", name="scout")
    with pytest.raises(AccessDeniedError, match="only the person can release it"):
        propose(host, scout, "note.restore", id=note.id)
    assert contents(host) == []


def test_the_window_hears_of_proposals(host: Host) -> None:
    events: list[Any] = []
    host.subscribe(events.append)
    one = propose(host, agent(host), "note.save", content="heron")
    assert [(event.ids, event.actor) for event in events if "inbox" in getattr(event, "areas", ())] == [
        ((str(one),), "scout")
    ]
    assert not [event for event in events if "memories" in getattr(event, "areas", ())]


def test_forgetting_for_ever_takes_proposals_along(host: Host, vault: Path) -> None:
    scout = agent(host)
    note = host.ask("note.save", content="the heron's secret address is Quellenstrasse 77")
    one = propose(host, scout, "note.update", id=note.id, version=1, content="Quellenstrasse 77, second floor")
    host.ask("inbox.accept", id=one)
    propose(host, scout, "note.delete", id=note.id)
    receipt = host.ask("memory.forget_forever", ids=[note.id], confirm=True)
    assert receipt.removed["inbox"] == 2
    assert host.ask("inbox.list", state="all") == []
    assert [left for left in receipt.left if left.table in ("inbox", "write_receipts")] == []
    host.stop()
    assert b"Quellenstrasse" not in (vault / "memory.db").read_bytes()


def test_the_ledger_says_what_became_of_a_proposal(host: Host) -> None:
    scout = agent(host)
    first, second = (propose(host, scout, "note.save", content=text) for text in ("heron", "kingfisher"))

    def states() -> list[str]:
        return [call.became for call in host.ask("agent.ledger", agent="scout").calls if call.outcome == "proposed"]

    assert states() == ["waiting", "waiting"]
    host.ask("inbox.accept", id=first)
    host.ask("inbox.reject", id=second)
    assert states() == ["rejected", "accepted"]
    host.ask("history.step")
    host.ask("history.step")
    assert states() == ["waiting", "waiting"]
