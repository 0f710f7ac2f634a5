"""Malformed frames of many kinds, reproducible from a seed."""

import json
import random
import struct
from collections.abc import Iterator

_VALID = {"jsonrpc": "2.0", "id": 1, "method": "memory.search", "params": {"query": "x"}}
_ODD: tuple[object, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1.5,
    10**30,
    "",
    "x" * 500,
    [],
    {},
    [[]],
    {"a": {}},
    "\u0000",
    "\ud83d",
)
_DEEP = (b"[" * 5000, b"[" * 200 + b"]" * 200, b'{"a":' * 100 + b"1" + b"}" * 100)
_NAMES = ("subscribe", "cancel", "ping", "unsubscribe", "describe", "session.append", "note.save", "agent.add", "..")


def payloads(seed: int, count: int) -> Iterator[bytes]:
    """Yield messages that are no proper requests, or ones that no agent would send."""
    chance = random.Random(seed)
    kinds = (_bytes, _truncated, _swapped, _odd_member, _deep, _batch, _odd_params, _surrogate)
    for _ in range(count):
        yield chance.choice(kinds)(chance) or b" "


def broken_frames(seed: int) -> Iterator[bytes]:
    """Yield byte sequences after which a connection cannot go on, for ever."""
    chance = random.Random(seed)
    while True:
        yield chance.choice(
            (
                struct.pack(">I", 0),
                struct.pack(">I", chance.randint(1 << 27, (1 << 32) - 1)),
                struct.pack(">I", 1000) + b"half",
                chance.randbytes(chance.randint(1, 40)),
                b"GET / HTTP/1.1\r\n\r\n",
                b"{" + chance.randbytes(20).replace(b"\n", b"") + b"\n",
                b"{",
                b"",
            )
        )


def _request(**members: object) -> bytes:
    return json.dumps(_VALID | members).encode()


def _bytes(chance: random.Random) -> bytes:
    return chance.randbytes(chance.randint(1, 200))


def _truncated(chance: random.Random) -> bytes:
    text = _request()
    return text[: chance.randint(1, len(text) - 1)]


def _swapped(chance: random.Random) -> bytes:
    text = bytearray(_request())
    for _ in range(chance.randint(1, 4)):
        text[chance.randrange(len(text))] = chance.randrange(256)
    return bytes(text)


def _odd_member(chance: random.Random) -> bytes:
    member = chance.choice(("jsonrpc", "id", "method", "params", "extra"))
    return _request(**{member: chance.choice(_ODD)})


def _deep(chance: random.Random) -> bytes:
    return chance.choice(_DEEP)


def _batch(chance: random.Random) -> bytes:
    parts = [chance.choice((_odd_member, _truncated, _odd_params))(chance) for _ in range(chance.randint(0, 8))]
    return b"[" + b",".join(parts) + b"]"


def _odd_params(chance: random.Random) -> bytes:
    params = {chance.choice(("id", "query", "areas", "job", "content", "messages")): chance.choice(_ODD)}
    return _request(method=chance.choice(_NAMES), params=params)


def _surrogate(chance: random.Random) -> bytes:
    return b'{"jsonrpc":"2.0","id":1,"method":"memory.search","params":{"query":"\\ud83d%d"}}' % chance.randrange(10)
