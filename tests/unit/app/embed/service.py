"""An embedding service on this machine that answers what it was told to."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-very-secret-0123456789"


@dataclass
class Answer:
    """One answer: ``body`` as it is, or made of the request."""

    status: int = 200
    body: bytes | Callable[[dict[str, Any]], Any] | None = None
    headers: dict[str, str] = field(default_factory=dict)
    hangs: bool = False
    drops: bool = False


class Service:
    """A real HTTP server; ``script`` is answered in order, then every request in the usual way."""

    def __init__(self, width: int = 4) -> None:
        self.width = width
        self.script: list[Answer] = []
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.paths: list[str] = []
        self.usual: Callable[[dict[str, Any]], Answer] = lambda _: Answer()
        self.released = threading.Event()
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                service.asked.append(body)
                service.keys.append(self.headers.get("Authorization", ""))
                service.paths.append(self.path)
                answer = service.script.pop(0) if service.script else service.usual(body)
                if answer.hangs:
                    service.released.wait(20)
                if answer.hangs or answer.drops:
                    self.close_connection = True
                    return
                made = answer.body
                content = made if isinstance(made, bytes) else json.dumps((made or service.vectors)(body)).encode()
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                del format, args

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]  # whoever hung up
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def vectors(self, body: dict[str, Any]) -> dict[str, Any]:
        """Answer in the shape the request is in; a text's first number is its length."""
        texts: list[str] = body.get("texts") or body["input"]
        rows = [[float(len(text))] + [1.0] * (self.width - 1) for text in texts]
        if "texts" in body:
            return {"id": "x", "embeddings": {"float": rows}}
        data = [{"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(rows)]
        return {"object": "list", "data": data[::-1], "usage": {"total_tokens": 1}}

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
