"""Servers that drip or break off: one sentence, and nothing is taken for whole."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler
from urllib.parse import quote

import pytest

from app.errors import ExchangeError
from app.sync.exchanges import server_caller
from app.sync.exchanges.exchange_places import place_of
from app.sync.exchanges.exchange_point import ExchangePoint
from tests.helpers.servers.http_between import Answer, HttpBetween, status

VAULT, LANE = "a" * 32, "0" * 15 + "1"
FIRST = f"{LANE}/s-000000000001-000000000004"


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = replace(server_caller.LIMITS, first_pause_s=0.01, whole_s=1.0, slowest_bytes_s=None)
    monkeypatch.setattr(server_caller, "LIMITS", limits)


@pytest.fixture
def between() -> Iterator[HttpBetween]:
    server = HttpBetween()
    yield server
    server.close()


@pytest.fixture(params=["webdav", "s3"])
def point(request: pytest.FixtureRequest, between: HttpBetween) -> Iterator[ExchangePoint]:
    endpoint = quote(f"http://127.0.0.1:{between.port}", safe="")
    addresses = {
        "webdav": f"http://keeper:secret@127.0.0.1:{between.port}/dav",
        "s3": f"s3://KEY:secret@bucket/memory?endpoint={endpoint}",
    }
    made = place_of(addresses[request.param]).point(VAULT)
    yield made
    made.close()


def sent(body: bytes, *, length: int, pause_s: float = 0.0) -> Answer:
    """Answer with a body that comes in pieces and ends before its length; without a pause, at once."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(207 if handler.command == "PROPFIND" else 200)
        handler.send_header("Content-Length", str(length))
        handler.send_header("ETag", '"another"')
        handler.end_headers()
        with suppress(OSError):
            for place in range(len(body)):
                handler.wfile.write(body[place : place + 1])
                handler.wfile.flush()
                time.sleep(pause_s)
        handler.close_connection = True

    return answer


def verbs(point: ExchangePoint) -> list[Callable[[], object]]:
    return [
        point.lanes,
        partial(point.names, LANE),
        partial(point.get, FIRST),
        partial(point.put_new, FIRST, b"one"),
    ]


@pytest.mark.parametrize(
    "body", [b"", b'<multistatus xmlns="DAV:"></multistatus>', b"<ListBucketResult></ListBucketResult>"]
)
def test_a_body_that_breaks_off_is_not_taken_for_whole(point: ExchangePoint, between: HttpBetween, body: bytes) -> None:
    between.answers[""] = sent(body, length=len(body) + 1)
    for verb in verbs(point):
        with pytest.raises(ExchangeError, match=r"cannot be reached|does not speak"):
            verb()


def test_a_body_that_drips_is_given_up(point: ExchangePoint, between: HttpBetween) -> None:
    between.answers[""] = sent(b" " * 10_000, length=20_000, pause_s=0.05)
    for verb in verbs(point)[:3]:
        with pytest.raises(ExchangeError, match=r"did not answer in time|does not speak"):
            verb()


def test_a_slow_line_has_more_time_for_more(
    point: ExchangePoint, between: HttpBetween, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = replace(server_caller.LIMITS, attempts=1, whole_s=0.2, slowest_bytes_s=1.0)
    monkeypatch.setattr(server_caller, "LIMITS", limits)
    between.answers["GET"] = sent(b"a" * 40, length=40, pause_s=0.01)
    assert point.get(FIRST) == b"a" * 40


@pytest.mark.parametrize("point", ["s3"], indirect=True)
def test_each_attempt_is_signed_at_its_time(
    point: ExchangePoint, between: HttpBetween, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_caller, "LIMITS", replace(server_caller.LIMITS, whole_s=60.0))
    signatures: list[str] = []

    def answer_later(handler: BaseHTTPRequestHandler) -> None:
        signatures.append(handler.headers["Authorization"])
        second = int(time.time())
        while int(time.time()) == second:  # the time that is signed has whole seconds
            time.sleep(0.01)
        status(503)(handler)

    between.answers[""] = answer_later
    with pytest.raises(ExchangeError, match="takes no requests"):
        point.get(FIRST)
    assert len(set(signatures)) == len(signatures) == 3
