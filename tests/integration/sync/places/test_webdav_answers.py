"""What a WebDAV server refuses or answers wrongly is told in one sentence, and nothing is lost."""

import gzip
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from app.errors import DiskFullError, ExchangeError, InputError, KeepsakeError
from app.sync.exchanges import server_caller, webdav_client
from app.sync.exchanges.exchange_places import place_of, without_password
from app.sync.exchanges.exchange_point import ExchangePoint
from app.sync.exchanges.webdav_exchange import WebdavPlace
from tests.helpers.guards.unexpected_logs import AllowLogs
from tests.helpers.servers.http_between import Answer, HttpBetween, endless, status
from tests.helpers.servers.webdav import NAME, WebdavServer
from tests.integration.sync.machines import Machine, settle
from tests.unit.app.embed.embedding_server import certificate

VAULT, LANE = "a" * 32, "0" * 15 + "1"
FIRST, SECOND = f"{LANE}/s-000000000001-000000000004", f"{LANE}/s-000000000005-000000000005"
BASE = f"/dav/keepsake-v1/{VAULT}"
LISTING = b'<?xml version="1.0"?><d:multistatus xmlns:d="DAV:">'
BOMB = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><x>&b;</x>'


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_caller, "LIMITS", replace(server_caller.LIMITS, first_pause_s=0.01))


@contextmanager
def point_of(address: str) -> Iterator[ExchangePoint]:
    point = place_of(address).point(VAULT)
    try:
        yield point
    finally:
        point.close()


@pytest.fixture
def between() -> Iterator[HttpBetween]:
    server = HttpBetween()
    yield server
    server.close()


def address_of(server: HttpBetween) -> str:
    return f"http://{NAME}:secret@127.0.0.1:{server.port}/dav"


def listing(*hrefs: str, is_whole: bool = True) -> Answer:
    entries = "".join(f"<d:response><d:href>{href}</d:href></d:response>" for href in hrefs)
    return status(207, LISTING + entries.encode() + (b"</d:multistatus>" if is_whole else b""))


ANSWERS: dict[str, tuple[Answer, type[KeepsakeError], str]] = {
    "password": (status(401), ExchangeError, "does not accept the name or the password"),
    "forbidden": (status(403), ExchangeError, "Allow it to read and write there"),
    "full": (status(507), DiskFullError, "no room left"),
    "locked": (status(423), ExchangeError, "keeps a file locked"),
    "failing": (status(500), ExchangeError, "status 500"),
    "too large": (status(413), ExchangeError, "Allow larger ones"),
    "no WebDAV": (status(405), ExchangeError, "does not speak WebDAV"),
    "strange": (status(418), ExchangeError, "status 418"),
    "redirect": (
        status(302, Location="https://elsewhere.example/dav"),
        ExchangeError,
        "on elsewhere.example, to which",
    ),
    "redirect to nowhere": (status(302, Location="https://[half"), ExchangeError, "on 127.0.0.1, to which"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_each_refusal_is_told(name: str, between: HttpBetween) -> None:
    answer, error, sentence = ANSWERS[name]
    between.answers[""] = answer
    with point_of(address_of(between)) as point:
        for verb in (
            place_of(address_of(between)).vault,
            lambda: place_of(address_of(between)).make_vault(VAULT) if name != "no WebDAV" else point.names(LANE),
            point.require_there,
            point.lanes,
            lambda: point.names(LANE),
            lambda: point.get(FIRST),
            lambda: point.put_new(FIRST, b"one"),
            lambda: point.remove(FIRST),
        ):
            with pytest.raises(error, match=sentence) as caught:
                verb()
            assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "answer",
    [
        status(200, b"<html>Welcome</html>", **{"Content-Type": "text/html"}),
        status(207, b"<html>Welcome</html>"),
        status(207, b"Welcome"),
        status(207, b""),
        status(207, BOMB),
        listing(f"{BASE}/{LANE}/", is_whole=False),
        status(207, gzip.compress(LISTING + b"</d:multistatus>"), **{"Content-Encoding": "gzip"}),
    ],
    ids=["page", "page as listing", "text", "nothing", "entities", "half", "packed"],
)
def test_what_is_no_listing_is_not_taken_for_one(answer: Answer, between: HttpBetween) -> None:
    between.answers[""] = answer
    with point_of(address_of(between)) as point:
        with pytest.raises(ExchangeError, match="does not speak WebDAV"):
            point.lanes()
        with pytest.raises(ExchangeError, match="does not speak WebDAV"):
            point.names(LANE)


def test_a_page_is_not_taken_for_an_object(between: HttpBetween) -> None:
    between.answers[""] = status(200, b"<html>Sign in</html>", **{"Content-Type": "text/html; charset=utf-8"})
    with point_of(address_of(between)) as point, pytest.raises(ExchangeError, match="does not speak WebDAV"):
        point.get(FIRST)


def test_an_answer_without_an_end_is_not_read_on(between: HttpBetween, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webdav_client, "MOST_BYTES", 4 << 20)
    monkeypatch.setattr(webdav_client, "MOST_LISTED_BYTES", 4 << 20)
    with point_of(address_of(between)) as point:
        entry = b"<d:response><d:href>/dav/foreign</d:href></d:response>" * 1000
        between.answers = {"PROPFIND": endless(207, LISTING, entry), "": endless(200, b"", bytes(1 << 16))}
        for verb in (point.lanes, partial(point.names, LANE), partial(point.get, FIRST), partial(point.remove, FIRST)):
            with pytest.raises(ExchangeError, match="far more than was requested"):
                verb()
        between.answers["PROPFIND"] = endless(207, LISTING + b"<d:response><d:href>", b"a" * (1 << 16))
        with pytest.raises(ExchangeError, match="far more than was requested"):
            point.lanes()


def test_no_password_goes_where_a_server_refers_to(between: HttpBetween) -> None:
    other = HttpBetween()
    other.answers[""] = status(207, LISTING + b"</d:multistatus>")
    between.answers[""] = status(307, Location=f"http://127.0.0.1:{other.port}/dav/")
    with pytest.raises(ExchangeError, match="sends no password"):
        place_of(address_of(between)).vault()
    assert not other.requested
    other.close()


def test_names_of_others_are_passed_over(between: HttpBetween) -> None:
    with point_of(address_of(between)) as point:
        own = [
            f"{BASE}/{SECOND}",
            f"http://somewhere.example/other{BASE}/{LANE}/%73-000000000001-000000000004",
            "s-000000000006-000000000006",
        ]
        foreign = [
            "", "/", "..", f"{BASE}/{LANE}/", f"{BASE}/{LANE}/../{LANE}x/s-000000000009-000000000009",
            f"{BASE}/{LANE}/%2e%2e%2fs-000000000009-000000000009", f"{BASE}/{LANE}/s-000000000009-000000000009/more",
            "/etc/s-000000000009-000000000009", "http://[half/s-000000000009-000000000009",
            f"{BASE}/{LANE}/s-000000000009-00000000000٩", f"{BASE}/{LANE}/s-000000000009-000000000009%00",
            *(f"{BASE}/{LANE}/holiday%20{number}.jpg" for number in range(10_000)),
        ]  # fmt: skip
        between.answers[""] = listing(*foreign, *own)
        assert point.names(LANE) == [FIRST, SECOND, f"{LANE}/s-000000000006-000000000006"]
        assert point.lanes() == [LANE]


def test_addresses_that_are_none_are_refused() -> None:
    for address in (
        "https://",
        "https://:443/dav",
        "https://keeper:pass#word@server/dav",
        "https://keeper:pass/word@server/dav",
        "https://keeper:pass?word@server/dav",
        "https://keeper:word@server:port/dav",
        "https://keeper:word@[half/dav",
    ):
        with pytest.raises(InputError, match="looks like https://name:password@server/path"):
            place_of(address)
    for address in ("http://keeper:word@server/dav", "webdav://keeper:word@192.168.1.2/dav"):
        with pytest.raises(InputError, match="Without encryption"):
            place_of(address)
    for address in ("webdavs://keeper:word@server/dav", "http://keeper:word@[::1]:8080/dav", "https://server"):
        assert isinstance(place_of(address), WebdavPlace)
    shown = without_password("https://keeper:word%40@server:8443/my%20folder?token=word&secret_access_key=word")
    assert shown == "https://keeper@server:8443/my%20folder"


def test_what_a_real_server_refuses_is_told(webdav: WebdavServer) -> None:
    address = webdav.new_place()
    with pytest.raises(ExchangeError, match="no such folder"):
        place_of(f"{address}/nowhere").vault()
    with pytest.raises(ExchangeError, match="does not accept the name or the password"):
        place_of(address.replace(NAME, "nobody")).vault()
    with pytest.raises(ExchangeError, match="cannot be reached"):
        place_of(webdav.address(port=1)).vault()
    with point_of(address) as point, pytest.raises(ExchangeError, match="was emptied"):
        point.put_new(FIRST, b"one")
    with pytest.raises(ExchangeError, match="was closed"):
        point.put_new(FIRST, b"one")


def test_a_folder_that_may_not_be_written_is_told(webdav: WebdavServer) -> None:
    address = webdav.new_place()
    place_of(address).make_vault(VAULT)
    with point_of(address) as point:
        assert point.put_new(FIRST, b"one")
        lane = webdav.folder_of(address) / "keepsake-v1" / VAULT / LANE
        lane.chmod(0o500)
        if os.geteuid() == 0 and not webdav.user:
            pytest.skip("the server runs as root, who may write everywhere")
        try:
            with pytest.raises(ExchangeError):
                point.put_new(SECOND, b"two")
            assert point.names(LANE) == [FIRST]
        finally:
            lane.chmod(0o700)
        assert point.put_new(SECOND, b"two")


def test_what_a_dead_process_left_goes_after_a_day(webdav: WebdavServer) -> None:
    address = webdav.new_place()
    place_of(address).make_vault(VAULT)
    with point_of(address) as point:
        assert point.put_new(FIRST, b"one")
        lane = webdav.folder_of(address) / "keepsake-v1" / VAULT / LANE
        names = (f"unfinished-{'1' * 32}", f"unfinished-{'2' * 32}", "unfinished-x")
        young, old, foreign = (lane / name for name in names)
        before = time.time() - 25 * 3600
        for path in (young, old, foreign):
            path.write_bytes(b"half")
            if path is not young:
                os.utime(path, (before, before))
        assert point.names(LANE) == [FIRST]
        assert {path.name for path in lane.iterdir()} == {FIRST.partition("/")[2], young.name, foreign.name}


def test_a_lost_answer_to_a_move_is_no_failure(webdav: WebdavServer) -> None:
    between = HttpBetween(webdav.port)

    def move_and_hang_up(handler: BaseHTTPRequestHandler) -> None:
        del between.answers["MOVE"]
        handler.wfile = open(os.devnull, "wb")  # type: ignore[assignment]  # noqa: PTH123, SIM115
        between.pass_on(handler, b"")
        handler.close_connection = True

    address = webdav.new_place().replace(f":{webdav.port}", f":{between.port}")
    place_of(address).make_vault(VAULT)
    with point_of(address) as point:
        between.answers["MOVE"] = move_and_hang_up
        assert point.put_new(FIRST, b"one")
        assert point.get(FIRST) == b"one"
    between.close()


def test_a_server_that_moves_files_over_others_keeps_each_object_once(
    webdav: WebdavServer, allow_logs: AllowLogs
) -> None:
    allow_logs("moves files over others")
    between = HttpBetween(webdav.port)
    between.dropped = frozenset({"overwrite"})
    address = webdav.new_place()
    place_of(address).make_vault(VAULT)
    with point_of(address) as point:
        assert point.gives_names_once()
    with point_of(address.replace(f":{webdav.port}", f":{between.port}")) as point:
        assert not point.gives_names_once()
        assert point.put_new(FIRST, b"one")
        assert not point.put_new(FIRST, b"two")
        assert point.get(FIRST) == b"one"
    assert not list(webdav.folder_of(address).rglob("unfinished-*"))
    between.close()


def test_a_server_killed_within_a_put_is_found_again(webdav: WebdavServer, tmp_path: Path) -> None:
    between = HttpBetween(webdav.port)
    address = webdav.new_place().replace(f":{webdav.port}", f":{between.port}")
    machines = [Machine(tmp_path / name, tmp_path / "unused") for name in ("desktop", "laptop")]
    try:
        machines[0].share(address)
        machines[1].join(machines[0], address)
        machines[0].ask("note.save", content="sent while the server ends")
        between.cut = webdav.kill
        with pytest.raises(ExchangeError, match=r"cannot be reached|takes no requests"):
            machines[0].sync()
        webdav.start()
        machines[1].ask("note.save", content="of another")
        settle(*machines)
        assert machines[1].contents() == ["of another", "sent while the server ends"]
    finally:
        for machine in machines:
            machine.stop()
        between.close()


@pytest.mark.parametrize(
    "answer",
    [
        status(500),
        status(200, b"<html>Sign in</html>", **{"Content-Type": "text/html"}),
        status(302, Location="https://elsewhere.example/"),
        listing("/../..", is_whole=False),
        status(207, BOMB),
    ],
    ids=["500", "page", "redirect", "half", "entities"],
)
def test_machines_lose_nothing_by_wrong_answers(answer: Answer, apache_server: WebdavServer, tmp_path: Path) -> None:
    between = HttpBetween(apache_server.port)
    address = apache_server.new_place().replace(f":{apache_server.port}", f":{between.port}")
    machines = [Machine(tmp_path / name, tmp_path / "unused") for name in ("desktop", "laptop")]
    try:
        machines[0].share(address)
        machines[1].join(machines[0], address)
        for machine in machines:
            machine.ask("note.save", content=f"of {machine.vault.name}")
        settle(*machines)
        for method in ("", "PROPFIND", "GET", "PUT", "MOVE"):
            machines[0].ask("note.save", content=f"more {method}")
            between.answers = {method: answer}
            problems = [problem for machine in machines if (problem := failed(machine))]
            assert problems
            assert "Two copies" not in "".join(problems)
        between.answers = {}
        settle(*machines)
        assert len(machines[1].contents()) == 7
    finally:
        for machine in machines:
            machine.stop()
        between.close()


def test_a_certificate_that_nobody_vouches_for_is_refused(tmp_path: Path) -> None:
    server = HttpBetween(certificate=certificate(tmp_path))
    with pytest.raises(ExchangeError, match="no certificate that this machine trusts"):
        place_of(f"https://{NAME}:secret@127.0.0.1:{server.port}/dav").vault()
    assert not server.requested
    server.close()


def failed(machine: Machine) -> str:
    """Synchronise; return what the person is told of a failure."""
    try:
        return machine.sync().waiting
    except ExchangeError as error:
        return error.message
