"""A real host at its real socket: clients, a window's backend, and what they hear."""

import os
import threading
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from app.changes import AREAS, ChangeSet, Event
from app.errors import HostUnreachableError, InputError, NotFoundError, StaleError, UnknownOperationError
from app.host import Host
from app.memories.model import Memory, MemoryFilter, MemoryRow
from app.retrieval.model import Found
from app.rpc.client import Client
from app.rpc.host_backend import HostBackend
from app.rpc.hostfile import FILE
from app.sessions.model import NewMessage
from tests.helpers.guards.unexpected_logs import AllowLogs

WAIT_S = 20.0


@pytest.fixture
def remote(host: Host) -> Iterator[HostBackend]:
    """Return a window's way to a host in another process, here in the same one."""
    backend = HostBackend(host.vault, never)
    backend.start()
    yield backend
    backend.stop()


def never() -> None:
    """Open no vault: another process has it."""


def ask(backend: HostBackend, operation: str, /, **arguments: Any) -> Any:
    return backend.call(operation, arguments).result(WAIT_S).value


class ReceivedEvents:
    """Events in the order heard; ``until`` waits for one."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._more = threading.Condition()

    def __call__(self, event: Event) -> None:
        with self._more:
            self.events.append(event)
            self._more.notify_all()

    def until(self, operation: str) -> ChangeSet:
        with self._more:
            assert self._more.wait_for(lambda: self._changes(operation), WAIT_S)
        return self._changes(operation)[0]

    def _changes(self, operation: str) -> list[ChangeSet]:
        return [item for item in self.events if isinstance(item, ChangeSet) and item.operation == operation]


def test_a_client_writes_and_the_host_hears(host: Host) -> None:
    received = ReceivedEvents()
    unsubscribe = host.subscribe(received)
    with Client.connect(host.vault) as client:
        note = client.call("note.save", {"content": "from afar", "tags": ["garden"]})
    assert received.until("note.save").ids[0] == note["id"]
    assert host.ask("note.get", id=note["id"]).content == "from afar"
    unsubscribe()


def test_model_objects_go_in_and_come_out(remote: HostBackend) -> None:
    saved = ask(remote, "note.save", content="Compost\n\n#garden/mulch", title="Mulch")
    assert isinstance(saved, Memory)
    assert isinstance(saved.created_at, datetime)
    assert saved == ask(remote, "note.get", id=saved.id)
    rows = ask(remote, "note.list", filter=MemoryFilter(tags=("garden",)))
    assert [type(row) for row in rows] == [MemoryRow]
    appended = ask(remote, "session.append", messages=[NewMessage("user", "When do we mulch?")], title="Garden")
    assert ask(remote, "session.length", session=appended.session_id) == 1
    result = ask(remote, "memory.search", query="mulch")
    assert isinstance(result, Found)
    assert {hit.title for hit in result.hits} == {"Mulch", "Garden"}
    assert ask(remote, "note.resolve", title="No such") is None


def test_a_reply_carries_what_undoes_it(remote: HostBackend) -> None:
    reply = remote.call("note.save", {"content": "undo me"}).result(WAIT_S)
    assert reply.changes is not None
    ask(remote, "memory.undo", history_ids=list(reply.changes.history_ids))
    assert ask(remote, "note.list") == []


def test_failures_are_the_same_as_in_the_same_process(remote: HostBackend) -> None:
    saved = ask(remote, "note.save", content="one")
    ask(remote, "note.update", id=saved.id, version=1, content="two")
    with pytest.raises(StaleError):
        ask(remote, "note.update", id=saved.id, version=1, content="three")
    with pytest.raises(NotFoundError):
        ask(remote, "note.get", id="note-nowhere")
    with pytest.raises(UnknownOperationError):
        ask(remote, "no.such")
    with pytest.raises(InputError):
        ask(remote, "note.get", id=5)


def test_a_window_hears_what_others_write(host: Host, remote: HostBackend) -> None:
    received = ReceivedEvents()
    remote.subscribe(received)
    host.ask("note.save", content="by somebody else")
    assert "memories" in received.until("note.save").areas


def test_many_calls_at_once_are_all_answered(remote: HostBackend) -> None:
    futures = [remote.call("note.save", {"content": f"note {number}"}) for number in range(200)]
    assert len({future.result(WAIT_S).value.id for future in futures}) == 200
    assert len(ask(remote, "note.ids")) == 200


def test_naughty_text_goes_round_unchanged(remote: HostBackend, naughty: str) -> None:
    if not naughty.strip():
        pytest.skip("an empty note is none")
    saved = ask(remote, "note.save", content=naughty)
    assert saved.content == ask(remote, "note.get", id=saved.id).content
    ask(remote, "memory.search", query=naughty)


def test_a_window_finds_a_host_that_was_started_again(vault: Path) -> None:
    first = Host(vault)
    first.start()
    remote = HostBackend(vault, never)
    remote.start()
    saved = ask(remote, "note.save", content="kept")
    first.stop()
    received = ReceivedEvents()
    remote.subscribe(received)
    second = Host(vault)
    second.start()
    assert ask(remote, "note.get", id=saved.id).content == "kept"
    assert received.until("vault.reopen").areas == AREAS
    remote.stop()
    second.stop()


def test_host_without_a_socket_accepts_no_connection(vault: Path) -> None:
    host = Host(vault, serve=False)
    host.start()
    assert host.address == ""
    with pytest.raises(HostUnreachableError):
        Client.connect(vault)
    host.stop()


def test_a_host_with_nowhere_to_listen_still_opens(
    vault: Path, monkeypatch: pytest.MonkeyPatch, allow_logs: AllowLogs
) -> None:
    allow_logs("other programs cannot reach this vault")
    deep = vault / ("x" * 120)
    monkeypatch.setattr("app.rpc.server.listener._candidates", lambda _vault: [deep / "a.sock"])
    host = Host(vault)
    host.start()
    assert host.address == ""
    assert host.ask("note.list") == []
    host.stop()


def test_a_host_that_was_killed_leaves_nothing_in_the_way(vault: Path) -> None:
    host = Host(vault)
    host.start()
    address, description = host.address, (vault / FILE).read_bytes()
    host.stop()
    # As after a crash: the socket is there and nobody listens on it, and the file points to it.
    import socket

    dead = socket.socket(socket.AF_UNIX)
    dead.bind(address)
    dead.close()
    (vault / FILE).write_bytes(description)
    with pytest.raises(HostUnreachableError):
        Client.connect(vault)
    again = Host(vault)
    again.start()
    assert again.address == address
    with Client.connect(vault) as client:
        assert client.call("vault.status")["vault"] == str(vault)
    again.stop()
    assert not os.path.lexists(address)


def test_stopping_a_host_ends_an_import_in_order(vault: Path, tmp_path: Path) -> None:
    lines = [f'{{"type":"message","session":"s{n % 50}","role":"user","content":"turn {n}"}}' for n in range(60_000)]
    (tmp_path / "big.jsonl").write_text("\n".join(lines))
    host = Host(vault)
    host.start()
    remote = HostBackend(vault, never)
    remote.start()
    begun = threading.Event()
    remote.subscribe(lambda event: begun.set())
    future = remote.call("exchange.import", {"path": str(tmp_path / "big.jsonl")})
    assert begun.wait(WAIT_S)
    host.stop()
    report = future.result(WAIT_S).value
    assert report.cancelled or report.messages == 60_000
    remote.stop()
    again = Host(vault)
    again.start()
    assert again.ask("vault.check").ok
    assert again.ask("memory.stats").messages == report.messages
    again.stop()
