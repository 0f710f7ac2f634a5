"""``keepsake --self-test``: tries each part of an installation on a temporary vault."""

import contextlib
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from app import __version__
from app.cli import demo
from app.cli.entry_points import RENDER, installed
from app.core.paths import program_root
from app.core.process.program_command import program_command
from app.errors import KeepsakeError, MachineError
from app.host import Host
from app.rpc.client import Client
from app.sentence import Sentence
from app.store.encryption.vault_encryption import VaultEncryption

Say = Callable[[str], None]

_JOB: Final = "sch-housekeeping"
_RUN_S: Final = 120.0
_MCP_S: Final = 60.0
_PAUSE_S: Final = 0.05
_LEAST_PICTURE_BYTES: Final = 5_000  # an empty window compresses to less
_WORD: Final = "Quaggaish"
_PROTOCOL: Final = "2025-06-18"


@dataclass(slots=True)
class _Subject:
    """The folder and vault that the steps share."""

    folder: Path
    host: Host


def run_self_test(say: Say) -> int:
    """Try every part of this installation, and report each with its time.

    Nothing outside a temporary folder is read or written, and nothing leaves the machine.

    Args:
        say: Takes each line of the report.

    Returns:
        The exit status: 0 when every step worked, else 1.
    """
    say(f"Keepsake {__version__}, Python {sys.version.split()[0]}, {_kind()}")
    failures = 0
    with _quiet_environment(), tempfile.TemporaryDirectory(prefix="keepsake-self-test-") as name:
        subject = _Subject(Path(name), Host(Path(name) / "vault"))
        try:
            for title, step in _STEPS:
                began = time.perf_counter()
                try:
                    result = step(subject)
                except (KeepsakeError, OSError, ValueError, LookupError, ImportError) as error:
                    failures += 1
                    say(f"FAILED  {title:<18} {_seconds(began)}  {type(error).__name__}: {error}")
                    if step is _open:
                        break  # nothing else can work
                else:
                    say(f"ok      {title:<18} {_seconds(began)}  {result}")
        finally:
            subject.host.stop()
    say("Everything works." if not failures else f"{failures} of {len(_STEPS)} parts failed.")
    return 1 if failures else 0


def _kind() -> str:
    return "packaged" if getattr(sys, "frozen", False) else "installed as a Python package"


def _seconds(began: float) -> str:
    return f"{time.perf_counter() - began:7.2f} s"


@contextlib.contextmanager
def _quiet_environment() -> Iterator[None]:
    """Keep the test away from the person's vault, screen and keyring."""
    before = dict(os.environ)
    os.environ.update(QT_QPA_PLATFORM="offscreen", PYTHON_KEYRING_BACKEND="keyring.backends.null.Keyring")
    for name in ("KEEPSAKE_VAULT", "KEEPSAKE_TOKEN"):
        os.environ.pop(name, None)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _open(subject: _Subject) -> str:
    subject.host.start()
    return "an empty vault was made and opened"


def _import(subject: _Subject) -> str:
    lines: list[str] = []
    demo.fill(subject.host, lines.append)
    return lines[-1]


def _search(subject: _Subject) -> str:
    matches = 0
    for example in demo.examples():
        hits = subject.host.ask("memory.search", query=example.query, limit=5).hits
        if not hits:
            raise MachineError(Sentence("The sample search '{query}' found nothing.", query=example.query))
        matches += len(hits)
    return f"{matches} hits of {len(demo.examples())} searches"


def _meaning(subject: _Subject) -> str:
    stats = subject.host.ask("memory.stats")
    if not stats.chunks or stats.embedded < stats.chunks:
        raise MachineError(
            Sentence("Only {embedded} of {texts} texts have a vector.", embedded=stats.embedded, texts=stats.chunks)
        )
    return f"{stats.embedded} texts have a vector of the built-in model"


def _paint(subject: _Subject) -> str:
    pictures: list[Path] = installed(RENDER)(subject.host, subject.folder / "pictures", demo.examples()[0].query)
    for picture in pictures:
        if picture.stat().st_size < _LEAST_PICTURE_BYTES:
            raise MachineError(Sentence("The picture {name} is empty.", name=picture.name))
    return f"{len(pictures)} pictures of the window"


def _socket(subject: _Subject) -> str:
    client = Client.connect(subject.host.vault)
    try:
        stats = client.call("memory.stats")
    finally:
        client.close()
    return f"another program counts {stats['messages']:,} messages"


def _mcp(subject: _Subject) -> str:
    key = subject.host.ask("agent.add", name="self-test", trust="familiar").token
    environment = {**os.environ, "KEEPSAKE_VAULT": str(subject.host.vault), "KEEPSAKE_TOKEN": str(key)}
    hello = {
        "protocolVersion": _PROTOCOL,
        "capabilities": {},
        "clientInfo": {"name": "keepsake-self-test", "version": __version__},
    }
    requests = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    with subprocess.Popen(  # noqa: S603  (our own program)
        [*program_command(), "mcp"],
        cwd=program_root(),
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as server:
        assert server.stdin is not None  # noqa: S101  (a pipe was asked for)
        assert server.stdout is not None  # noqa: S101
        try:
            for request in requests:
                server.stdin.write(json.dumps(request).encode() + b"\n")
            server.stdin.flush()
            tools = _answer(server.stdout.readline, 2)["result"]["tools"]
            server.stdin.close()
            server.wait(_MCP_S)
        except subprocess.TimeoutExpired as error:
            raise MachineError("The MCP server did not end.") from error
        finally:
            server.kill()
    return f"{len(tools)} tools are offered to agents"


def _answer(readline: Callable[[], bytes], number: int) -> dict[str, Any]:
    """Return the answer to a request."""
    while line := readline():
        message: dict[str, Any] = json.loads(line)
        if message.get("id") == number:
            if "error" in message:
                raise MachineError(
                    Sentence("The MCP server answers: {reply}", reply=message["error"].get("message", ""))
                )
            return message
    raise MachineError("The MCP server ended without an answer.")


def _scheduled(subject: _Subject) -> str:
    claim = subject.host.ask("schedule.run_now", id=_JOB)
    deadline = time.monotonic() + _RUN_S
    while time.monotonic() < deadline:
        runs = [run for run in subject.host.ask("schedule.runs", id=_JOB) if run.run_id == claim.run_id]
        if runs:
            if runs[0].status != "succeeded":
                raise MachineError(
                    Sentence(
                        "The run ended as {status}: {output}", status=runs[0].status, output=runs[0].output_summary
                    )
                )
            return f"housekeeping: {runs[0].output_summary}"
        time.sleep(_PAUSE_S)
    raise MachineError("The scheduled job did not end in time.")


def _backup(subject: _Subject) -> str:
    backup = subject.host.ask("backup.now")
    subject.host.ask("backup.verify", name=backup.name)
    return "a backup was made and read back"


def _close(subject: _Subject) -> str:
    subject.host.stop()
    again = Host(subject.host.vault)
    again.start()
    try:
        stats = again.ask("memory.stats")
    finally:
        again.stop()
    if not stats.messages:
        raise MachineError("The messages are gone after the vault was opened again.")
    return f"closed and opened again with {stats.messages:,} messages"


def _encryption(subject: _Subject) -> str:
    vault = subject.folder / "encrypted"
    encryption = VaultEncryption(vault)
    if not encryption.status().is_available:
        return "left out: this installation cannot encrypt"
    encryption.encrypt(secrets.token_urlsafe())
    host = Host(vault, serve=False)
    host.start()
    try:
        host.ask("note.save", title=_WORD, content=f"{_WORD} is in no file.")
        plain = [path.name for path in vault.rglob("*") if path.is_file() and _WORD.encode() in path.read_bytes()]
        hits = host.ask("memory.search", query=_WORD).hits
    finally:
        host.stop()
        encryption.lock()
    if plain or not hits:
        raise MachineError(f"Plain text in {', '.join(plain)}." if plain else "The encrypted note was not found.")
    return "a vault was encrypted, searched, and no file has its text"


_STEPS: Final[tuple[tuple[str, Callable[[_Subject], str]], ...]] = (
    ("start", _open),
    ("import", _import),
    ("search", _search),
    ("meaning", _meaning),
    ("paint", _paint),
    ("socket", _socket),
    ("MCP", _mcp),
    ("scheduled run", _scheduled),
    ("backup", _backup),
    ("close and open", _close),
    ("encryption", _encryption),
)
