"""Short ids that a model is shown: every tool takes them, and they tell nothing of what is hidden."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.api.caller import OWNER, Caller
from app.core.text_rules.short_ids import short_id
from app.errors import InputError, KeepsakeError, NotFoundError
from app.host import Host
from tests.helpers.mcp_clients import RawClient

Ask = Callable[..., Any]
WHOLE = re.compile(r"(?:note|fact|obs|ref|dig|ent|ses)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
INNER = Caller("scout", "inner", agent_id="agt-1")
SHARED = "note-01a21511-aa2e-7b1c-9d3f-0123456789ab"
PRIYA = [{"name": "Priya Raman", "type": "person", "observations": ["Is kind."]}]
PRIVATE = "note-02a21511-aa2e-7b1c-8d3f-aaaa456789ab"


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    running = Host(vault, overrides={"embedding.model": "hashed"})
    running.start()
    yield running
    running.stop()


@pytest.fixture
def ask(host: Host, request: pytest.FixtureRequest) -> Iterator[Ask]:
    """Return what calls a tool as an agent of full trust and returns its text and structured answer."""
    client = RawClient(host.vault, str(host.ask("agent.add", name="scout", trust="full").token), *request.param)
    client.greet()

    def call(name: str, /, **arguments: Any) -> tuple[str, Any]:
        result = client.ask(1, "tools/call", {"name": name, "arguments": arguments})["result"]
        assert not result["isError"], result
        halves = result["content"][0]["text"], result["structuredContent"]
        assert WHOLE.search(json.dumps(halves)) is None, halves
        return halves

    yield call
    assert client.close() == 0


small = pytest.mark.parametrize("ask", [()], indirect=True)
full = pytest.mark.parametrize("ask", [("--profile", "full")], indirect=True)


def as_inner(host: Host, operation: str, **arguments: Any) -> Any:
    return host.call(operation, arguments, INNER).result().value


def refusal(host: Host, operation: str, **arguments: Any) -> str:
    with pytest.raises(KeepsakeError) as caught:
        as_inner(host, operation, **arguments)
    return str(caught.value.message)


@small
def test_what_a_tool_shows_every_tool_takes(host: Host, ask: Ask) -> None:
    _, written = ask("memory_write", content="Priya Raman mends the boiler.", people=["Priya Raman"])
    assert written["id"].startswith("obs-")
    assert len(written["id"]) == len("obs-") + 8
    host.ask("vault.settle", names=True)
    _, known = ask("memory_search", query="boiler")
    assert known["ids"] == [written["id"]]
    said, read = ask("memory_get", ids=known["ids"])
    assert "Priya Raman mends the boiler." in said
    assert read["ids"] == known["ids"]
    said, around = ask("memory_timeline", around=written["id"])
    assert written["id"] in around["ids"]
    assert f"⟦{written['id']}⟧" in ask("memory_context", prompt="What of the boiler?")[0]
    _, fact = ask("remember_fact", content="The boiler is red.", category="boiler", key="colour")
    said, _ = ask("confirm_fact", id=fact["id"])
    assert said == f"Confirmed {fact['id']}: it never fades."
    said, changed = ask("correct_fact", id=written["id"], content="Priya Raman sells the boiler.")
    assert (said, changed["id"]) == (f"Changed {written['id']}.", written["id"])
    host.ask(
        "graph.create_entities", entities=[{"name": "Priya Raman", "type": "person", "observations": ["Is kind."]}]
    )
    host.ask("vault.settle", names=True)
    said, known = ask("get_entity_info", name="Priya Raman")
    assert ask("get_entity_info", name=known["ids"][0])[0] == said


@small
def test_a_message_and_its_conversation_have_one(host: Host, ask: Ask) -> None:
    session = host.ask(
        "session.append", messages=[{"role": "user", "content": f"heron {n}"} for n in range(4)]
    ).session_id
    assert session.startswith("ses-")
    message = f"{short_id(session)}#2"
    said, read = ask("memory_get", ids=[message])
    assert read["ids"] == [message]
    assert "heron 1" in said
    assert "heron 0" in said  # the turn before
    _, around = ask("memory_timeline", around=message, session=short_id(session), kinds=["message"])
    assert [f"{short_id(session)}#{number}" for number in range(1, 5)] == around["ids"]
    _, page = ask("memory_timeline", cursor=message, after=1)
    assert page["ids"] == [f"{short_id(session)}#3"]
    _, kept = ask("memory_write", content="A heron came.", session=short_id(session))
    assert host.ask("memory.get", ids=[kept["id"]]).memories[0].session_id == session


@full
def test_the_whole_catalogue_takes_them_too(host: Host, ask: Ask) -> None:
    session = host.ask("session.append", messages=[{"role": "user", "content": "Ben was born in Rome."}]).session_id
    source = {"kind": "message", "id": f"{short_id(session)}#1"}
    facts = [{"content": "Ben was born in Rome.", "sources": [source]}]
    _, stored = ask("save_facts_batch", session=short_id(session), facts=facts)
    fact = stored["written"][0]["id"]
    [memory] = host.ask("memory.get", ids=[fact]).memories
    assert [(one.kind, one.id) for one in host.ask("memory.sources", id=fact)] == [("message", f"{session}#1")]
    said, known = ask("note_get", id=fact)
    assert known["value"]["id"] == fact == short_id(memory.id)
    assert f'"id":"{fact}"' in said


def test_what_is_hidden_does_not_count(host: Host) -> None:
    host.ask("note.save", id=PRIVATE, content="My diagnosis.", store="private")
    missing = refusal(host, "note.get", id="note-aaaaaa6789ab").replace("aaaaaa6789ab", "456789ab")
    assert refusal(host, "note.get", id="note-456789ab") == missing
    host.ask("note.save", id=SHARED, content="The bins go out on Monday.", store="shared")
    # Beside it a hidden one with the same ending makes nothing ambiguous.
    assert as_inner(host, "note.get", id="note-456789ab").id == SHARED
    assert as_inner(host, "memory.get", ids=["note-456789ab", "note-aaaa456789ab"]).missing == ("note-aaaa456789ab",)
    with pytest.raises(InputError) as caught:
        host.ask("note.get", id="note-456789ab")
    assert SHARED in caught.value.message
    assert PRIVATE in caught.value.message
    assert host.ask("note.get", id="note-aaaa456789ab").id == PRIVATE
    session = host.ask("session.append", messages=[{"role": "user", "content": "heron"}]).session_id
    hidden = refusal(host, "session.get", session=short_id(session))
    assert hidden.replace(short_id(session), "ses-00000000") == refusal(host, "session.get", session="ses-00000000")


def test_a_name_has_one_for_who_sees_a_part(host: Host) -> None:
    host.ask(
        "graph.create_entities", entities=[{"name": "Priya Raman", "type": "person", "observations": ["Is kind."]}]
    )
    host.ask("memory.write", content="Priya Raman mends it.", related_people=["Priya Raman"], store="shared")
    host.ask("vault.settle", names=True)
    for caller in (OWNER, INNER):
        [listed] = host.call("entity.list", {"filter": {"text": "Priya Raman"}}, caller).result().value
        info = host.call("entity.info", {"id": short_id(listed.id)}, caller).result().value
        assert info.entity.id == listed.id, caller.name
    hidden = host.ask("entity.list", filter={"text": "Priya Raman"})[0].id
    with pytest.raises(NotFoundError):
        as_inner(host, "entity.info", id=short_id(hidden))


def test_an_id_that_looks_short_stays_what_it_is(host: Host) -> None:
    turns = [{"role": "user", "content": "heron"}]
    whole = host.ask("session.append", messages=turns).session_id
    given = f"ses-{whole[-6:]}"
    host.ask("session.append", session=given, messages=turns)
    # The first is meant, as nothing else had that name; from then on the name is its.
    assert [one.id for one in host.ask("session.list")] == [whole]
    for count in (1, 2):
        host.ask("session.append", session="ses-abcdef12", messages=turns)
        assert host.ask("session.get", session="ses-abcdef12").message_count == count


def test_what_is_forgotten_by_a_short_id_leaves_no_trace(host: Host) -> None:
    host.ask("settings.set", name="ledger.owner", value=True)
    memory = host.ask("note.save", content="A secret heron.").id
    host.ask("note.get", id=short_id(memory))
    assert [memory in call.read for call in host.ask("agent.ledger").calls if call.operation == "note.get"] == [True]
    host.ask("memory.forget_forever", ids=[short_id(memory)], confirm=True)
    host.ask("vault.settle", names=True)
    calls = host.ask("agent.ledger").calls
    assert not any(memory in (*call.read, *call.written) for call in calls)
