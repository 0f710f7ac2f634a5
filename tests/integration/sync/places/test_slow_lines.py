"""An exchange over a line that breaks goes on where it was."""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from app.errors import ExchangeError
from app.sync import sealed_exchange
from app.sync.exchanges import server_caller
from app.sync.snapshots import snapshot_capture
from tests.helpers.servers.http_between import HttpBetween
from tests.helpers.servers.s3 import S3Server
from tests.integration.sync.machines import COMPACT_ALONE, Machine, compact, settle

AT_ONCE = 2
"""Objects that come through before the line breaks."""


@pytest.fixture(autouse=True)
def _small_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_caller, "LIMITS", replace(server_caller.LIMITS, attempts=1))
    monkeypatch.setattr(snapshot_capture, "MOST_CHARACTERS", 400)
    monkeypatch.setattr(sealed_exchange, "MOST_CHARACTERS", 400)


@pytest.fixture
def between(s3_server: S3Server) -> Iterator[HttpBetween]:
    server = HttpBetween(s3_server.port)
    yield server
    server.close()


@pytest.fixture
def pair(tmp_path: Path, s3_server: S3Server, between: HttpBetween) -> Iterator[tuple[Machine, Machine]]:
    """Return a machine with much, and one that has nothing of it yet."""
    one, other = (Machine(tmp_path / name, tmp_path / "unused") for name in ("desktop", "laptop"))
    address = s3_server.new_place(between.port)
    one.share(address)
    other.join(one, address)
    for number in range(12):
        one.ask("note.save", content=f"note {number}, {'words ' * 20}")
        turn = {"role": "user", "content": f"turn {number}, {'words ' * 20}"}
        one.ask("session.append", session=f"talk {number % 3}", messages=[turn])
    yield one, other
    one.stop()
    other.stop()


class BreakingLine:
    """Line that breaks after some objects of a kind.

    Args:
        between: The server that all requests go through.
        method: The method of the requests that count.
        kind: What the names of the objects begin with.
        is_short: Whether a break ends with one request, or with ``mend``.
    """

    def __init__(self, between: HttpBetween, method: str, kind: str, *, is_short: bool = False) -> None:
        self.through: Counter[str] = Counter()
        """How often each object came through."""
        self.breaks = 0
        self._counted = method, kind
        self._is_short = is_short
        self._left = AT_ONCE
        between.is_broken = self._is_broken

    def mend(self) -> None:
        """Let some more objects through."""
        self._left = AT_ONCE

    def _is_broken(self, method: str, path: str) -> bool:
        name = path.rpartition("/")[2]
        if (method, name[:1]) != self._counted:
            return False
        if self._left:
            self._left -= 1
            self.through[name] += 1
            return False
        self.breaks += 1
        if self._is_short:
            self.mend()
        return True

    def check(self) -> None:
        """Check that it broke, and that each object came through once."""
        assert self.breaks >= 3
        assert set(self.through.values()) == {1}


def synchronise(machine: Machine, line: BreakingLine) -> None:
    """Synchronise until nothing is left."""
    is_done = False
    while not is_done:
        line.mend()
        with suppress(ExchangeError):
            is_done = not machine.sync().waiting


@pytest.mark.parametrize("is_short", [False, True])
@pytest.mark.parametrize("kind", ["s", "p"])
def test_what_came_through_does_not_come_again(
    pair: tuple[Machine, Machine], between: HttpBetween, kind: str, is_short: bool
) -> None:
    one, other = pair
    if kind == "p":
        compact(one.host, COMPACT_ALONE)
    for _ in range(2):
        one.sync()
    line = BreakingLine(between, "GET", kind, is_short=is_short)
    synchronise(other, line)
    line.check()
    between.is_broken = None
    settle(one, other)
    assert len(other.contents()) == 12


def test_what_was_sent_is_not_sent_again(pair: tuple[Machine, Machine], between: HttpBetween) -> None:
    one, other = pair
    line = BreakingLine(between, "PUT", "s")
    synchronise(one, line)
    line.check()
    between.is_broken = None
    settle(one, other)
    assert len(other.contents()) == 12
