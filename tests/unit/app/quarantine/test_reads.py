"""What is in quarantine is not there for agents that do not see everything."""

import json
from typing import Any

import pytest

from app.api.caller import Caller
from app.errors import KeepsakeError
from app.host import Host

BAD = Caller("bad", "inner", agent_id="agt-1")
SCOUT = Caller("scout", "inner", agent_id="agt-2")


def ask(host: Host, operation: str, **arguments: Any) -> Any:
    """Return an answer to the agent, or the sentence of its refusal without the id that was asked for."""
    try:
        return host.call(operation, arguments, SCOUT).result(30).value
    except KeepsakeError as error:
        return str(error)


@pytest.fixture
def hidden(host: Host) -> str:
    """Return the id of a note in quarantine."""
    note = host.call("note.save", {"content": "heron #bird", "title": "Heron", "store": "shared"}, BAD).result(30).value
    host.ask("agent.quarantine", name="bad")
    return str(note.id)


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("note.get", {"id": "?"}),
        ("memory.get", {"id": "?"}),
        ("memory.get", {"ids": ["?"], "max_tokens": 1}),
        ("note.rows", {"ids": ["?"]}),
        ("note.restore", {"id": "?"}),
        ("note.delete", {"id": "?"}),
        ("note.update", {"id": "?", "version": 2, "content": "mine"}),
        ("note.tag_many", {"ids": ["?"], "add": ["mine"]}),
        ("memory.sources", {"id": "?"}),
        ("fact.beliefs", {"id": "?"}),
        ("note.links", {"id": "?"}),
        ("note.save", {"id": "?", "content": "mine"}),
        ("note.list", {"filter": {"deleted": True}}),
        ("note.ids", {"filter": {"deleted": True}}),
        ("note.facets", {"filter": {"deleted": True}}),
    ],
)
def test_it_is_answered_as_what_never_was(host: Host, hidden: str, operation: str, arguments: dict[str, Any]) -> None:
    nowhere = "note-01a217fc-0000-7000-8000-000000000000"
    text = json.dumps(arguments)
    seen, unknown = (ask(host, operation, **json.loads(text.replace("?", one))) for one in (hidden, nowhere))
    assert str(seen).replace(hidden, nowhere) == str(unknown)
    assert "heron" not in str(seen).lower()


@pytest.mark.parametrize("operation", ["note.list", "memory.list", "memory.get", "memory.search"])
def test_a_look_at_the_past_shows_nothing_of_it(host: Host, operation: str) -> None:
    note = host.call("note.save", {"content": "heron", "title": "Heron", "store": "shared"}, BAD).result(30).value
    moment = host.ask("note.get", id=note.id).updated_at
    host.ask("agent.quarantine", name="bad")
    named = {"id": note.id} if operation == "memory.get" else {"query": "heron"} if operation == "memory.search" else {}
    assert "title='Heron'" in str(host.ask(operation, as_of=moment, **named))
    assert "title='Heron'" not in str(ask(host, operation, as_of=moment, **named))


def test_what_was_released_is_there_again(host: Host, hidden: str) -> None:
    host.ask("agent.release", name="bad")
    assert ask(host, "note.get", id=hidden).title == "Heron"
    host.ask("note.delete", id=hidden)
    assert [row.id for row in ask(host, "note.list", filter={"deleted": True})] == [hidden]


@pytest.mark.parametrize("times", range(6))
def test_a_quarantine_stands_however_often_it_was_undone_and_redone(host: Host, hidden: str, times: int) -> None:
    for _ in range(times):
        latest = host.ask("memory.history", target=hidden, limit=1)[0]
        host.ask("memory.undo", history_ids=[latest.id])
    if times % 2:  # it ended, and what is deleted then is in the trash like everything
        host.ask("note.delete", id=hidden)
    shown = [hidden] * (times % 2)
    assert [row.id for row in ask(host, "note.list", filter={"deleted": True})] == shown
    assert [row.id for row in host.ask("note.list", filter={"deleted": True})] == [hidden]


def test_an_agent_that_sees_everything_finds_it_in_the_trash_only(host: Host, hidden: str) -> None:
    trusted = Caller("friend", "full")
    limited = Caller("narrow", "full", ("shared", "social"))
    for caller, shown in ((trusted, [hidden]), (limited, [])):
        assert [row.id for row in host.call("note.list", {}, caller).result(30).value] == []
        trash = host.call("note.list", {"filter": {"deleted": True}}, caller).result(30).value
        assert [row.id for row in trash] == shown


def test_in_the_archive_it_is_no_more_there_than_in_the_trash(host: Host, hidden: str) -> None:
    host.ask("archive.put", ids=[hidden])
    assert [row.id for row in host.ask("archive.list")] == [hidden]
    assert ask(host, "archive.list") == []
    for operation in ("archive.get", "archive.restore", "note.get"):
        assert str(ask(host, operation, id=hidden)).replace(hidden, "?") == str(ask(host, operation, id="?"))
