"""Remote embedders against a local server that also sends invalid responses."""

import logging
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.core.network.http_requests import RequestLimits
from app.embed.embedder_factory import open_embedder
from app.embed.remote.http_client import BACKGROUND, ServiceConnection
from app.embed.remote.providers import COHERE, COMPATIBLE, OPENAI, VOYAGE, ProviderApi
from app.embed.remote.remote_embedder import RemoteEmbedder
from app.errors import InputError, KeepsakeError, ModelUnavailableError
from tests.unit.app.embed.embedding_server import KEY, Answer, EmbeddingServer, certificate, slow_server

WIDTH = 4


@pytest.fixture
def service() -> Iterator[EmbeddingServer]:
    server = EmbeddingServer(WIDTH)
    yield server
    server.close()


class Held:
    """A key that is known."""

    def __init__(self, key: str = KEY) -> None:
        self.key = key
        self.next = key
        self.place = "the environment variable THE_KEY"

    def value(self) -> str:
        return self.key

    def refused(self) -> None:
        self.key = self.next


class Remote:
    """An embedder of the service that notes how long it would have waited."""

    def __init__(
        self, service: EmbeddingServer, shape: ProviderApi = OPENAI, *, dimensions: int = WIDTH, key: str = KEY
    ) -> None:
        self.waits: list[float] = []
        self.seconds = 0.0
        self.key = Held(key)
        self.line = ServiceConnection(
            service.address, self.key, service="The service", sleep=self._sleep, now=lambda: self.seconds
        )
        self.embedder = RemoteEmbedder(shape, "some-model", self.line, dimensions=dimensions)

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)


@pytest.fixture
def remote(service: EmbeddingServer) -> Iterator[Remote]:
    remote = Remote(service)
    yield remote
    remote.embedder.close()


def refusal(remote: Remote, texts: list[str] | None = None) -> KeepsakeError:
    with pytest.raises(ModelUnavailableError) as caught:
        remote.embedder.embed(texts or ["a text"])
    said = f"{caught.value!r} {caught.value.as_dict()} {caught.value.__cause__!r} {vars(remote.embedder)}"
    assert KEY not in said
    return caught.value


# What is wrong with an answer ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>busy</html>",
        b"null",
        b'{"data": "none"}',
        b'{"data": []}',
        b'{"data": [{"index": 0, "embedding": "abc"}]}',
        b'{"data": [{"index": 1, "embedding": [1, 2, 3, 4]}]}',
        b'{"data": [{"index": 0, "embedding": [1, 2, 3, 1e999]}]}',
        b'{"data": [{"index": 0, "embedding": [1, 2, 3, 1e300]}]}',
        b'{"data": [{"index": 0, "embedding": [1, 2, null, 4]}]}',
        b"[" * 100_000,
        b"\xff\xfe",
    ],
)
def test_no_list_of_vectors(remote: Remote, service: EmbeddingServer, body: bytes) -> None:
    service.usual = lambda _: Answer(body=body)
    assert "other than a list of vectors" in refusal(remote).message
    assert remote.waits == []
    # Neither for the texts nor for a word of Keepsake's own: it is not the texts.
    assert [request["input"] for request in service.requested] == [["a text"], ["memory"]]
    service.script = [Answer(body=body), Answer(), Answer()]
    assert np.allclose(np.linalg.norm(remote.embedder.embed(["a text"]), axis=1), 1)


@pytest.mark.parametrize("bad", [b'{"data": [{"index": 0, "embedding": [NaN, 1, 1, 1]}]}', b'{"data": []}', b"{"])
def test_a_text_without_a_usable_vector_does_not_keep_the_others_from_theirs(
    remote: Remote, service: EmbeddingServer, bad: bytes
) -> None:
    service.usual = lambda body: Answer(body=bad if any("bad" in text for text in body["input"]) else None)
    rows = remote.embedder.embed(["one", "two", "bad", "three"])
    assert np.allclose(np.linalg.norm(rows, axis=1), [1, 1, 0, 1])
    assert np.allclose(rows[[0, 3], 0] / rows[[0, 3], 1], [3, 5])


def test_a_text_that_the_service_breaks_over(remote: Remote, service: EmbeddingServer) -> None:
    service.usual = lambda body: Answer(500 if "bad" in body["input"] else 200, body=None)
    assert np.allclose(np.linalg.norm(remote.embedder.embed(["one", "bad"]), axis=1), [1, 0])
    service.usual = lambda _: Answer(500, body=b"")
    assert refusal(remote, ["one", "two"]).data == {"status": 500}


def test_vectors_of_nothing_but_zeros_are_none(remote: Remote, service: EmbeddingServer) -> None:
    service.usual = lambda body: Answer(
        body=lambda _: {"data": [{"index": n, "embedding": [0] * WIDTH} for n in range(len(body["input"]))]}
    )
    assert "other than a list of vectors" in refusal(remote, ["one", "two"]).message


def test_more_vectors_than_texts(remote: Remote, service: EmbeddingServer) -> None:
    service.usual = lambda _: Answer(
        body=lambda _: {"data": [{"index": place, "embedding": [1] * WIDTH} for place in range(3)]}
    )
    assert "other than a list of vectors" in refusal(remote).message


def test_an_answer_that_ends_halfway_is_asked_for_again(remote: Remote, service: EmbeddingServer) -> None:
    service.script = [Answer(is_half=True), Answer(is_half=True)]
    assert np.allclose(np.linalg.norm(remote.embedder.embed(["abc", "de"]), axis=1), 1)
    assert remote.waits == [0.5, 1.0]


def test_vectors_of_another_length_are_rejected(remote: Remote, service: EmbeddingServer) -> None:
    service.width = 7
    error = refusal(remote)
    assert error.message == (
        "The service sent vectors of 7 numbers, not of 4; set embedding.dimensions to what the model gives, or"
        " choose another model."
    )
    assert error.data == {"expected": 4, "received": 7}


def test_an_answer_without_end_is_not_read(remote: Remote, service: EmbeddingServer) -> None:
    service.script = [Answer(body=b" " * (3 << 20))]
    assert "more than was requested" in refusal(remote).message


def test_a_small_answer_that_grows_without_end_is_not_read(remote: Remote, service: EmbeddingServer) -> None:
    import gzip

    service.script = [Answer(body=gzip.compress(b" " * (64 << 20)), headers={"Content-Encoding": "gzip"})]
    assert "more than was requested" in refusal(remote).message


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (401, "refuses the key in the environment variable THE_KEY"),
        (403, "refuses the key"),
        (404, "knows no such model"),
        (301, "redirects to another address (status 301)"),
        (308, "redirects to another address (status 308)"),
        (204, "an unexpected response (status 204)"),
        (418, "an unexpected response (status 418)"),
    ],
)
def test_what_no_second_attempt_mends(remote: Remote, service: EmbeddingServer, status: int, said: str) -> None:
    service.script = [Answer(status, body=b"", headers={"Location": "http://127.0.0.1:1/"})]
    assert said in refusal(remote).message
    assert len(service.requested) == 1


def test_nothing_is_sent_to_where_a_service_sends_on(remote: Remote, service: EmbeddingServer) -> None:
    other_host = EmbeddingServer(WIDTH)
    service.usual = lambda _: Answer(307, body=b"", headers={"Location": f"{other_host.address}/v1/embeddings"})
    assert "check embedding.base_url" in refusal(remote).message
    other_host.close()
    assert (other_host.requested, other_host.keys) == ([], [])


def test_a_certificate_that_nobody_vouches_for(tmp_path: Path) -> None:
    service = EmbeddingServer(WIDTH, certificate=certificate(tmp_path))
    remote = Remote(service)
    assert "shows no certificate that this machine trusts" in refusal(remote).message
    assert (service.requested, remote.waits) == ([], [])
    remote.embedder.close()
    service.close()


# Waiting ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 529])
def test_a_busy_service_is_asked_again(remote: Remote, service: EmbeddingServer, status: int) -> None:
    service.script = [Answer(status, body=b""), Answer(status, body=b"")]
    assert remote.embedder.embed(["abc"]).shape == (1, WIDTH)
    assert remote.waits == [0.5, 1.0]


def test_it_waits_as_long_as_it_is_asked_to_and_not_for_ever(remote: Remote, service: EmbeddingServer) -> None:
    service.script = [Answer(429, body=b"", headers={"Retry-After": "7"})]
    remote.embedder.embed(["abc"])
    assert remote.waits == [7.0]
    service.script = [Answer(429, body=b"", headers={"Retry-After": "3600"})]
    assert "no requests at the moment (status 429), or the account has nothing left" in refusal(remote).message
    assert remote.waits == [7.0]
    requested = len(service.requested)
    remote.seconds = 3599.0
    assert refusal(remote).data == {"status": 429}
    with pytest.raises(ModelUnavailableError, match="status 429"):
        remote.embedder.embed_query("abc")
    assert len(service.requested) == requested
    remote.seconds = 3600.0
    assert remote.embedder.embed(["abc"]).shape == (1, WIDTH)


def test_no_service_is_left_alone_for_days(remote: Remote, service: EmbeddingServer) -> None:
    service.script = [Answer(503, body=b"", headers={"Retry-After": "999999"})]
    refusal(remote)
    remote.seconds = 3600.0
    assert remote.embedder.embed(["abc"]).shape == (1, WIDTH)


def test_at_last_it_gives_up(remote: Remote, service: EmbeddingServer) -> None:
    service.usual = lambda _: Answer(503, body=b"")
    assert refusal(remote).data == {"status": 503}
    assert remote.waits == [0.5, 1.0, 2.0, 4.0]


def test_a_dropped_connection_is_tried_again(remote: Remote, service: EmbeddingServer) -> None:
    service.script = [Answer(drops=True)]
    assert remote.embedder.embed(["abc"]).shape == (1, WIDTH)
    assert len(remote.waits) == 1


def test_nobody_there(service: EmbeddingServer) -> None:
    remote = Remote(service)
    service.close()
    assert "cannot be reached (ConnectError)" in refusal(remote).message
    remote.embedder.close()


def test_a_service_that_never_answers(remote: Remote, service: EmbeddingServer) -> None:
    service.usual = lambda _: Answer(hangs=True)
    with pytest.raises(ModelUnavailableError, match="does not answer in time"):
        remote.line.post({}, max_bytes=1, limits=RequestLimits(2, 1.0, 0.05, 1.0))
    assert len(remote.waits) == 1


def test_an_answer_that_comes_a_byte_at_a_time() -> None:
    """Each byte comes in time; the answer does not."""
    with slow_server() as address:
        line = ServiceConnection(address, Held(), service="The service")
        with pytest.raises(ModelUnavailableError, match="does not answer in time"):
            line.post({}, max_bytes=1, limits=RequestLimits(2, 1.0, 5.0, 0.2))
        line.close()


@pytest.mark.parametrize("reply", [Answer(hangs=True), Answer(503, body=b"", headers={"Retry-After": "50"})])
def test_closing_ends_what_is_waited_for(service: EmbeddingServer, reply: Answer) -> None:
    service.usual = lambda _: reply
    line = ServiceConnection(service.address, Held(), service="The service")
    said: list[str] = []

    def ask() -> None:
        with pytest.raises(ModelUnavailableError) as caught:
            line.post({}, max_bytes=1, limits=RequestLimits(5, 60.0, 60.0, 60.0))
        said.append(caught.value.message)

    asking = threading.Thread(target=ask)
    asking.start()
    assert service.reached.wait(10)
    line.close()
    asking.join(10)
    assert not asking.is_alive()
    assert said == ["The embedding model was closed; open it again to embed."]
    assert len(service.requested) == 1
    line.close()
    with pytest.raises(ModelUnavailableError, match="closed"):
        line.post({}, max_bytes=1, limits=BACKGROUND)


# What is sent -------------------------------------------------------------------------------------------------------


def test_requests_of_each_service(service: EmbeddingServer) -> None:
    made = {}
    for shape in (OPENAI, VOYAGE, COHERE, COMPATIBLE):
        remote = Remote(service, shape)
        service.requested.clear()
        assert np.allclose(np.linalg.norm(remote.embedder.embed(["a", "bc"]), axis=1), 1)
        assert remote.embedder.embed_query("q").shape == (WIDTH,)
        made[shape.provider] = [{k: v for k, v in body.items() if k != "model"} for body in service.requested]
        assert {body["model"] for body in service.requested} == {"some-model"}
        remote.embedder.close()
    openai = {"encoding_format": "float", "dimensions": 4}
    voyage: dict[str, Any] = {"truncation": True, "output_dimension": 4}
    cohere = {"embedding_types": ["float"], "truncate": "END", "output_dimension": 4}
    assert made["openai"] == made["openai-compatible"] == [{"input": ["a", "bc"]} | openai, {"input": ["q"]} | openai]
    assert made["voyage"] == [
        {"input": ["a", "bc"], "input_type": "document"} | voyage,
        {"input": ["q"], "input_type": "query"} | voyage,
    ]
    assert made["cohere"] == [
        {"texts": ["a", "bc"], "input_type": "search_document"} | cohere,
        {"texts": ["q"], "input_type": "search_query"} | cohere,
    ]
    assert set(service.keys) == {f"Bearer {KEY}"}


def test_the_models_own_length_is_not_asked_for(service: EmbeddingServer) -> None:
    service.width = 1536
    shape = replace(OPENAI, lengths={"some-model": 1536})
    remote = Remote(service, shape, dimensions=0)
    assert remote.embedder.embed(["a"]).shape == (1, 1536)
    assert "dimensions" not in service.requested[0]
    remote.embedder.close()


def test_a_model_that_takes_no_wish_for_a_length(remote: Remote, service: EmbeddingServer) -> None:
    service.usual = lambda body: Answer(
        400 if "dimensions" in body else 200, body=b"" if "dimensions" in body else None
    )
    assert remote.embedder.embed(["a", "b"]).shape == (2, WIDTH)
    assert ["dimensions" in body for body in service.requested] == [True, False]
    remote.embedder.embed_query("c")
    assert "dimensions" not in service.requested[-1]
    service.width = 5
    assert "vectors of 5 numbers, not of 4" in refusal(remote).message


@pytest.mark.parametrize("dimensions", [0, -1, 8193])
def test_lengths_out_of_bounds(service: EmbeddingServer, dimensions: int) -> None:
    with pytest.raises(InputError, match=r"set embedding\.dimensions to a number from 1 to 8,192"):
        Remote(service, dimensions=dimensions)


def test_batches_by_count_and_by_characters(service: EmbeddingServer) -> None:
    remote = Remote(service, replace(OPENAI, texts=3, characters=10))
    rows = remote.embedder.embed(["a", "", "bb", "  ", "c", "d", "e" * 9, "f" * 20, "g"])
    assert [body["input"] for body in service.requested] == [["a", "bb", "c"], ["d", "e" * 9], ["f" * 20], ["g"]]
    assert np.allclose(np.linalg.norm(rows, axis=1), [1, 0, 1, 0, 1, 1, 1, 1, 1])
    # Each row stands where its text does: its first number is that of characters.
    assert np.allclose(rows[[2, 6, 7], 0] / rows[[2, 6, 7], 1], [2, 9, 20])
    assert remote.embedder.embed([]).shape == (0, WIDTH)
    assert not remote.embedder.embed_query("  ").any()
    remote.embedder.close()


def test_strange_characters_travel(remote: Remote, service: EmbeddingServer) -> None:
    remote.embedder.embed(["emoji 👩‍👩‍👧 \x00 \ud800 日本"])
    assert service.requested[0]["input"][0].startswith("emoji 👩‍👩‍👧")


def test_one_refused_text_does_not_keep_the_others_from_their_vectors(
    remote: Remote, service: EmbeddingServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "app.embed.remote.remote_embedder")
    service.usual = lambda body: Answer(400, body=b"") if any("bad" in t for t in body["input"]) else Answer()
    rows = remote.embedder.embed(["one", "two", "bad", "three", "four"])
    assert np.allclose(np.linalg.norm(rows, axis=1), [1, 1, 0, 1, 1])
    assert "bad" not in caplog.text


def test_a_text_too_long_is_read_in_part(remote: Remote, service: EmbeddingServer) -> None:
    service.usual = lambda body: Answer(400, body=b"") if any(len(t) > 3_000 for t in body["input"]) else Answer()
    rows = remote.embedder.embed(["one", "x" * 8_000])
    assert np.allclose(np.linalg.norm(rows, axis=1), [1, 1])


def test_a_service_that_refuses_everything_is_not_asked_for_ever(remote: Remote, service: EmbeddingServer) -> None:
    service.usual = lambda _: Answer(400, body=b"")
    assert "refuses the request (status 400)" in refusal(remote, [str(number) for number in range(100)]).message
    assert len(service.requested) == 4  # with and without the length asked for; the texts, and a word of its own


# Keys ---------------------------------------------------------------------------------------------------------------


def test_a_key_that_was_replaced_is_used_at_once(remote: Remote, service: EmbeddingServer) -> None:
    remote.key.next = "sk-new"
    service.script = [Answer(401, body=b"")]
    assert remote.embedder.embed(["abc"]).shape == (1, WIDTH)
    assert service.keys == [f"Bearer {KEY}", "Bearer sk-new"]
    remote.key.key = remote.key.next = "sk-newest"
    remote.embedder.embed(["abc"])
    assert service.keys[-1] == "Bearer sk-newest"


def test_a_replaced_key_that_is_refused_too(remote: Remote, service: EmbeddingServer) -> None:
    remote.key.next = "sk-new"
    service.usual = lambda _: Answer(401, body=b"")
    assert "refuses the key" in refusal(remote).message
    assert len(service.requested) == 2


def test_a_service_of_this_machine_may_need_no_key(service: EmbeddingServer) -> None:
    options: dict[str, Any] = {"base_url": service.address, "dimensions": 4, "environment": {}}
    embedder = open_embedder("openai-compatible:m", **options)
    assert embedder.embed(["abc"]).shape == (1, WIDTH)
    assert service.keys == [""]
    service.usual = lambda _: Answer(401, body=b"")
    with pytest.raises(ModelUnavailableError, match="needs a key; set one"):
        embedder.embed(["abc"])
    embedder.close()


@pytest.mark.parametrize("address", ["https://[h", "https://", "ftp://h/v1", "https://h:99999", "https://h:x"])
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(InputError, match="is not an address"):
        open_embedder("openai-compatible:m", base_url=address, key_name="K_KEY", environment={"K_KEY": KEY})


@pytest.mark.parametrize("key", ["sk-a\nb", "sk-ä", "sk-\x00"])
def test_a_key_that_cannot_be_one_is_not_repeated(service: EmbeddingServer, key: str) -> None:
    options: dict[str, Any] = {"base_url": service.address, "key_name": "THE_KEY", "dimensions": 4}
    with pytest.raises(InputError, match="The key in the environment variable THE_KEY is not usable") as caught:
        open_embedder("openai-compatible:m", environment={"THE_KEY": key}, **options)
    assert "sk-" not in f"{caught.value} {caught.value.data}"


def test_without_a_key_nothing_is_opened() -> None:
    with pytest.raises(ModelUnavailableError, match="OPENAI_API_KEY holds no key for openai"):
        open_embedder("openai:text-embedding-3-small", environment={})
    with pytest.raises(
        ModelUnavailableError, match=r"variable that embedding\.api_key_env names holds no key for voyage"
    ):
        open_embedder("voyage:voyage-3.5", key_name="MINE", environment={"VOYAGE_API_KEY": "x"})


def test_what_a_compatible_service_needs() -> None:
    with pytest.raises(InputError, match=r"embedding\.base_url"):
        open_embedder("openai-compatible:m", key_name="K", dimensions=4, environment={"K": "x"})
    with pytest.raises(ModelUnavailableError, match=r"embedding\.api_key_env"):
        open_embedder("openai-compatible:m", base_url="http://h/v1", dimensions=4, environment={})
    with pytest.raises(InputError, match=r"embedding\.dimensions"):
        open_embedder("openai-compatible:m", base_url="http://h/v1", key_name="K", environment={"K": "x"})


def test_two_services_are_two_identities(service: EmbeddingServer) -> None:
    options: dict[str, Any] = {"key_name": "K", "dimensions": 4, "environment": {"K": KEY}}
    one = open_embedder("openai-compatible:m", base_url=f"{service.address}/v1/", **options)
    other = open_embedder("openai-compatible:m", base_url=f"{service.address}/v2", **options)
    assert one.identity != other.identity
    one.embed(["a"])
    assert service.paths == ["/v1/embeddings"]
    one.close()
    other.close()
