"""Consolidation, capture and summaries by a language model behind a real HTTP service."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.host import Host
from tests.helpers.engine import engine_of
from tests.helpers.models.chat_server import ChatReply, ChatServer

FACT = {"content": "Anna moved to Lisbon.", "sources": [2], "category": "home", "key": "anna", "confidence": 0.9}


def answer(request: dict[str, Any]) -> ChatReply:
    """Answer each purpose in its form."""
    task = request["messages"][0]["content"]
    if "lasting facts" in task:
        return ChatReply(json.dumps({"facts": [FACT]}))
    if "worth remembering" in task:
        found = {"type": "event", "title": "Anna moved", "facts": ["Anna moved to Lisbon."], "sources": [2]}
        return ChatReply(json.dumps({"observations": [found]}))
    if "short account" in task:
        return ChatReply(json.dumps({"summary": "Anna told of her move."}))
    return ChatReply(json.dumps({"contradictions": []}))


@pytest.fixture
def service() -> Iterator[ChatServer]:
    with ChatServer() as server:
        server.usual = answer
        yield server


@pytest.fixture
def host(vault: Path, service: ChatServer) -> Iterator[Host]:
    overrides: dict[str, Any] = {
        "embedding.model": "hashed",
        "sessions.quiet_seconds": 3600,
        "llm.provider": "openai-compatible",
        "llm.base_url": service.address,
        "llm.model": "small",
        "llm.attempts": 1,
    }
    running = Host(vault, serve=False, overrides=overrides)
    running.start()
    yield running
    running.stop()


def talk(host: Host) -> None:
    turns = [
        {"role": role, "author": "Anna" if role == "user" else "", "content": text}
        for role, text in (("user", "Hello."), ("user", "I moved to Lisbon."), ("assistant", "Nice."))
    ]
    host.ask("session.append", session="talk", messages=[*turns, *turns])


def test_facts_observations_and_summaries_come_of_one_conversation(host: Host, service: ChatServer) -> None:
    talk(host)
    engine: Any = engine_of(host)
    host.submit(engine.sessions.after_turn.look_after_all(0.0)).result()
    assert host.ask("session.digest.get", session="talk").summary == "Anna told of her move."
    report = host.ask("session.consolidate", session="talk")
    assert [fact.content for fact in report.added] == ["Anna moved to Lisbon."]
    kinds = {row.kind: row.title for row in host.ask("memory.list")}
    assert kinds == {"fact": "", "observation": "Anna moved"}
    (fact,) = host.ask("fact.list")
    assert fact.attributes["model"] == "small"
    host.ask("memory.undo", run_id=report.run_id)
    assert host.ask("fact.list") == []


@pytest.mark.parametrize(
    "bad",
    [
        ChatReply("The model is on fire.", status=500),
        ChatReply("Slow down.", status=429),
        ChatReply("Here are your facts!"),
        ChatReply('{"facts": [{"content": "Cut o', finish_reason="length"),
        ChatReply(drops=True),
        ChatReply(is_half=True),
        ChatReply(refusal="I will not."),
    ],
    ids=["500", "429", "no JSON", "cut off", "dropped", "half", "refused"],
)
def test_a_failing_service_leaves_the_conversation_waiting(host: Host, service: ChatServer, bad: ChatReply) -> None:
    talk(host)
    host.ask("session.append", session="next", messages=[{"role": "user", "content": "Hello."}])
    service.usual = lambda _: bad
    run = host.ask("upkeep.run", job="consolidation")
    assert run.status == "failed", run.output
    assert [session.id for session in host.ask("session.pending")] == ["talk"]
    assert host.ask("fact.list") == []
    service.usual = answer
    engine: Any = engine_of(host)
    engine.chat._rest = type(engine.chat._rest)()  # it is not asked for a while after it could not be reached
    assert "1 new fact" in host.ask("upkeep.run", job="consolidation").output


def test_appends_do_not_wait_for_the_model(host: Host, service: ChatServer) -> None:
    service.usual = lambda _: ChatReply(hangs=True)
    talk(host)
    engine: Any = engine_of(host)
    running = host.submit(engine.switched_sessions.read_now(["talk"]))
    assert service.reached.wait(30)
    appended = host.ask("session.append", session="other", messages=[{"role": "user", "content": "Meanwhile."}])
    assert appended.seqs == (1,)
    assert not running.done()
    service.usual = answer
    service.released.set()
    running.result()
