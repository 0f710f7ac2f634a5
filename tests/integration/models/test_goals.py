"""A goal pursued by a model behind a real HTTP server, through the client that Keepsake uses."""

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from app.errors import NotFoundError
from app.host import Host

HOURLY = {"kind": "cron", "expression": "0 * * * *"}


class ChatService(ThreadingHTTPServer):
    """A service that speaks OpenAI's chat protocol from a script."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: list[dict[str, Any]] = []
        self.bodies: list[dict[str, Any]] = []
        self.status = 200

    def says(self, text: str, *calls: tuple[str, dict[str, Any]]) -> None:
        made = [
            {"id": "", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for name, arguments in calls
        ]
        message = {"role": "assistant", "content": text or None, **({"tool_calls": made} if made else {})}
        self.answers.append(message)


class _Handler(BaseHTTPRequestHandler):
    server: ChatService

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.bodies.append(body)
        choice = {"index": 0, "message": self.server.answers.pop(0), "finish_reason": "stop"}
        answer = {
            "id": "chat-1",
            "object": "chat.completion",
            "created": 1,
            "model": body["model"],
            "choices": [choice],
            "usage": {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100},
        }
        data = json.dumps(answer if self.server.status == 200 else {"error": {"message": "no"}}).encode()
        self.send_response(self.server.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (its base calls it so)
        """Log nothing."""


@pytest.fixture
def service() -> Iterator[ChatService]:
    service = ChatService()
    thread = threading.Thread(target=service.serve_forever)
    thread.start()
    yield service
    service.shutdown()
    thread.join()
    service.server_close()


@pytest.fixture
def host(vault: Path, service: ChatService) -> Iterator[Host]:
    overrides = {
        "embedding.model": "hashed",
        "llm.provider": "openai-compatible",
        "llm.base_url": f"http://127.0.0.1:{service.server_port}/v1",
        "llm.model": "tiny",
        "llm.input_price": 10.0,
        "llm.output_price": 100.0,
        "llm.attempts": 1,
    }
    running = Host(vault, serve=False, overrides=overrides)
    running.start()
    yield running
    running.stop()


def pursue(host: Host, **arguments: Any) -> Any:
    schedule = host.ask("schedule.create", goal="Look for boats", cadence=HOURLY, **arguments)
    run_id = host.ask("schedule.run_now", id=schedule.id).run_id
    for _ in range(600):
        try:
            return host.ask("schedule.run", run_id=run_id)
        except NotFoundError:
            time.sleep(0.05)
    raise AssertionError("the run did not end")


def test_a_goal_is_pursued_and_accounted_for(host: Host, service: ChatService) -> None:
    host.ask("note.save", content="The boat Annabel leaks.", store="shared")
    host.ask("vault.settle")
    service.says("", ("memory_search", {"query": "boat"}), ("memory_write", {"content": "Annabel needs a plank."}))
    service.says("One boat leaks.")
    run = pursue(host)
    assert (run.status, run.output, run.turn_count) == ("succeeded", "One boat leaks.", 2)
    assert run.cost == pytest.approx(0.04)
    first, second = service.bodies
    assert {"memory_search", "note_save"} <= {tool["function"]["name"] for tool in first["tools"]}
    assert [message["role"] for message in second["messages"]] == ["system", "user", "assistant", "tool", "tool"]
    ids = [call["id"] for call in second["messages"][2]["tool_calls"]]
    assert [message["tool_call_id"] for message in second["messages"][3:]] == ids
    assert len(set(ids)) == 2
    assert "Annabel leaks" in second["messages"][3]["content"]
    host.ask("memory.undo", run_id=run.run_id)
    assert host.ask("memory.search", query="kind:observation plank").hits == ()


def test_a_service_that_refuses_is_told_to_the_person(host: Host, service: ChatService) -> None:
    service.status = 400
    service.says("x")
    run = pursue(host)
    assert run.status == "failed"
    assert "HTTP 400" in run.output
