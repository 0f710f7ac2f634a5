"""Early answers equal the library's, and load next to nothing."""

import asyncio
import json
import subprocess
import sys
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.shared.message import SessionMessage

from app.core.text_rules.token_estimate import estimate_tokens
from app.mcp.early_answers import EarlyAnswers
from app.mcp.memory_server import KeepsakeServer, SingleLink
from app.mcp.options import PROFILES, McpOptions, Profile, quick_options
from app.mcp.tools.profiles import toolbox
from app.mcp.tools.small_schemas import SMALL_TOOLS
from tests.helpers.mcp_clients import MODERN, ROOT

SMALL = [
    *("memory_search", "memory_get", "memory_write", "memory_context", "memory_timeline", "remember_fact"),
    *("correct_fact", "confirm_fact", "get_entity_info", "scratchpad", "schedule", "memory_stats"),
]
CLIENT = {"name": "test", "version": "1"}
ENVELOPE = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": CLIENT,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}
LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")


def request(key: int, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": key, "method": method, "params": params or {}}


def greeting(version: str) -> dict[str, Any]:
    return request(0, "initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT})


def library_answers(profile: Profile, requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what the library answers to the same requests."""

    async def serve() -> list[dict[str, Any]]:
        def no_link(_client: object) -> Any:
            raise AssertionError

        served = KeepsakeServer(profile, toolbox(profile), SingleLink(no_link), "")
        # Lists need no host; the link is never used.
        served._links = _NoLinks()
        sent, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](100)
        outgoing, received = anyio.create_memory_object_stream[SessionMessage](100)
        found = []
        async with anyio.create_task_group() as group:
            group.start_soon(served.server.run, incoming, outgoing, served.options())
            for request in requests:
                await sent.send(SessionMessage(types.jsonrpc_message_adapter.validate_python(request, by_name=False)))
                answer = (await received.receive()).message
                found.append(json.loads(answer.model_dump_json(by_alias=True, exclude_unset=True)))
            sent.close()
        received.close()
        return found

    return asyncio.run(serve())


class _NoLinks:
    def link(self, _context: object) -> None:
        return None

    async def close(self) -> None:
        return None


@pytest.mark.parametrize("profile", ["small", "reference", "files"])
@pytest.mark.parametrize("version", ["2024-11-05", "2025-06-18", "2025-11-25", "1999-01-01"])
def test_answers_of_the_handshake_era_equal_the_librarys(profile: Profile, version: str) -> None:
    requests = [greeting(version), *(request(key, method) for key, method in enumerate(LISTS, 1))]
    early = EarlyAnswers(profile)
    assert [early.answer(request) for request in requests] == library_answers(profile, requests)


@pytest.mark.parametrize("profile", ["small", "reference", "files"])
def test_answers_of_the_modern_era_equal_the_librarys(profile: Profile) -> None:
    requests = [request(key, method, ENVELOPE) for key, method in enumerate(("server/discover", *LISTS))]
    early = EarlyAnswers(profile)
    assert [early.answer(request) for request in requests] == library_answers(profile, requests)


@pytest.mark.parametrize("profile", PROFILES)
def test_greetings_of_every_profile_equal_the_librarys(profile: Profile) -> None:
    for one in (greeting("2025-06-18"), request(1, "server/discover", ENVELOPE)):
        assert [EarlyAnswers(profile).answer(one)] == library_answers(profile, [one])


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"jsonrpc": "2.0"},
        {"jsonrpc": "2.0", "id": 1, "method": "initialize"},
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": [1]},
        {"jsonrpc": "2.0", "id": None, "method": "initialize", "params": {}},
        {"jsonrpc": "2.0", "id": True, "method": "tools/list"},
        {"jsonrpc": "1.0", "id": 1, "method": "tools/list"},
        request(1, "tools/list"),
        request(1, "tools/call", {"name": "memory_search"}),
        request(1, "initialize", {"protocolVersion": 5, "capabilities": {}, "clientInfo": CLIENT}),
        request(1, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x"}}),
        request(1, "tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": "2099-01-01"}}),
        request(1, "tools/list", {"_meta": "x"}),
    ],
)
def test_everything_else_is_left_to_the_library(message: dict[str, Any]) -> None:
    assert EarlyAnswers("small").answer(message) is None


def test_the_full_list_is_left_to_the_host() -> None:
    early = EarlyAnswers("full")
    assert early.answer(greeting("2025-06-18")) is not None
    assert early.answer(request(1, "tools/list")) is None


def test_the_small_profile_is_these_twelve_tools_within_its_budget() -> None:
    assert [tool["name"] for tool in SMALL_TOOLS] == SMALL
    assert estimate_tokens(json.dumps(SMALL_TOOLS, ensure_ascii=False)) < 2500
    for tool in SMALL_TOOLS:
        assert tool["description"]
        assert tool["outputSchema"]["type"] == "object"
        assert "readOnlyHint" in tool["annotations"]
        if not tool["annotations"]["readOnlyHint"]:
            assert {"destructiveHint", "idempotentHint"} <= set(tool["annotations"])


def test_the_first_answer_loads_neither_engine_nor_library() -> None:
    program = (
        "import sys\n"
        "from app.mcp.options import quick_options\n"
        "import app.mcp.command\n"
        "from app.mcp.early_answers import EarlyAnswers\n"
        "early = EarlyAnswers('small')\n"
        f"assert early.answer({greeting('2025-06-18')!r}) is not None\n"
        f"assert early.answer({request(1, 'tools/list')!r}) is not None\n"
        "print(*sorted(sys.modules))\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = set(run.stdout.split())
    tops = {name.partition(".")[0] for name in loaded}
    assert not tops & {
        "mcp",
        "mcp_types",
        "pydantic",
        "numpy",
        "apsw",
        "typer",
        "msgspec",
        "asyncio",
        "keyring",
        "anyio",
    }
    assert {name for name in loaded if name.startswith("app.")} == {
        "app.mcp",
        "app.mcp.command",
        "app.mcp.early_answers",
        "app.mcp.options",
        "app.mcp.server_identity",
        "app.mcp.tools",
        "app.mcp.tools.small_schemas",
        "app.mcp.stdio_front",
    }


def test_a_server_process_loads_no_engine() -> None:
    program = (
        "import sys\n"
        "import app.mcp.stdio_server, app.mcp.http_server\n"
        "import app.mcp.tools.small_tools, app.mcp.tools.full_tools\n"
        "import app.mcp.tools.reference_tools, app.mcp.tools.files_tools\n"
        "print(*sorted(sys.modules))\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = set(run.stdout.split())
    assert not {"numpy", "apsw", "sqlite_vec", "app.engine", "app.host", "app.store", "app.api"} & loaded


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["mcp"], McpOptions()),
        (["mcp", "--profile", "full"], McpOptions(profile="full")),
        (["mcp", "--profile", "huge"], None),
        (["mcp", "--http", "127.0.0.1:1"], None),
        (["mcp", "--help"], None),
        (["search", "mcp"], None),
        (["--vault", "", "mcp"], None),
        ([], None),
    ],
)
def test_quick_options(arguments: list[str], wanted: McpOptions | None) -> None:
    assert quick_options(arguments) == wanted


def test_quick_options_take_a_vault() -> None:
    found = quick_options(["--vault", "/somewhere", "mcp", "--profile", "reference"])
    assert found is not None
    assert (str(found.vault), found.profile) == ("/somewhere", "reference")
