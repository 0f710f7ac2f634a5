"""Writes with a key: repeated after a lost answer, across restarts, and from several connections at once."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.api.caller import Caller
from app.errors import InputError, KeyConflictError
from app.host import Host
from app.receipts.model import MAX_KEY
from app.rpc.client import Client

NOTE = {"content": "The boiler is serviced in May.", "tags": ["house"], "key": "k-1"}


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    running = Host(vault, overrides={"embedding.model": "hashed"})
    running.start()
    yield running
    running.stop()


@pytest.mark.parametrize("operation", ["note.save", "memory.write"])
def test_the_same_key_stores_nothing_twice(host: Host, operation: str) -> None:
    first = host.ask(operation, **NOTE)
    again = host.ask(operation, **NOTE)
    if operation == "memory.write":
        first, again = first.memory, again.memory
    assert again == first
    assert host.ask("memory.stats").memories == 1
    other = host.ask(operation, **{**NOTE, "content": "Another note", "key": "k-2"})
    assert other is not None
    assert host.ask("memory.stats").memories == 2


def test_a_repeat_changes_nothing(host: Host) -> None:
    host.ask("memory.write", **NOTE)
    reply = host.call("memory.write", NOTE).result()
    assert reply.changes is not None
    assert reply.changes.ids == ()
    assert reply.value.outcome == "ADD"


@pytest.mark.parametrize("operation", ["note.save", "memory.write"])
def test_a_key_with_other_arguments_is_refused(host: Host, operation: str) -> None:
    host.ask(operation, **NOTE)
    for changed in ({"content": "Something else"}, {"tags": []}, {"title": "T"}):
        with pytest.raises(KeyConflictError, match="key"):
            host.ask(operation, **{**NOTE, **changed})
    assert host.ask("memory.stats").memories == 1


def test_each_operation_has_keys_of_its_own(host: Host) -> None:
    turn = {"session": "talk", "messages": [{"role": "user", "content": "x"}], "key": NOTE["key"]}
    first = [host.ask("session.append", **turn), host.ask("memory.write", **NOTE).memory]
    assert [host.ask("session.append", **turn), host.ask("memory.write", **NOTE).memory] == first
    assert host.ask("memory.stats").memories == 1


def test_a_refused_write_leaves_its_key_free(host: Host) -> None:
    with pytest.raises(InputError):
        host.ask("note.save", content=" ", key="k")
    assert host.ask("note.save", content="now with words", key="k").content == "now with words"
    with pytest.raises(InputError, match="key"):
        host.ask("note.save", content="x", key="k" * (MAX_KEY + 1))


def test_callers_have_keys_of_their_own(host: Host) -> None:
    def save(name: str) -> Any:
        return host.call("note.save", {"content": name, "key": "same"}, Caller(name)).result().value

    assert save("one").id != save("two").id
    assert save("one").id == save("one").id


def test_what_was_deleted_is_not_stored_again_and_what_was_forgotten_leaves_no_receipt(host: Host) -> None:
    note = host.ask("note.save", **NOTE)
    host.ask("note.delete", id=note.id)
    assert host.ask("note.save", **NOTE).deleted_at is not None
    host.ask("memory.forget_forever", ids=[note.id], confirm=True)
    assert host.ask("note.save", **NOTE).id != note.id


def test_keys_hold_across_a_restart(vault: Path) -> None:
    ids = set()
    for _ in range(2):
        host = Host(vault)
        host.start()
        ids.add(host.ask("note.save", **NOTE).id)
        host.stop()
    assert len(ids) == 1


def test_a_write_cut_off_before_its_receipt_is_recognised(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    def cut_off(*_: object) -> None:
        raise RuntimeError("the process ended here")

    with monkeypatch.context() as patch:
        patch.setattr("app.receipts.service.ClaimedWrite.fulfil", cut_off)
        with pytest.raises(RuntimeError):
            host.ask("note.save", **NOTE)
    (stored,) = host.ask("note.list")
    assert host.ask("note.save", **NOTE).id == stored.id
    assert len(host.ask("note.list")) == 1


def test_the_same_key_from_many_connections_at_once(host: Host) -> None:
    found: list[str] = []

    def save() -> None:
        with Client.connect(host.vault) as client:
            found.append(client.call("note.save", NOTE)["id"])

    threads = [threading.Thread(target=save, name=f"writer-{number}") for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1


def test_no_content_is_kept_with_a_key(host: Host) -> None:
    host.ask("note.save", content="xylophonic secret", key="k")

    def rows(connection: Any) -> list[Any]:
        return list(connection.execute("SELECT operation, arguments, answer FROM write_receipts"))

    import apsw

    connection = apsw.Connection(str(host.vault / "memory.db"), flags=apsw.SQLITE_OPEN_READONLY)
    ((operation, arguments, answer),) = rows(connection)
    connection.close()
    assert operation == "note.save"
    assert "xylophonic" not in arguments + answer
