"""An embedding service on this machine that answers what it was told to."""

import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

KEY = "sk-very-secret-0123456789"


@dataclass
class Answer:
    """One answer: ``body`` as it is, or made of the request."""

    status: int = 200
    body: bytes | Callable[[dict[str, Any]], Any] | None = None
    headers: dict[str, str] = field(default_factory=dict)
    hangs: bool = False
    drops: bool = False
    is_half: bool = False


class EmbeddingServer:
    """HTTP server that sends the answers in ``script`` first, then normal ones."""

    def __init__(self, width: int = 4, certificate: Path | None = None) -> None:
        self.width = width
        self.script: list[Answer] = []
        self.requested: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.paths: list[str] = []
        self.usual: Callable[[dict[str, Any]], Answer] = lambda _: Answer()
        self.released = threading.Event()
        self.reached = threading.Event()
        self.hanging = 0
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                service.requested.append(body)
                service.keys.append(self.headers.get("Authorization", ""))
                service.paths.append(self.path)
                service.reached.set()
                answer = service.script.pop(0) if service.script else service.usual(body)
                if answer.hangs:
                    service.hanging += 1
                    service.released.wait(20)
                    service.hanging -= 1
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
                self.wfile.write(content[: len(content) // 2] if answer.is_half else content)
                self.close_connection = self.close_connection or answer.is_half

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                del format, args

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a client that hung up
        self._scheme = "http"
        if certificate is not None:
            self._scheme = "https"
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self._server.server_port}"

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


@contextmanager
def slow_server() -> Iterator[str]:
    """Run a server that sends an endless response header byte by byte."""
    listening = socket.create_server(("127.0.0.1", 0))
    over = threading.Event()

    def drip(connection: socket.socket) -> None:
        with connection:
            try:
                connection.sendall(b"HTTP/1.1 200 OK\r\nX-Long: ")
                while not over.wait(0.02):
                    connection.sendall(b"x")
            except OSError:
                return

    def serve() -> None:
        while not over.is_set():
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=drip, args=(connection,), daemon=True).start()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    over.set()
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()
    thread.join()


def certificate(folder: Path) -> Path:
    """Write a self-signed certificate for this machine with its key; skip without openssl."""
    x509 = pytest.importorskip("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    form = serialization.PrivateFormat.PKCS8
    file = folder / "service.pem"
    pem = serialization.Encoding.PEM
    file.write_bytes(key.private_bytes(pem, form, plain) + made.public_bytes(pem))
    return file
