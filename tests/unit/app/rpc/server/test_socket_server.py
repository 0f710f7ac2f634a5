import contextlib
import json
import os
import socket
import stat
import struct
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.changes import ChangeSet, Progress
from app.rpc.client import Client
from app.rpc.framing import MAX_DEPTH, MAX_FRAME, MAX_HELLO, MAX_SHORT_FRAME, encode
from app.rpc.hostfile import FILE, read_hostfile
from app.rpc.messages import hello
from app.rpc.server.call_queue import MAX_IN_FLIGHT
from app.rpc.server.client_connection import MAX_BATCH, MAX_UNSENT, ClientTimeouts
from app.rpc.server.socket_server import MAX_CONNECTIONS, MAX_SETTLING, MAX_UNAUTHENTICATED, SilentPeer, giving_way
from tests.helpers.guards.unexpected_logs import AllowLogs
from tests.unit.app.rpc.conftest import Raw, Served, serving

Connect = Callable[[], Raw]


def framed(payload: bytes) -> bytes:
    return struct.pack(">I", len(payload)) + payload


def request(**fields: Any) -> bytes:
    return framed(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "echo.say", "params": {}} | fields).encode())


SAY = {"jsonrpc": "2.0", "id": 1, "method": "echo.say", "params": {"text": "hello"}}

BAD_HELLOS = {
    "nothing": framed(b"{}"),
    "no object": framed(b"[1]"),
    "no json": framed(b"hello"),
    "http": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "empty frame": struct.pack(">I", 0),
    "too long": struct.pack(">I", MAX_HELLO + 1) + b"x",
    "gigantic": struct.pack(">I", 2**32 - 1),
    "another protocol": framed(b'{"keepsake":2,"token":"x"}'),
    "protocol as text": framed(b'{"keepsake":"1","token":"x"}'),
    "protocol as truth": framed(b'{"keepsake":true,"token":"x"}'),
    "no token": framed(b'{"keepsake":1}'),
    "token is a list": framed(b'{"keepsake":1,"token":["x"]}'),
    "token is null": framed(b'{"keepsake":1,"token":null}'),
    "wrong token": framed(b'{"keepsake":1,"token":"guess"}'),
    "empty token": framed(b'{"keepsake":1,"token":""}'),
    "a request first": request(),
}

BAD_REQUESTS = {
    "an empty batch": framed(b"[]"),
    "a long batch": framed(b"[" + b",".join([b"1"] * (MAX_BATCH + 1)) + b"]"),
    "a text": framed(b'"hello"'),
    "a number": framed(b"7"),
    "null": framed(b"null"),
    "no json": framed(b"{"),
    "not utf-8": framed(b'{"a":"\xff"}'),
    "deep": framed(b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
    "deeper than allowed": framed(b'{"a":' + b"[" * MAX_DEPTH + b"]" * MAX_DEPTH + b"}"),
    "half a character as id": framed(b'{"jsonrpc":"2.0","id":"\\ud83d","method":"echo.say"}'),
    "half a character as method": framed(b'{"jsonrpc":"2.0","id":null,"method":"\\ud83d"}'),
    "half a character in no request": framed(b'{"text":"\\ud83d"}'),
    "half a character in broken json": framed(b'{"text":"\\ud83d"'),
    "no version": framed(b'{"id":1,"method":"echo.say"}'),
    "another version": request(jsonrpc="1.0"),
    "version as number": request(jsonrpc=2.0),
    "id is null": request(id=None),
    "id is a list": request(id=[1]),
    "id is true": request(id=True),
    "id is a fraction": request(id=1.5),
    "id is very long": request(id="x" * 1000),
    "method is missing": framed(b'{"jsonrpc":"2.0","id":1}'),
    "method is a number": request(method=7),
    "method is empty": request(method=""),
    "params are a list": request(params=["hello"]),
    "params are text": request(params="hello"),
    "params are null": request(params=None),
}


BAD_FRAMES = {
    "empty frame": struct.pack(">I", 0),
    "too long": struct.pack(">I", MAX_FRAME + 1),
}


@pytest.mark.parametrize("data", BAD_HELLOS.values(), ids=BAD_HELLOS)
def test_bad_hello_gets_one_error_and_is_disconnected(raw: Connect, data: bytes) -> None:
    guest = raw()
    guest.send(data)
    answer = guest.receive()
    assert answer["id"] is None
    assert answer["error"]["data"]["kind"] == "input"
    assert guest.is_at_end()


@pytest.mark.parametrize("data", BAD_REQUESTS.values(), ids=BAD_REQUESTS)
def test_bad_request_gets_one_error_and_the_next_is_answered(served: Served, raw: Connect, data: bytes) -> None:
    other, guest = raw().greet(served.vault), raw().greet(served.vault)
    guest.send(data)
    answer = guest.receive()
    assert answer["id"] in {None, 1}
    assert answer["error"]["message"]
    assert guest.ask(SAY | {"id": "next"})["id"] == "next"
    assert other.ask(SAY)["result"]["value"] == "hello"


@pytest.mark.parametrize("data", BAD_FRAMES.values(), ids=BAD_FRAMES)
def test_a_broken_frame_gets_one_error_and_ends_the_connection(served: Served, raw: Connect, data: bytes) -> None:
    other, guest = raw().greet(served.vault), raw().greet(served.vault)
    guest.send(data)
    answer = guest.receive()
    assert answer["id"] is None
    assert answer["error"]["code"] == -32600
    assert guest.is_at_end()
    assert other.ask(SAY)["result"]["value"] == "hello"


def test_half_frame_and_disconnect_affect_no_other_client(served: Served, raw: Connect) -> None:
    guest = raw().greet(served.vault)
    guest.send(struct.pack(">I", 100) + b"half")
    guest.socket.close()
    assert raw().greet(served.vault).ask(SAY)["result"]["value"] == "hello"


def test_silent_client_is_disconnected(folder: Path) -> None:
    with serving(folder, timeouts=ClientTimeouts(hello=0.05)) as served:
        guest = Raw(served.server.address)
        assert "No hello" in guest.receive()["error"]["message"]
        assert guest.is_at_end()
        guest.socket.close()


def test_client_that_stops_within_a_frame_is_disconnected(folder: Path) -> None:
    with serving(folder, timeouts=ClientTimeouts(frame=0.05)) as served:
        guest = Raw(served.server.address).greet(folder)
        guest.send(struct.pack(">I", 100) + b"half")
        assert "middle" in guest.receive()["error"]["message"]
        assert guest.is_at_end()
        guest.socket.close()


def test_answers_carry_value_and_changes(served: Served, raw: Connect) -> None:
    guest = raw().greet(served.vault)
    assert guest.ask(SAY) == {"jsonrpc": "2.0", "id": 1, "result": {"value": "hello", "changes": None}}
    changed = guest.ask(SAY | {"id": "a", "method": "echo.change", "params": {"name": "n"}})
    assert changed["id"] == "a"
    assert changed["result"]["changes"]["operation"] == "echo.change"
    assert changed["result"]["changes"]["history_ids"] == [7]


def test_failures_have_one_shape(served: Served, raw: Connect, allow_logs: AllowLogs) -> None:
    allow_logs("the operation echo.break failed")
    guest = raw().greet(served.vault)
    stale = guest.ask(SAY | {"method": "echo.refuse", "params": {}})["error"]
    assert stale == {
        "code": -32002,
        "message": "It changed since it was read.",
        "data": {
            "code": "stale",
            "kind": "input",
            "message": "It changed since it was read.",
            "data": {"version": 3},
        },
    }
    assert guest.ask(SAY | {"method": "no.such"})["error"]["code"] == -32601
    assert guest.ask(SAY | {"params": {"text": 5}})["error"]["code"] == -32602
    assert guest.ask(SAY | {"params": {"txet": ""}})["error"]["data"]["code"] == "invalid_input"
    assert guest.ask(SAY | {"method": "echo.break", "params": {}})["error"]["data"]["code"] == "internal"
    assert guest.ask(SAY)["result"]["value"] == "hello"


def test_an_answer_too_long_is_a_failure_of_that_call_only(served: Served, raw: Connect) -> None:
    guest = raw().greet(served.vault)
    answer = guest.ask(SAY | {"params": {"text": "x", "times": MAX_FRAME}})
    assert answer["id"] == 1
    assert "Ask for less" in answer["error"]["message"]
    assert guest.ask(SAY)["result"]["value"] == "hello"


def test_naughty_text_comes_back_as_it_went(served: Served, raw: Connect, naughty: str) -> None:
    assert raw().greet(served.vault).ask(SAY | {"params": {"text": naughty}})["result"]["value"] == naughty


def test_a_quick_call_overtakes_a_slow_one(served: Served, raw: Connect) -> None:
    guest = raw().greet(served.vault)
    guest.send(encode(SAY | {"id": "slow", "method": "echo.wait", "params": {}}))
    assert guest.ask(SAY | {"id": "quick"})["id"] == "quick"
    served.open_gate()
    assert guest.receive()["id"] == "slow"


def test_calls_under_way_are_bounded(served: Served, raw: Connect) -> None:
    guest, other = raw().greet(served.vault), raw().greet(served.vault)
    for number in range(MAX_IN_FLIGHT + 4):
        guest.send(encode({"jsonrpc": "2.0", "id": number, "method": "echo.wait"}))
    while served.gate.waiting < MAX_IN_FLIGHT:
        assert other.ask(SAY)["result"]["value"] == "hello"
    for _ in range(50):
        other.ask(SAY)
    assert served.gate.waiting == MAX_IN_FLIGHT
    served.open_gate()
    assert {guest.receive()["id"] for _ in range(MAX_IN_FLIGHT + 4)} == set(range(MAX_IN_FLIGHT + 4))


def test_who_closed_its_sending_side_still_gets_answers(served: Served, raw: Connect) -> None:
    import socket

    guest = raw().greet(served.vault)
    guest.send(encode({"jsonrpc": "2.0", "id": 5, "method": "echo.wait"}))
    guest.socket.shutdown(socket.SHUT_WR)
    served.open_gate()
    assert guest.receive()["id"] == 5
    assert guest.is_at_end()


def test_one_too_many_is_turned_away(served: Served, raw: Connect) -> None:
    guests = [raw().greet(served.vault) for _ in range(MAX_CONNECTIONS)]
    late = raw()
    late.send(encode(hello(read_hostfile(served.vault).token)))
    assert "connected to Keepsake already" in late.receive()["error"]["message"]
    assert late.is_at_end()
    assert guests[0].ask(SAY)["result"]["value"] == "hello"


def test_connections_without_a_token_lock_no_client_out(folder: Path) -> None:
    with serving(folder, timeouts=ClientTimeouts(settle=0)) as served, contextlib.ExitStack() as leaving:
        silent = [Raw(served.server.address) for _ in range(MAX_CONNECTIONS + MAX_UNAUTHENTICATED)]
        guest = Raw(served.server.address).greet(folder)
        for one in (*silent, guest):
            leaving.callback(one.socket.close)
        assert guest.ask(SAY)["result"]["value"] == "hello"
        assert "No hello" in silent[0].receive()["error"]["message"]
        assert silent[0].is_at_end()
        silent[-1].greet(folder)


def test_threads_that_connect_and_say_nothing_keep_nobody_out(served: Served) -> None:
    is_over = threading.Event()

    def connect() -> None:
        while not is_over.is_set():
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as silent:
                silent.settimeout(10)
                silent.connect(served.server.address)
                silent.recv(1)

    threads = [threading.Thread(target=connect, daemon=True) for _ in range(100)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(10):
            with Client.connect(served.vault) as client:
                assert client.call("echo.say", {"text": "hello"}) == "hello"
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


def test_the_process_with_most_silent_connections_loses_its_oldest() -> None:
    crowd = {f"crowd-{number}": SilentPeer(7, float(number)) for number in range(MAX_UNAUTHENTICATED)}
    others = {"lone": SilentPeer(8, 0.0), "pair-1": SilentPeer(9, 0.0), "pair-2": SilentPeer(9, 0.0)}
    assert giving_way({**others, **crowd}, 1000.0) == "crowd-0"
    assert giving_way(crowd, 1000.0) is None
    assert giving_way({**others, **crowd}, 1.0) is None  # most of them have only just come
    many = {f"new-{number}": SilentPeer(number, float(number)) for number in range(MAX_SETTLING + 1)}
    assert giving_way(many, -1.0) == "new-0"


@pytest.mark.parametrize("surrogate", [b"\\ud83d", b"\\uDE00", b"\\ude00\\ud83d"])
def test_half_a_character_is_a_failure_of_that_call_only(served: Served, raw: Connect, surrogate: bytes) -> None:
    guest = raw().greet(served.vault)
    guest.send(encode({"jsonrpc": "2.0", "id": "slow", "method": "echo.wait"}))
    for number in range(MAX_IN_FLIGHT + 1):
        frame = b'{"jsonrpc":"2.0","id":%d,"method":"echo.say","params":{"text":"%s"}}' % (number, surrogate)
        guest.send(framed(frame))
        answer = guest.receive()
        assert answer["id"] == number
        assert answer["error"]["data"]["code"] == "invalid_input"
        assert "lone surrogate" in answer["error"]["message"]
    assert guest.ask(SAY)["result"]["value"] == "hello"
    served.open_gate()
    assert guest.receive()["id"] == "slow"


def test_long_frames_take_turns(folder: Path) -> None:
    with serving(folder, timeouts=ClientTimeouts(frame=1)) as served, contextlib.ExitStack() as leaving:
        holders = [Raw(served.server.address).greet(folder) for _ in range(3)]
        for guest in holders:
            leaving.callback(guest.socket.close)
            guest.send(struct.pack(">I", MAX_FRAME) + b"{")
        short, long = (Raw(served.server.address).greet(folder) for _ in range(2))
        for guest in (short, long):
            leaving.callback(guest.socket.close)
        assert short.ask(SAY)["result"]["value"] == "hello"
        answer = long.ask(SAY | {"params": {"text": "x" * (MAX_SHORT_FRAME + 1)}})
        assert len(answer["result"]["value"]) == MAX_SHORT_FRAME + 1


def test_who_does_not_read_is_not_served_on(served: Served, raw: Connect) -> None:
    guest, other = raw().greet(served.vault), raw().greet(served.vault)
    requests = SAY | {"params": {"text": "x", "times": MAX_UNSENT + (1 << 20)}}
    for number in range(MAX_IN_FLIGHT):
        guest.send(encode(requests | {"id": number}))
    guest.send(encode({"jsonrpc": "2.0", "id": "last", "method": "echo.wait"}))
    for _ in range(50):
        assert other.ask(SAY)["result"]["value"] == "hello"
    assert served.gate.waiting == 0
    assert {guest.receive()["id"] for _ in range(MAX_IN_FLIGHT)} == set(range(MAX_IN_FLIGHT))
    served.open_gate()
    assert guest.receive()["id"] == "last"


def test_subscribers_hear_changes_and_progress(served: Served, raw: Connect) -> None:
    listener, silent = raw().greet(served.vault), raw().greet(served.vault)
    assert listener.ask({"jsonrpc": "2.0", "id": 1, "method": "subscribe"})["result"]["value"] is True
    served.feed.publish(ChangeSet(frozenset({"memories"}), ("note-1",), "Atlas", "note.save", (1,)))
    received = listener.receive()
    assert received["method"] == "changed"
    assert received["params"] == {
        "areas": ["memories"],
        "ids": ["note-1"],
        "actor": "Atlas",
        "operation": "note.save",
        "history_ids": [1],
    }
    served.feed.publish(Progress("run-1", "Importing", 5, 10))
    assert listener.receive()["params"]["done"] == 5
    assert silent.ask(SAY)["result"]["value"] == "hello"
    listener.ask({"jsonrpc": "2.0", "id": 2, "method": "unsubscribe"})
    served.feed.publish(Progress("run-1", "Importing", 6, 10))
    assert listener.ask(SAY)["id"] == 1


def test_a_change_of_very_many_things_names_none(served: Served, raw: Connect) -> None:
    listener = raw().greet(served.vault)
    listener.ask({"jsonrpc": "2.0", "id": 1, "method": "subscribe"})
    served.feed.publish(ChangeSet(frozenset({"memories"}), tuple(f"note-{number}" for number in range(20_000))))
    assert listener.receive()["params"]["ids"] == []


def test_a_subscriber_that_does_not_listen_is_dropped_with_the_reason(served: Served, raw: Connect) -> None:
    listener, other = raw().greet(served.vault), raw().greet(served.vault)
    listener.ask({"jsonrpc": "2.0", "id": 1, "method": "subscribe"})
    for number in range(3000):
        served.feed.publish(Progress("run-1", "x" * 1000, number))
    assert other.ask(SAY)["result"]["value"] == "hello"
    received = [listener.receive()]
    while received[-1]["method"] != "dropped":
        received.append(listener.receive())
    assert "fell behind" in received[-1]["params"]["reason"]
    assert len(received) < 3000
    assert listener.ask({"jsonrpc": "2.0", "id": 2, "method": "subscribe"})["id"] == 2
    served.feed.publish(Progress("run-2", "again", 1))
    assert listener.receive()["params"]["job"] == "run-2"


def test_describe_lists_the_operations(served: Served, raw: Connect) -> None:
    listed = raw().greet(served.vault).ask({"jsonrpc": "2.0", "id": 1, "method": "describe"})["result"]["value"]
    say = next(item for item in listed if item["name"] == "echo.say")
    assert say["summary"] == "Say it back."
    assert [parameter["name"] for parameter in say["parameters"]] == ["text", "times"]


def test_a_stop_answers_what_is_under_way(served: Served, raw: Connect) -> None:
    guest, other = raw().greet(served.vault), raw().greet(served.vault)
    guest.send(encode({"jsonrpc": "2.0", "id": 5, "method": "echo.wait"}))
    while not served.gate.waiting:
        other.ask(SAY)
    stopping = served.stop()
    served.open_gate()
    assert guest.receive()["id"] == 5
    assert guest.is_at_end()
    stopping.result(10)


@pytest.mark.skipif(sys.platform == "win32", reason="Unix sockets")
def test_only_the_owner_can_reach_socket_and_token(served: Served) -> None:
    address = Path(served.server.address)
    assert stat.S_IMODE(address.stat().st_mode) == 0o600
    assert stat.S_IMODE(address.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE((served.vault / FILE).stat().st_mode) == 0o600
    assert read_hostfile(served.vault).pid == os.getpid()


def test_nothing_is_left_after_a_stop(folder: Path) -> None:
    with serving(folder) as served:
        address = Path(served.server.address)
    assert not address.exists()
    assert not (folder / FILE).exists()


def test_loopback_serves_where_there_are_no_unix_sockets(folder: Path) -> None:
    with serving(folder, loopback=True) as served:
        assert read_hostfile(folder).socket == ""
        guest = Raw(served.server.address).greet(folder)
        assert guest.ask(SAY)["result"]["value"] == "hello"
        guest.socket.close()


@given(st.lists(st.binary(max_size=60), min_size=1, max_size=8))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_affect_no_other_client(served: Served, parts: list[bytes]) -> None:
    newcomer, guest = Raw(served.server.address), Raw(served.server.address).greet(served.vault)
    try:
        with contextlib.suppress(OSError):
            for part in parts:
                newcomer.send(part)
                guest.send(framed(part) if part else b"")
    finally:
        newcomer.socket.close()
        guest.socket.close()
    other = Raw(served.server.address).greet(served.vault)
    assert other.ask(SAY)["result"]["value"] == "hello"
    other.socket.close()
