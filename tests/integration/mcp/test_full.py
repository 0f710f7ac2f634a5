"""The full profile: the catalogue within the agent's trust, and the consolidator's tools."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.host import Host
from tests.helpers.mcp_clients import MODERN, RawClient, mcp_client

CONSOLIDATOR = {
    *("is_session_consolidated", "get_episodes_for_consolidation", "save_facts_batch", "detect_conflicts"),
    *("resolve_conflict", "mark_session_consolidated"),
}


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    running = Host(vault, overrides={"embedding.model": "hashed"})
    running.start()
    yield running
    running.stop()


def listed(client: RawClient) -> dict[str, Any]:
    return {tool["name"]: tool for tool in client.ask(9, "tools/list")["result"]["tools"]}


def called(client: RawClient, name: str, **arguments: Any) -> Any:
    result = client.ask(8, "tools/call", {"name": name, "arguments": arguments})["result"]
    assert not result["isError"], result
    return result["structuredContent"]


def test_every_operation_that_the_trust_allows_is_a_tool(host: Host) -> None:
    tools = {}
    for trust in ("full", "inner", "familiar", "public"):
        key = str(host.ask("agent.add", name=f"a-{trust}", trust=trust).token)
        client = RawClient(host.vault, key, "--profile", "full")
        client.greet()
        tools[trust] = listed(client)
        if trust == "familiar":
            refused = client.ask(1, "tools/call", {"name": "note_save", "arguments": {"content": "x"}})["result"]
            assert refused["isError"]
        assert client.close() == 0
    assert set(tools["public"]) < set(tools["familiar"]) < set(tools["inner"]) < set(tools["full"])
    assert set(tools["full"]) >= CONSOLIDATOR
    assert {"note_save", "session_append", "memory_undo"} <= set(tools["full"])
    assert "session_list" not in tools["inner"]
    for name in tools["full"]:
        assert not name.startswith(("agent_add", "agent_list", "agent_revoke")), name
        assert "." not in name
    saved = tools["full"]["note_save"]
    assert saved["inputSchema"]["required"] == ["content"]
    assert saved["inputSchema"]["properties"]["content"]["description"].startswith("Markdown")
    assert tools["full"]["note_delete"]["annotations"]["destructiveHint"]
    assert tools["full"]["note_get"]["annotations"]["readOnlyHint"]


def test_the_list_changes_with_the_trust(host: Host) -> None:
    key = str(host.ask("agent.add", name="scout", trust="familiar").token)
    client = RawClient(host.vault, key, "--profile", "full")
    try:
        client.greet()
        assert "note_save" not in listed(client)
        host.ask("agent.trust", name="scout", trust="inner")
        assert client.receive()["method"] == "notifications/tools/list_changed"
        assert "note_save" in listed(client)
        saved = called(client, "note_save", content="Hello  there", tags='["a"]', store="")
        assert '"content":"Hello  there"' in saved["text"]
        assert '"tags":["a"]' in saved["text"]
        assert saved["ids"] == [saved["value"]["id"]]
        assert saved["value"]["version"] == 1
        assert "content" not in saved["value"]
    finally:
        assert client.close() == 0


@pytest.mark.parametrize("era", ["legacy", MODERN])
def test_a_client_consolidates_a_conversation(host: Host, era: str) -> None:
    key = str(host.ask("agent.add", name="scout", trust="full").token)
    turns = [{"role": "user", "content": f"Turn {number}: the boat is number {number}."} for number in range(40)]
    session = host.ask("session.append", messages=turns, session="ses-boats").session_id

    async def talk() -> None:
        async with mcp_client(host.vault, key, profile="full", mode=era) as client:

            async def call(name: str, **arguments: Any) -> Any:
                result = await client.call_tool(name, arguments)
                assert not result.is_error, result.content
                return result.structured_content

            await client.list_tools()
            assert not (await call("is_session_consolidated", session=session))["consolidated"]
            first = await call("get_episodes_for_consolidation", session=session)
            assert first["text"].count("Turn ") == 30
            rest = await call("get_episodes_for_consolidation", session=session, cursor=first["next_cursor"])
            assert rest["text"].count("Turn ") == 10
            assert "next_cursor" not in rest
            facts = [{"content": "The person owns a boat."}, {"content": "The person owns a boat."}]
            saved = await call("save_facts_batch", session=session, facts=json.dumps(facts))
            assert saved["written"][0]["outcome"] == "ADD"
            assert len({one["id"] for one in saved["written"]}) == 1
            other = await call("remember_fact", content="The person owns no boat any more.")
            found = await call("detect_conflicts", content="The person owns a small boat.")
            assert found["ids"]
            solved = await call("resolve_conflict", new_id=other["id"], old_id=saved["written"][0]["id"])
            assert solved["outcome"] == "superseded"
            assert (await call("mark_session_consolidated", session=session, upper_seq=rest["upper_seq"]))[
                "consolidated"
            ]
            assert (await call("is_session_consolidated", session=session))["consolidated"]

    asyncio.run(talk())
