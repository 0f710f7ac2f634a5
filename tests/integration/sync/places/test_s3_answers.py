"""Requests to S3 storage are signed as it wants; what it refuses or answers wrongly is told, and nothing is lost."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from urllib.parse import quote

import pytest

from app.errors import DiskFullError, ExchangeError, InputError, KeepsakeError
from app.sync.exchanges import s3_client, server_caller
from app.sync.exchanges.exchange_places import place_of, without_password
from app.sync.exchanges.exchange_point import ExchangePoint
from app.sync.exchanges.s3_address import S3Address, s3_address
from app.sync.exchanges.s3_client import S3Client
from app.sync.exchanges.s3_signature import path_of, query_of, signed_headers
from tests.helpers.guards.unexpected_logs import AllowLogs
from tests.helpers.servers.http_between import Answer, HttpBetween, endless, status
from tests.helpers.servers.s3 import ANY, S3Server
from tests.integration.sync.machines import Machine, settle

VAULT, LANE = "a" * 32, "0" * 15 + "1"
FIRST, SECOND = f"{LANE}/s-000000000001-000000000004", f"{LANE}/s-000000000005-000000000005"
BASE = f"our memory/keepsake-v1/{VAULT}"
BOMB = b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><ListBucketResult>&b;</ListBucketResult>'
AMAZONS = S3Address(
    "examplebucket.s3.amazonaws.com", "https://examplebucket.s3.amazonaws.com/", "", "us-east-1", "",
    "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
)  # fmt: skip


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_caller, "LIMITS", replace(server_caller.LIMITS, first_pause_s=0.01))


@pytest.fixture
def between() -> Iterator[HttpBetween]:
    server = HttpBetween()
    yield server
    server.close()


@contextmanager
def point_of(address: str) -> Iterator[ExchangePoint]:
    point = place_of(address).point(VAULT)
    try:
        yield point
    finally:
        point.close()


def address_of(server: HttpBetween) -> str:
    endpoint = quote(f"http://127.0.0.1:{server.port}", safe="")
    return f"s3://KEY:hidden@bucket/our%20memory?endpoint={endpoint}"


def error(number: int, code: str, **headers: str) -> Answer:
    return status(number, f"<Error><Code>{code}</Code><Region>eu-west-9</Region></Error>".encode(), **headers)


def listing(*keys: str, more: str = "", folders: tuple[str, ...] = ()) -> bytes:
    entries = "".join(f"<Contents><Key>{key}</Key><Size>1</Size></Contents>" for key in keys)
    entries += "".join(f"<CommonPrefixes><Prefix>{folder}</Prefix></CommonPrefixes>" for folder in folders)
    token = f"<IsTruncated>true</IsTruncated><NextContinuationToken>{more}</NextContinuationToken>" if more else ""
    namespace = "http://s3.amazonaws.com/doc/2006-03-01/"
    return f'<ListBucketResult xmlns="{namespace}"><Prefix>x</Prefix>{token}{entries}</ListBucketResult>'.encode()


@pytest.mark.parametrize(
    ("options", "signature"),
    [
        ({"lifecycle": ""}, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        ({"max-keys": "2", "prefix": "J"}, "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ],
)
def test_signatures_are_those_of_amazons_own_examples(options: dict[str, str], signature: str) -> None:
    at = datetime(2013, 5, 24, tzinfo=UTC)
    headers = signed_headers(AMAZONS, "GET", f"{AMAZONS.url}?{query_of(options)}", b"", at)
    assert headers["Authorization"].endswith(f",Signature={signature}")


def test_signatures_of_strange_names_are_those_of_amazons_own_library() -> None:
    auth = pytest.importorskip("botocore.auth")
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials

    url = f"{AMAZONS.url}{path_of('für uns/a+b=c&d~e*(1)')}"
    at = datetime.now(UTC)
    headers = signed_headers(AMAZONS, "PUT", url, b"data", at)
    request = AWSRequest("PUT", url, data=b"data")
    signer = auth.S3SigV4Auth(Credentials(AMAZONS.key, AMAZONS.secret), "s3", AMAZONS.region)
    request.context["timestamp"] = headers["x-amz-date"]
    request.headers["X-Amz-Date"] = headers["x-amz-date"]
    request.headers["X-Amz-Content-SHA256"] = headers["x-amz-content-sha256"]
    signature = signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)
    assert headers["Authorization"].endswith(f",Signature={signature}")


ANSWERS: dict[str, tuple[Answer, type[KeepsakeError], str]] = {
    "key": (error(403, "InvalidAccessKeyId"), ExchangeError, "does not accept the key"),
    "secret": (error(403, "SignatureDoesNotMatch"), ExchangeError, "does not accept the key or its secret"),
    "forbidden": (error(403, "AccessDenied"), ExchangeError, "Allow it to list, read, write"),
    "bare": (status(403), ExchangeError, "Allow it to list, read, write"),
    "clock": (error(403, "RequestTimeTooSkewed"), ExchangeError, "too far apart"),
    "bucket": (error(404, "NoSuchBucket"), ExchangeError, "no such bucket"),
    "region": (error(400, "AuthorizationHeaderMalformed"), ExchangeError, "Write region=eu-west-9"),
    "redirect by header": (
        error(301, "PermanentRedirect", **{"x-amz-bucket-region": "eu-north-1"}),
        ExchangeError,
        "Write region=eu-north-1",
    ),
    "full": (error(507, "XMinioStorageFull"), DiskFullError, "no room left"),
    "quota": (error(403, "QuotaExceeded"), DiskFullError, "no room left"),
    "failing": (status(500), ExchangeError, "status 500"),
    "slow down": (error(503, "SlowDown"), ExchangeError, "status 503"),
    "no S3": (status(405), ExchangeError, "does not speak S3"),
    "strange": (status(418), ExchangeError, "status 418"),
    "bomb": (status(400, BOMB), ExchangeError, "status 400"),
    "redirect": (status(307, Location="https://elsewhere.example/"), ExchangeError, "on elsewhere.example, to which"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_each_refusal_is_told(name: str, between: HttpBetween) -> None:
    answer, kind, sentence = ANSWERS[name]
    between.answers[""] = answer
    place = place_of(address_of(between))
    with point_of(address_of(between)) as point:
        verbs: list[Callable[[], object]] = [
            place.vault,
            partial(place.make_vault, VAULT),
            point.require_there,
            point.lanes,
            partial(point.names, LANE),
            partial(point.get, FIRST),
            partial(point.put_new, FIRST, b"one"),
            partial(point.remove, FIRST),
        ]
        for verb in verbs:
            with pytest.raises(kind, match=sentence) as caught:
                verb()
            assert "hidden" not in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [b"<html>Welcome</html>", b"Welcome", b"", BOMB, listing()[:-5], listing().replace(b"<Prefix>", b"<IsTruncated>true"
     b"</IsTruncated><Prefix>")],
    ids=["page", "text", "nothing", "entities", "half", "no next page"],
)  # fmt: skip
def test_what_is_no_listing_is_not_taken_for_one(body: bytes, between: HttpBetween) -> None:
    between.answers[""] = status(200, body)
    with point_of(address_of(between)) as point:
        for verb in (point.lanes, partial(point.names, LANE), partial(point.put_new, FIRST, b"one")):
            with pytest.raises(ExchangeError, match="does not speak S3"):
                verb()


def test_a_page_is_not_taken_for_an_object(between: HttpBetween) -> None:
    between.answers[""] = status(200, b"<html>Sign in</html>", **{"Content-Type": "text/html; charset=utf-8"})
    with point_of(address_of(between)) as point, pytest.raises(ExchangeError, match="does not speak S3"):
        point.get(FIRST)


def test_an_answer_without_an_end_is_not_read_on(between: HttpBetween, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(s3_client, "MOST_BYTES", 4 << 20)
    monkeypatch.setattr(s3_client, "MOST_PAGES", 20)
    between.answers[""] = endless(200, b"<ListBucketResult>", b"<Contents><Key>x</Key></Contents>" * 2000)
    with point_of(address_of(between)) as point:
        for verb in (point.lanes, partial(point.names, LANE), partial(point.get, FIRST)):
            with pytest.raises(ExchangeError, match="far more than was requested"):
                verb()
        between.answers[""] = status(200, listing(more="again"))
        with pytest.raises(ExchangeError, match="far more than was requested"):
            point.lanes()


def test_names_of_others_are_passed_over(between: HttpBetween) -> None:
    prefix = quote(f"{BASE}/{LANE}/")
    foreign = ["", "/", "..", "../../etc", f"{prefix}..", f"{prefix}../{LANE}/s-000000000009-000000000009",
               f"other/{FIRST}", f"{prefix}s-000000000009-00000000000٩", f"{prefix}%ff%00",
               *(f"{prefix}holiday+{number}.jpg" for number in range(10_000))]  # fmt: skip
    pages = [listing(*foreign, f"{prefix}s-000000000005-000000000005", more="2"),
             listing(f"{BASE}/{FIRST}", folders=(f"{prefix}s-000000000008-000000000008x/",))]  # fmt: skip
    between.answers[""] = lambda handler: status(200, pages["continuation-token=2" in handler.path])(handler)
    with point_of(address_of(between)) as point:
        assert point.names(LANE) == [FIRST, SECOND]
    between.answers[""] = status(200, listing(folders=(f"{prefix}", f"{BASE}/holiday/", f"{BASE}/{LANE}/more/")))
    with point_of(address_of(between)) as point:
        assert point.lanes() == [LANE]


def test_addresses_that_are_none_are_refused() -> None:
    for address in (
        "s3://",
        "s3://bucket",
        "s3://KEY@bucket",
        "s3://KEY:@bucket",
        "s3://KEY:se/cret@bucket/prefix",
        "s3://KEY:se#cret@bucket/prefix",
        "s3://KEY:se?cret@bucket/prefix",
        "s3://KEY:secret@b/prefix",
        "s3://KEY:secret@bucket/prefix?region=",
        "s3://KEY:secret@bucket/prefix?colour=green",
        "s3://KEY:secret@bucket/prefix?endpoint=server",
        "s3://KEY:secret@bucket/prefix?endpoint=https://name:secret@server",
        "s3://KEY:secret@bucket/prefix?endpoint=https://server:port",
    ):
        with pytest.raises(InputError, match="looks like s3://KEY:SECRET@bucket/prefix"):
            place_of(address)
    with pytest.raises(InputError, match="Without encryption"):
        place_of("s3://KEY:secret@bucket/prefix?endpoint=http://server:9000")
    amazon = s3_address("s3://KEY:sec%2Fret@bucket/our%20memory/?region=eu-central-1")
    assert (amazon.url, amazon.prefix) == ("https://bucket.s3.eu-central-1.amazonaws.com/", "our memory/")
    assert amazon.secret == "sec/ret"
    assert "sec/ret" not in repr(amazon)
    assert s3_address("s3://K:s@my.bucket").url == "https://s3.us-east-1.amazonaws.com/my.bucket/"
    own = s3_address("s3://K:s@bucket?endpoint=https://Server:443/storage/s3")
    assert (own.host, own.url) == ("server", "https://server/storage/s3/bucket/")
    shown = without_password("s3://KEY:sec%2Fret@bucket/our%20memory?region=auto&secret=x&secret_access_key=y&token=z")
    assert shown == "s3://KEY@bucket/our%20memory?region=auto"


def test_a_bucket_that_is_not_there_is_told(s3: S3Server) -> None:
    with pytest.raises(ExchangeError, match="no such bucket"):
        place_of(s3.address("nowhere")).vault()
    with pytest.raises(ExchangeError, match="no such bucket"):
        place_of(s3.address("nowhere")).make_vault(VAULT)
    with pytest.raises(ExchangeError, match="cannot be reached"):
        place_of(s3.address("nowhere", port=1)).vault()


def test_a_wrong_secret_is_told(s3_server: S3Server) -> None:
    with pytest.raises(ExchangeError, match="does not accept the key or its secret"):
        place_of(s3_server.address("nowhere", secret="another")).vault()


def test_a_listing_has_all_pages(s3: S3Server) -> None:
    with point_of(s3.new_place()) as point:
        names = [f"{LANE}/s-{number:012d}-{number:012d}" for number in range(1, 31)]
        for name in reversed(names):
            assert point.put_new(name, b"")
        assert point.names(LANE) == names
        assert point.lanes() == [LANE]


def test_a_server_killed_within_a_put_is_found_again(s3_server: S3Server, tmp_path: Path) -> None:
    between = HttpBetween(s3_server.port)
    machines = [Machine(tmp_path / name, tmp_path / "unused") for name in ("desktop", "laptop")]
    try:
        machines[0].share(address := s3_server.new_place(between.port))
        machines[1].join(machines[0], address)
        machines[0].ask("note.save", content="sent while the server ends")
        between.cut = s3_server.kill
        with pytest.raises(ExchangeError, match=r"cannot be reached|takes no requests"):
            machines[0].sync()
        s3_server.start()
        machines[1].ask("note.save", content="of another")
        settle(*machines)
        assert machines[1].contents() == ["of another", "sent while the server ends"]
    finally:
        for machine in machines:
            machine.stop()
        between.close()


def test_a_server_without_conditions_keeps_each_object_once(s3: S3Server, allow_logs: AllowLogs) -> None:
    allow_logs("knows no conditional writes")
    between = HttpBetween(s3.port)
    between.dropped = frozenset({"if-none-match"})
    address = s3.new_place(between.port)
    with point_of(address) as point:
        assert not point.gives_names_once()
        assert point.put_new(FIRST, b"one")
        assert not point.put_new(FIRST, b"two")
        assert point.get(FIRST) == b"one"
        between.answers["PUT"] = status(200, ETag="x")
        with pytest.raises(ExchangeError, match="did not keep a file"):
            point.put_new(SECOND, b"two")
    between.answers["PUT"] = status(501)
    with point_of(address) as point:
        assert not point.put_new(FIRST, b"two")
        with pytest.raises(ExchangeError, match="status 501"):
            point.put_new(SECOND, b"two")
    between.close()
    with S3Client(s3_address(address.replace(f"%3A{between.port}", f"%3A{s3.port}"))) as client:
        assert client.names(f"keepsake-v1/{VAULT}/", ANY) == [LANE]


def test_a_connection_cut_within_a_put_loses_nothing(s3: S3Server, tmp_path: Path) -> None:
    between = HttpBetween(s3.port)
    address = s3.new_place(between.port)
    machines = [Machine(tmp_path / name, tmp_path / "unused") for name in ("desktop", "laptop")]
    try:
        machines[0].share(address)
        machines[1].join(machines[0], address)
        machines[0].ask("note.save", content="sent while the line is cut")

        def cut() -> None:
            between.answers[""] = status(500)

        between.cut = cut
        with pytest.raises(ExchangeError, match="takes no requests"):
            machines[0].sync()
        between.answers = {}
        machines[1].ask("note.save", content="of another")
        settle(*machines)
        assert machines[1].contents() == ["of another", "sent while the line is cut"]
    finally:
        for machine in machines:
            machine.stop()
        between.close()


@pytest.mark.parametrize(
    "answer",
    [status(500), status(200, b"<html>Sign in</html>"), status(302, Location="https://elsewhere.example/")],
    ids=["500", "page", "redirect"],
)
def test_machines_lose_nothing_by_wrong_answers(answer: Answer, s3: S3Server, tmp_path: Path) -> None:
    between = HttpBetween(s3.port)
    address = s3.new_place(between.port)
    machines = [Machine(tmp_path / name, tmp_path / "unused") for name in ("desktop", "laptop")]
    try:
        machines[0].share(address)
        machines[1].join(machines[0], address)
        for method in ("", "GET", "PUT"):
            machines[0].ask("note.save", content=f"more {method}")
            between.answers = {method: answer}
            for machine in machines:
                with pytest.raises(ExchangeError):
                    machine.sync()
            between.answers = {}
        settle(*machines)
        assert len(machines[1].contents()) == 3
    finally:
        for machine in machines:
            machine.stop()
        between.close()
