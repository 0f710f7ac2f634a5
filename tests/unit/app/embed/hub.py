"""A Hugging Face hub on this machine with one repository, as slow or as faulty as it is told to be."""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from fastembed import TextEmbedding

from app.embed.download.fastembed_files import description
from tests.unit.app.embed.sentence_model import NAME

MINILM_REPO: str = description(TextEmbedding, NAME.removeprefix("fastembed:"))["sources"]["hf"]
"""Where fastembed has the model from; how that is spelt depends on its version."""
COMMIT = "a" * 40
LARGE = 1_000
"""Files of that many bytes and more are told of with their digest, like those in large file storage."""


@dataclass
class HubRequest:
    """One request for a file."""

    path: str
    begin: int
    key: str


class Hub:
    """A real HTTP server.

    Args:
        files: What the repository holds.
        repo: Its name.
    """

    def __init__(self, files: dict[str, bytes], repo: str = MINILM_REPO) -> None:
        self.files = files
        self.repo = repo
        self.commit = COMMIT
        self.requested: list[HubRequest] = []
        self.requests: list[str] = []
        self.digests: dict[str, str] = {}
        """Said in place of the true ones."""
        self.statuses: dict[str, list[int]] = {}
        """Answers to come for a path, in order, before the usual one."""
        self.takes_ranges = True
        self.lists_for_ever = False
        self.stops_at: dict[str, int] = {}
        """How much of a file is sent before nothing more comes, until it is released."""
        self.breaks_at: dict[str, int] = {}
        """How much of a file is sent at once before the line breaks."""
        self.other_host = ""
        """The address of another one that has the large files."""
        self.reached = threading.Event()
        self.released = threading.Event()
        hub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                hub._answer(self)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                del format, args

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a client that hung up
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def stop_at(self, path: str, bytes_sent: int) -> None:
        """Send only so much of a file, and then nothing until it is released."""
        self.stops_at[path] = bytes_sent
        self.reached.clear()
        self.released.clear()

    def go_on(self) -> None:
        """Send files whole again."""
        self.stops_at.clear()
        self.released.set()

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _answer(self, to: BaseHTTPRequestHandler) -> None:
        path = unquote(urlsplit(to.path).path)
        self.requests.append(path)
        name = path.partition(f"/resolve/{self.commit}/")[2]
        statuses = self.statuses.get(name or path.rpartition("/")[2], [])
        if statuses:
            self._send(to, statuses.pop(0), b"")
        elif path == f"/api/models/{self.repo}/revision/main":
            self._send(to, 200, json.dumps({"id": self.repo, "sha": self.commit}).encode())
        elif path == f"/api/models/{self.repo}/tree/{self.commit}":
            self._send_list(to)
        elif name in self.files and path.startswith(f"/{self.repo}/"):
            self._send_file(to, name)
        else:
            self._send(to, 404, b"{}")

    def _send_list(self, to: BaseHTTPRequestHandler) -> None:
        """Send what there is, in two pages."""
        found = [{"type": "directory", "path": "onnx", "size": 0, "oid": "0"}]
        found += [self._entry(name, content) for name, content in self.files.items()]
        is_second = "cursor" in to.path
        page = found[3:] if is_second else found[:3]
        has_more = self.lists_for_ever or not is_second
        more = f'<{self.address}{to.path.partition("&cursor")[0]}&cursor=3>; rel="next"' if has_more else ""
        self._send(to, 200, json.dumps(page).encode(), {"Link": more} if more else {})

    def _entry(self, name: str, content: bytes) -> dict[str, Any]:
        made: dict[str, Any] = {"type": "file", "path": name, "size": len(content), "oid": "1"}
        if len(content) >= LARGE:
            digest = self.digests.get(name) or hashlib.sha256(content).hexdigest()
            made["lfs"] = {"oid": digest, "size": len(content), "pointerSize": 134}
            made["size"] = len(content)
        return made

    def _send_file(self, to: BaseHTTPRequestHandler, name: str) -> None:
        given = to.headers.get("Range", "")
        begin = int(given.removeprefix("bytes=").removesuffix("-")) if given else 0
        self.requested.append(HubRequest(name, begin, to.headers.get("Authorization", "")))
        content = self.files[name]
        if self.other_host and len(content) >= LARGE:
            self._send(to, 302, b"", {"Location": f"{self.other_host}{to.path}"})
            return
        if begin and self.takes_ranges:
            if begin >= len(content):
                self._send(to, 416, b"")
                return
            rest = {"Content-Range": f"bytes {begin}-{len(content) - 1}/{len(content)}"}
            self._send(to, 206, content[begin:], rest, self._least(name, begin), breaks=name in self.breaks_at)
        else:
            self._send(to, 200, content, {}, self._least(name, 0), breaks=name in self.breaks_at)

    def _least(self, name: str, begin: int) -> int | None:
        """Return how many bytes of an answer are sent at once; ``None`` for all."""
        if name in self.breaks_at:
            return self.breaks_at[name]
        return max(0, self.stops_at[name] - begin) if name in self.stops_at else None

    def _send(
        self,
        to: BaseHTTPRequestHandler,
        status: int,
        content: bytes,
        headers: dict[str, str] | None = None,
        first: int | None = None,
        *,
        breaks: bool = False,
    ) -> None:
        to.send_response(status)
        for name, value in (headers or {}).items():
            to.send_header(name, value)
        to.send_header("Content-Length", str(len(content)))
        to.end_headers()
        to.wfile.write(content[:first])
        to.wfile.flush()
        if first is None:
            return
        if breaks:
            to.close_connection = True
            return
        self.reached.set()
        self.released.wait(30)
        to.wfile.write(content[first:])


def files_in(folder: Path) -> dict[str, bytes]:
    """Return the content of all files of a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@contextmanager
def running(monkeypatch: pytest.MonkeyPatch, files: dict[str, bytes], repo: str = MINILM_REPO) -> Iterator[Hub]:
    """Run a hub that models are fetched from during the block."""
    hub = Hub(files, repo)
    monkeypatch.setenv("HF_ENDPOINT", hub.address)
    try:
        yield hub
    finally:
        hub.close()
