"""A chat service on this machine that speaks OpenAI's protocol and answers what it was told to.

``with ChatServer() as server: server.script.append(ChatReply("Hello"))``; its address is ``server.address``.
"""

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

if TYPE_CHECKING:
    from collections.abc import Callable

PATH: Final = "/v1/chat/completions"
_LONGEST_WAIT_S: Final = 20.0
_END_S: Final = 5.0

Body = dict[str, Any]


@dataclass
class ChatReply:
    """One answer.

    Args:
        text: What the model says.
        status: The HTTP status; from 400 on the text is the error's message.
        headers: Headers of its own, such as ``Retry-After``.
        raw: Bytes in place of a chat answer.
        finish_reason: ``length`` cuts it off, ``content_filter`` withholds it.
        refusal: The sentence with which the model refuses.
        tool_calls: Tools it calls: id, name, arguments.
        usage: Tokens read and written; ``None`` where the service does not count.
        hangs: Nothing comes until the server is released or closed.
        delay_s: Seconds before the answer.
        drops: The connection ends before the answer.
        is_half: The connection ends in the middle of the answer.
        drips: The answer comes byte by byte, for ever.
        chunk: Bytes that are sent again and again, without a length, until the client goes.
    """

    text: str = "Yes."
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    finish_reason: str = "stop"
    refusal: str = ""
    tool_calls: tuple[tuple[str, str, str], ...] = ()
    usage: tuple[int, int] | None = (10, 5)
    hangs: bool = False
    delay_s: float = 0.0
    drops: bool = False
    is_half: bool = False
    drips: bool = False
    chunk: bytes = b""

    def body(self, model: str) -> bytes:
        """Return the bytes of the answer."""
        if self.raw is not None:
            return self.raw
        if self.status >= 400:
            return json.dumps({"error": {"message": self.text, "type": "test", "code": None}}).encode()
        said: Body = {"role": "assistant", "content": self.text or None}
        if self.refusal:
            said |= {"refusal": self.refusal, "content": None}
        if self.tool_calls:
            said["tool_calls"] = [
                {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
                for call_id, name, arguments in self.tool_calls
            ]
        choice = {"index": 0, "message": said, "finish_reason": self.finish_reason}
        whole: Body = {"id": "c1", "object": "chat.completion", "created": 1, "model": model, "choices": [choice]}
        if self.usage is not None:
            read, written = self.usage
            whole["usage"] = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
        return json.dumps(whole).encode()


class ChatServer:
    """HTTP server that sends the replies in ``script`` first, then what ``usual`` makes of a request.

    It keeps the ``requests``, their ``keys``, ``paths`` and ``headers``.
    """

    def __init__(self) -> None:
        self.script: list[ChatReply] = []
        self.usual: Callable[[Body], ChatReply] = lambda _: ChatReply()
        self.requests: list[Body] = []
        self.keys: list[str] = []
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.reached = threading.Event()
        self.released = threading.Event()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"service": self}))
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a client that hung up
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def origin(self) -> str:
        """Return the address without a path."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def address(self) -> str:
        """Return the address as ``llm.base_url`` takes it."""
        return f"{self.origin}/v1"

    def texts(self) -> str:
        """Return everything that was sent to the model, as one text."""
        return json.dumps([request.get("messages") for request in self.requests], ensure_ascii=False)

    def take(self, request: Body, path: str, headers: dict[str, str]) -> ChatReply:
        """Keep a request and return its reply."""
        with self._lock:
            self.requests.append(request)
            self.paths.append(path)
            self.headers.append(headers)
            self.keys.append(headers.get("authorization", ""))
            reply = self.script.pop(0) if self.script else self.usual(request)
        self.reached.set()
        return reply

    def close(self) -> None:
        """Release what hangs and end the server."""
        self.released.set()
        self._server.shutdown()
        self._thread.join(_END_S)
        self._server.server_close()

    def __enter__(self) -> Self:
        """Return the running server."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the server."""
        self.close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    service: ClassVar[ChatServer]

    def do_POST(self) -> None:
        service = self.service
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = service.take(request, self.path, {name.lower(): value for name, value in self.headers.items()})
        if reply.hangs or reply.delay_s:
            service.released.wait(_LONGEST_WAIT_S if reply.hangs else reply.delay_s)
        if reply.hangs or reply.drops:
            self.close_connection = True
            return
        self.send_response(reply.status)
        for name, value in ({"Content-Type": "application/json"} | reply.headers).items():
            self.send_header(name, value)
        self._send(reply, reply.body(str(request.get("model", ""))))

    def _send(self, reply: ChatReply, content: bytes) -> None:
        self.close_connection = self.close_connection or reply.is_half or reply.drips or bool(reply.chunk)
        if not reply.chunk:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if reply.chunk:
            while not self.service.released.is_set():
                self.wfile.write(reply.chunk)
        elif reply.drips:
            self._send_slowly(content)
        else:
            self.wfile.write(content[: len(content) // 2] if reply.is_half else content)

    def _send_slowly(self, content: bytes) -> None:
        for place in range(len(content) - 1):
            if self.service.released.wait(0.02):
                return
            self.wfile.write(content[place : place + 1])
        self.service.released.wait(_LONGEST_WAIT_S)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        del format, args
