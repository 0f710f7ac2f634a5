"""An HTTP server of this machine that stands before another one, and answers in its place what a test tells it."""

import http.client
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

METHODS = ("DELETE", "GET", "HEAD", "MKCOL", "MOVE", "POST", "PROPFIND", "PUT")
Answer = Callable[["BaseHTTPRequestHandler"], None]


class HttpBetween:
    """Server that passes requests on, except those that it answers itself.

    Args:
        behind: The port of the server behind, 0 for none.
        certificate: The certificate with its key, ``None`` for no encryption.
    """

    def __init__(self, behind: int = 0, certificate: Path | None = None) -> None:
        self.behind = behind
        self.answers: dict[str, Answer] = {}
        """What is answered to each method, ``""`` for all others."""
        self.is_broken: Callable[[str, str], bool] | None = None
        """Returns whether the line breaks at a request, by its method and path."""
        self.cut: Callable[[], None] | None = None
        """Called in the middle of the next body that is sent on, which then breaks off."""
        self.dropped: frozenset[str] = frozenset()
        """Headers that are not passed on."""
        self.requested: list[str] = []
        between = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def handle_request(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                between.requested.append(f"{self.command} {self.path}")
                answer = between.answers.get(self.command) or between.answers.get("")
                if between.is_broken is not None and between.is_broken(self.command, self.path):
                    status(503)(self)
                elif answer is not None:
                    answer(self)
                else:
                    between.pass_on(self, body)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                del format, args

        for method in METHODS:
            setattr(Handler, f"do_{method}", Handler.handle_request)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a client that hung up
        self.port = self._server.server_port
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def pass_on(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        """Send a request to the server behind, and its answer back."""
        headers = {name: value for name, value in handler.headers.items() if name.lower() not in self.dropped}
        connection = http.client.HTTPConnection("127.0.0.1", self.behind, timeout=60)
        try:
            connection.putrequest(handler.command, handler.path, skip_host=True, skip_accept_encoding=True)
            for name, value in headers.items():
                connection.putheader(name, value)
            connection.endheaders()
            if self.cut is not None and body:
                cut, self.cut = self.cut, None
                connection.send(body[: len(body) // 2])
                cut()
                handler.close_connection = True
                return
            connection.send(body)
            answer = connection.getresponse()
            content = answer.read()
            answered(handler, answer.status, content, dict(answer.getheaders()))
        finally:
            connection.close()

    def close(self) -> None:
        """End the server."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def answered(
    handler: BaseHTTPRequestHandler, status: int, content: bytes = b"", headers: dict[str, str] | None = None
) -> None:
    """Answer a request."""
    handler.send_response_only(status)
    for name, value in (headers or {}).items():
        if name.lower() not in ("content-length", "transfer-encoding", "connection"):
            handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    if handler.command != "HEAD":
        handler.wfile.write(content)


def status(number: int, content: bytes = b"", **headers: str) -> Answer:
    """Return what answers with a status, a body and headers."""
    return lambda handler: answered(handler, number, content, headers)


def endless(status: int, beginning: bytes, piece: bytes) -> Answer:
    """Return what answers without an end."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response_only(status)
        handler.end_headers()
        handler.close_connection = True
        with suppress(OSError):  # the client had enough
            handler.wfile.write(beginning)
            while True:
                handler.wfile.write(piece)

    return answer
