"""A service that means harm: endless, swelling, dripping and tracking answers, over real connections."""

import asyncio
import gzip
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import pytest

from app.core.network.http_caller import HttpCaller, pieces_of, read_body
from app.core.network.http_requests import RequestError, RequestFault, RequestLimits, repeat

Answer = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]
LIMITS = RequestLimits(attempts=1, longest_pause_s=1.0, silence_s=2.0, whole_s=2.0)
MAX = 100_000
HEAD = b"HTTP/1.1 200 OK\r\nConnection: close\r\n"


@asynccontextmanager
async def service(answer: Answer) -> AsyncIterator[str]:
    """Run a server that gives each request, head alone, to ``answer``; yield its address."""

    tasks: set[asyncio.Task[object]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if task := asyncio.current_task():
            tasks.add(task)
        try:
            with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await answer(await reader.readuntil(b"\r\n\r\n"), writer)
                await writer.drain()
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def received(
    answer: Answer, *, limits: RequestLimits = LIMITS, follows_redirects: bool = False
) -> bytes | RequestFault | None:
    """Return the body that one request brings, or why it brings none."""

    async def ask() -> bytes | RequestFault | None:
        caller = HttpCaller("test", {}, follows_redirects=follows_redirects, uses_proxy=False)
        try:
            async with service(answer) as address, caller.send("GET", address, limits) as response:
                return await read_body(response, MAX)
        except RequestError as error:
            return error.fault
        finally:
            await caller.close()

    return asyncio.run(ask())


def body(content: bytes, *headers: str) -> Answer:
    async def answer(_head: bytes, writer: asyncio.StreamWriter) -> None:
        lines = "".join(f"{header}\r\n" for header in headers)
        writer.write(HEAD + lines.encode() + b"Content-Length: %d\r\n\r\n" % len(content) + content)

    return answer


def test_a_packed_answer_is_read() -> None:
    assert received(body(gzip.compress(b"words" * 100), "Content-Encoding: gzip")) == b"words" * 100
    assert received(body(b"words", "Content-Encoding: identity")) == b"words"
    assert received(body(b"", "Content-Encoding: gzip")) == b""


def test_a_few_bytes_do_not_swell_to_any_size() -> None:
    bomb = gzip.compress(bytes(200 << 20), compresslevel=9)
    assert len(bomb) < 300_000
    tracemalloc.start()
    try:
        assert received(body(bomb, "Content-Encoding: gzip")) is None
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("packing", ["gzip, gzip", "gzip,gzip,gzip", "br", "zstd", "deflate", "x" * 1000])
def test_what_was_not_asked_for_is_not_unpacked(packing: str) -> None:
    twice = gzip.compress(gzip.compress(bytes(1 << 20)))
    assert received(body(twice, f"Content-Encoding: {packing}")) is RequestFault.USELESS


@pytest.mark.parametrize(
    "content", [gzip.compress(b"words" * 100)[:-9], b"no gzip at all", zlib.compress(b"words")], ids=range(3)
)
def test_a_damaged_pack_is_no_answer(content: bytes) -> None:
    assert received(body(content, "Content-Encoding: gzip")) is RequestFault.USELESS


def test_pieces_are_given_as_they_are_sent() -> None:
    async def ask() -> None:
        caller = HttpCaller("test", {}, follows_redirects=False, uses_proxy=False)
        async with service(body(b"words")) as address, caller.send("GET", address, LIMITS) as response:
            assert b"".join([piece async for piece in pieces_of(response)]) == b"words"
        packed = body(gzip.compress(bytes(1 << 20)), "Content-Encoding: gzip")
        async with service(packed) as address:
            with pytest.raises(RequestError):
                async with caller.send("GET", address, LIMITS) as response:
                    pieces_of(response)
        await caller.close()

    asyncio.run(ask())


def test_an_endless_answer_ends_at_what_is_taken() -> None:
    async def answer(_head: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"\r\n")
        while True:
            writer.write(bytes(1 << 16))
            await writer.drain()

    assert received(answer) is None


@pytest.mark.parametrize("begin", [HEAD + b"\r\n", HEAD + b"X: ", b""], ids=["body", "header", "status"])
def test_an_answer_that_drips_ends_at_its_deadline(begin: bytes) -> None:
    async def answer(_head: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(begin)
        while True:
            writer.write(b"h")
            await writer.drain()
            await asyncio.sleep(0.05)

    limits = RequestLimits(1, 1.0, silence_s=5.0, whole_s=0.5)
    assert received(answer, limits=limits) in {RequestFault.SLOW, RequestFault.UNREACHABLE}


def test_a_head_that_never_ends_has_a_deadline_where_the_body_has_none() -> None:
    async def answer(_head: bytes, writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            await writer.drain()
            await asyncio.sleep(0.02)

    limits = RequestLimits(1, 1.0, silence_s=0.1, whole_s=None)
    assert received(answer, limits=limits) is RequestFault.SLOW


def test_a_long_body_without_deadline_is_read_as_long_as_it_moves() -> None:
    async def answer(_head: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"\r\n")
        for _ in range(14):
            writer.write(b"piece ")
            await writer.drain()
            await asyncio.sleep(0.25)

    limits = RequestLimits(1, 1.0, silence_s=0.5, whole_s=None)
    assert received(answer, limits=limits) == b"piece " * 14


def test_a_service_marks_nobody_by_cookies() -> None:
    requests: list[bytes] = []

    async def answer(head: bytes, writer: asyncio.StreamWriter) -> None:
        requests.append(head)
        writer.write(HEAD + b"Set-Cookie: who=me; Max-Age=99999\r\nContent-Length: 0\r\n\r\n")

    async def ask() -> None:
        caller = HttpCaller("test", {}, follows_redirects=False, uses_proxy=False)
        async with service(answer) as address:
            for _ in range(2):
                async with caller.send("GET", address, LIMITS) as response:
                    await read_body(response, MAX)
        await caller.close()

    asyncio.run(ask())
    assert len(requests) == 2
    assert b"cookie" not in requests[1].lower()


@pytest.mark.parametrize("follows", [False, True])
def test_a_key_goes_to_no_other_address(follows: bool) -> None:
    requests: list[bytes] = []

    async def other(head: bytes, writer: asyncio.StreamWriter) -> None:
        requests.append(head)
        writer.write(HEAD + b"Content-Length: 2\r\n\r\nok")

    async def ask() -> int:
        caller = HttpCaller("test", {"Authorization": "Bearer secret"}, follows_redirects=follows, uses_proxy=False)
        async with service(other) as other_address:

            async def here(_head: bytes, writer: asyncio.StreamWriter) -> None:
                writer.write(b"HTTP/1.1 307 There\r\nConnection: close\r\nContent-Length: 0\r\n")
                writer.write(b"Location: %s\r\n\r\n" % other_address.encode())

            async with service(here) as address, caller.send("GET", address, LIMITS) as response:
                status = response.status_code
        await caller.close()
        return status

    assert asyncio.run(ask()) == (200 if follows else 307)
    assert len(requests) == int(follows)
    assert b"secret" not in b"".join(requests)


@pytest.mark.parametrize("location", ["", "http://[", "ftp://x/", "http://127.0.0.1:1/", "/v1", "javascript:x", "//"])
def test_a_redirection_to_nowhere_is_a_failure(location: str) -> None:
    async def answer(_head: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 302 There\r\nConnection: close\r\nContent-Length: 0\r\n")
        writer.write(b"Location: %s\r\n\r\n" % location.encode())

    outcome = received(answer, follows_redirects=True)
    assert isinstance(outcome, RequestFault) or outcome == b""


@pytest.mark.parametrize(
    "wanted", ["0", "0.0", "-1", "9" * 300, "Fri, 31 Dec 9999 23:59:59 GMT", "\x7f", "1,2", "nan", "inf"]
)
def test_a_busy_service_is_asked_only_so_often(wanted: str) -> None:
    requests: list[bytes] = []

    async def answer(head: bytes, writer: asyncio.StreamWriter) -> None:
        requests.append(head)
        writer.write(b"HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 0\r\n")
        writer.write(b"Retry-After: %s\r\n\r\n" % wanted.encode())

    async def ask() -> RequestFault:
        caller = HttpCaller("test", {}, follows_redirects=False, uses_proxy=False)
        limits = RequestLimits(3, 0.05, silence_s=2.0, whole_s=2.0, first_pause_s=0.01)

        async def attempt() -> None:
            async with caller.send("GET", address, limits) as response:
                await read_body(response, MAX)

        try:
            async with service(answer) as address:
                await repeat(attempt, limits)
        except RequestError as error:
            return error.fault
        finally:
            await caller.close()
        raise AssertionError

    assert asyncio.run(ask()) in {RequestFault.BUSY, RequestFault.UNREACHABLE}
    assert 1 <= len(requests) <= 3
