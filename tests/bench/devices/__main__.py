"""Several machines with one memory: ``python -m tests.bench.devices --devices 3 --operations N --json OUT``.

Each machine is a process with a vault of its own and a clock that is wrong by up to days. At random they write, meet
the others through the exchange or stay away from it, are killed, also while they meet, and are put back from a copy of
their vault, and do the work of a night by themselves. They write snapshots and take away the segments that these cover,
also while a machine is away so long that nobody waits for it. At the end all meet, and what was acknowledged is looked
for everywhere. ``--exchange`` names the kind of the exchange.

OUT holds ``operations``, ``diverged`` (rows that the machines do not agree on), ``lost`` (acknowledged words that stand
on some machine nowhere), ``erased_left`` (words forgotten for ever that a file still holds), ``kept_twice`` (notes, and
what a night concluded, that stand twice) and ``seen_p50_s`` and ``seen_p95_s`` (from a write until another machine that
looks at once has it).

With ``--first-sync MESSAGES`` one machine with so many messages shares them and another joins: ``words_s`` and
``meaning_s`` until it finds all of them by their words and by their meaning, ``bytes_per_message`` at the place, and
``append_ratio``, an append to a shared vault by one to a vault that is not, each beside its limit. Then a snapshot
stands for all segments, and another machine joins: ``snapshot_words_s`` until it finds all, ``snapshot_of_words``, the
share of the first, and ``snapshot_bytes_per_message``.
"""

import argparse
import contextlib
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.bench.devices import first_sync
from tests.bench.devices.device import WORD
from tests.bench.machine import machine
from tests.helpers.sample_data import ROOT
from tests.helpers.servers.postgresql import PostgresqlServer
from tests.helpers.servers.s3 import S3Server
from tests.helpers.servers.webdav import ApacheServer

DAY_MS: Final = 86_400_000
MOST_OFF_DAYS: Final = 3
HEAD: Final = re.compile(r"/h-(\d+)-")
WORD_BYTES: Final = re.compile(WORD.pattern.encode())
PROBES: Final = 20
RULES: Final = ("usual", "at once", "alone")
AWAY_LONG: Final = (30, 80)
"""Rounds without the exchange of a machine that nobody waits for."""
MOST_MEETING_S: Final = 0.5
ROUNDS_AT_END: Final = 6


@dataclass(slots=True)
class Expected:
    """What must be there at the end.

    Args:
        words: The note that each acknowledged word stands in, ``""`` for none.
        erased: Notes that somebody forgot for ever.
        doubtful: Notes that somebody was about to forget, or whose forgetting went with a vault that was put back.
    """

    words: dict[str, str] = field(default_factory=dict)
    erased: set[str] = field(default_factory=set)
    doubtful: set[str] = field(default_factory=set)

    @property
    def kept(self) -> set[str]:
        """Words that nobody forgot."""
        return {word for word, note in self.words.items() if note not in self.erased | self.doubtful}


class Exchange:
    """Folder that the machines share.

    Args:
        base: Where it is made.
    """

    can_restart = False

    def __init__(self, base: Path) -> None:
        self._folder = base / "shared"
        self._folder.mkdir()
        self.address = str(self._folder)

    def restart(self) -> None:
        """Kill the server and start it again, where there is one."""

    def renew(self) -> None:
        """Go on with an empty place."""
        self._folder = self._folder.with_name(f"{self._folder.name}-anew")
        self._folder.mkdir()
        self.address = str(self._folder)

    def contents(self) -> Iterator[tuple[str, bytes]]:
        """Yield the names and bytes of what is kept."""
        for path in self._folder.rglob("*"):
            if path.is_file():
                yield str(path), path.read_bytes()

    def close(self) -> None:
        """Let go of it."""


class PostgresqlExchange(Exchange):
    """Database of a server that is thrown away."""

    can_restart = True

    def __init__(self) -> None:
        self._server = PostgresqlServer()
        self.address = self._server.new_place()

    def restart(self) -> None:
        """Kill the server and start it again."""
        self._server.kill()
        self._server.start()

    def renew(self) -> None:
        """Go on with an empty database."""
        self.address = self._server.new_place()

    def contents(self) -> Iterator[tuple[str, bytes]]:
        """Yield the names and bytes of its rows."""
        for lane, name, data in self._server.ask("SELECT lane, name, data FROM keepsake_object", self.address):
            yield f"{lane}/{name}", data

    def close(self) -> None:
        """End the server and remove what it kept."""
        self._server.close()


class WebdavExchange(Exchange):
    """Folder on an Apache that is thrown away."""

    can_restart = True

    def __init__(self) -> None:
        self._server = ApacheServer()
        self.address = self._server.new_place()

    def restart(self) -> None:
        """Kill the server and start it again."""
        self._server.kill()
        self._server.start()

    def renew(self) -> None:
        """Go on with an empty folder."""
        self.address = self._server.new_place()

    def contents(self) -> Iterator[tuple[str, bytes]]:
        """Yield the names and bytes of its files."""
        for path in self._server.folder_of(self.address).rglob("*"):
            if path.is_file():
                yield str(path), path.read_bytes()

    def close(self) -> None:
        """End the server and remove what it kept."""
        self._server.close()


class S3Exchange(Exchange):
    """Bucket on a server that is thrown away."""

    can_restart = True

    def __init__(self) -> None:
        self._server = S3Server()
        self.address = self._server.new_place()

    def restart(self) -> None:
        """Kill the server and start it again."""
        self._server.kill()
        self._server.start()

    def renew(self) -> None:
        """Go on with an empty bucket."""
        self.address = self._server.new_place()

    def contents(self) -> Iterator[tuple[str, bytes]]:
        """Yield the names and bytes of its objects."""
        return self._server.contents(self.address)

    def close(self) -> None:
        """End the server."""
        self._server.close()


EXCHANGES: Final[dict[str, Callable[[Path], Exchange]]] = {
    "folder": Exchange,
    "postgresql": lambda _: PostgresqlExchange(),
    "webdav": lambda _: WebdavExchange(),
    "s3": lambda _: S3Exchange(),
}


class Member:
    """One machine: its process, its vault and the copy that it may be put back from."""

    def __init__(
        self, number: int, base: Path, exchange: "Exchange", chance: random.Random, expected: Expected
    ) -> None:
        self.name = f"device-{number}"
        self._vault, self._copy = base / self.name / "vault", base / self.name / "copy"
        self._state, self._exchange = base / self.name / "state", exchange
        self._vault.parent.mkdir()
        self._off_ms = round(chance.uniform(-MOST_OFF_DAYS, MOST_OFF_DAYS) * DAY_MS)
        self._expected = expected
        self._unsent: set[str] = set()  # since it last met the others
        self._unsent_erasures: set[str] = set()
        self._rule = "usual"
        self.start()

    @property
    def vault(self) -> Path:
        """The vault's folder."""
        return self._vault

    def start(self) -> None:
        """Start the process."""
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tests.bench.devices.device",
                self._vault,
                str(self._off_ms),
            ],
            cwd=ROOT,
            env={**os.environ, "XDG_STATE_HOME": str(self._state)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._read_until("ready")
        self.compact(self._rule)

    def compact(self, rule: str) -> None:
        """Have it write snapshots, and take segments away, by a rule."""
        self._rule = rule
        self.ask(do="compact", rule=rule)

    def kill_while_it_meets(self, after_s: float) -> None:
        """Kill the process some time after it began to meet the others."""
        self._send({"do": "sync"})
        time.sleep(after_s)
        self._kill()

    def ask(self, **request: Any) -> list[list[Any]]:
        """Have it do something, and return what it said."""
        self._send(request)
        return self._read_until("done")

    def share(self) -> None:
        """Share the vault as the first."""
        self.ask(do="share", place=self._exchange.address)

    def join(self, member: "Member") -> None:
        """Share the vault where another one does, which lets this one in."""
        [[_, words], _] = member.ask(do="invite")
        self._send({"do": "join", "words": words, "place": self._exchange.address})
        self._read_until("asks")
        member.ask(do="let in")
        self._read_until("done")

    def meet(self) -> str:
        """Meet the others; return why more is to come."""
        for line in self.ask(do="sync"):
            if line[0] == "synced":
                self._unsent.clear()
                self._unsent_erasures.clear()
                return str(line[3])
            if line[0] == "failed":
                return str(line[1])
        return ""

    def kill_while_it_acts(self, seed: int, count: int, after: int) -> None:
        """Kill the process once it did ``after`` of ``count`` things."""
        self._send({"do": "act", "seed": seed, "count": count})
        acted = 0
        while acted < after:
            line = self._read()
            acted += line[0] == "acted"
        self._kill()

    def _kill(self) -> None:
        """Kill the process, hear what it had said, and start it again."""
        self._process.kill()
        for text in self._output:
            if text.endswith("\n"):
                self._take(json.loads(text))
        self._end()
        self.start()

    def copy(self) -> None:
        """Copy the vault, as a backup of the whole folder does."""
        self.stop()
        shutil.rmtree(self._copy, ignore_errors=True)
        shutil.copytree(self._vault, self._copy)
        self.start()

    def put_back(self) -> bool:
        """Put the vault back from its copy; False without one."""
        if not self._copy.exists():
            return False
        self.stop()
        for word in self._unsent:  # nobody else ever had them
            del self._expected.words[word]
        self._expected.erased -= self._unsent_erasures
        self._unsent.clear()
        self._unsent_erasures.clear()
        shutil.rmtree(self._vault)
        shutil.copytree(self._copy, self._vault)
        self.start()
        return True

    def stop(self) -> None:
        """Close the vault and end the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        for text in self._output:
            self._take(json.loads(text))
        self._end()

    @property
    def _output(self) -> Any:
        assert self._process.stdout is not None
        return self._process.stdout

    def _send(self, request: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()

    def _read_until(self, kind: str) -> list[list[Any]]:
        lines = [self._read()]
        while lines[-1][0] != kind:
            lines.append(self._read())
        return lines

    def _read(self) -> list[Any]:
        text = self._output.readline()
        if not text:
            raise RuntimeError(f"{self.name} ended by itself with {self._process.wait()}")
        line: list[Any] = json.loads(text)
        self._take(line)
        return line

    def _take(self, line: list[Any]) -> None:
        if line[0] == "word":
            self._expected.words[line[1]] = line[2]
            self._unsent.add(line[1])
        elif line[0] == "erasing":
            self._expected.doubtful.add(line[1])
        elif line[0] == "erased":
            self._expected.erased.add(line[1])
            self._unsent_erasures.add(line[1])

    def _end(self) -> None:
        self._process.wait()
        self._output.close()


def played(members: list[Member], exchange: Exchange, chance: random.Random, operations: int) -> Counter[str]:
    """Play a random history; return how often what happened."""
    counts: Counter[str] = Counter()
    away = {member.name: 0 for member in members}
    while counts["operations"] < operations:
        member, count = chance.choice(members), chance.randint(1, 12)
        what = chance.random()
        if what < 0.02:
            done = chance.randint(1, count)
            member.kill_while_it_acts(chance.getrandbits(32), count, done)
            counts["kills"] += 1
            counts["operations"] += done
        elif what < 0.035:
            member.copy()
            counts["copies"] += 1
        elif what < 0.05:
            counts["put back"] += member.put_back()
        elif what < 0.06 and exchange.can_restart:
            exchange.restart()
            counts["servers killed"] += 1
        elif what < 0.09:
            member.kill_while_it_meets(chance.uniform(0, MOST_MEETING_S))
            counts["kills while meeting"] += 1
        else:
            member.ask(do="act", seed=chance.getrandbits(32), count=count)
            counts["operations"] += count
        if what > 0.97:
            away[member.name] = chance.randint(5, 25)  # rounds without the exchange
            counts["partitions"] += 1
        elif what > 0.92:
            counts[f"compaction {compacted(members, chance, away)}"] += 1
        if (waiting := met(member, chance, away)) is not None:
            counts[f"waiting: {waiting}"] += 1
    return counts


def met(member: Member, chance: random.Random, away: dict[str, int]) -> str | None:
    """Let a machine meet the others, unless it is away; return why it waits for more, ``None`` for nothing."""
    if away[member.name]:
        away[member.name] -= 1
        return None
    return (member.meet() or None) if chance.random() < 0.6 else None


def compacted(members: list[Member], chance: random.Random, away: dict[str, int]) -> str:
    """Let all machines compact by another rule, or one go away so long that nobody waits for it; return which."""
    is_long = chance.random() < 0.15
    rule = "alone" if is_long else chance.choice(RULES)
    if is_long:
        away[chance.choice(members).name] = chance.randint(*AWAY_LONG)
    for member in members:
        member.compact(rule)
    return "with one away for long" if is_long else rule


def judged(members: list[Member], expected: Expected, exchange: Exchange) -> dict[str, int]:
    """Let all meet, and return what is wrong afterwards."""
    for _ in range(ROUNDS_AT_END):
        for member in members:
            member.meet()
    seen = [next(line for line in member.ask(do="look") if line[0] == "seen") for member in members]
    diverged = 0
    for table, rows in seen[0][3].items():
        for other in seen[1:]:
            differing = Counter(rows)
            differing.subtract(other[3][table])
            count = sum(map(abs, differing.values()))
            if count:
                print(f"{table}: {count} rows differ", file=sys.stderr)
            diverged += count
    lost = {word for words in seen for word in expected.kept - set(words[1])}
    for member in members:
        member.stop()
    erased = {word for word, note in expected.words.items() if note in expected.erased}
    left: set[str] = set()
    left |= erased & {word for words in seen for word in words[4]}
    for name, data in (*exchange.contents(), *files(members)):
        if held := erased & words_in(data):
            left |= held
            print(f"{name} holds {len(held)} forgotten words: {held}", file=sys.stderr)
    return {
        "diverged": diverged,
        "lost": len(lost),
        "erased": len(erased),
        "erased_left": len(left),
        "kept_twice": len({word for words in seen for word in words[2]}),
    }


def files(members: list[Member]) -> Iterator[tuple[str, bytes]]:
    """Yield the names and bytes of the files of all vaults."""
    for member in members:
        for path in member.vault.rglob("*"):
            if path.is_file():
                yield str(path), path.read_bytes()


def words_in(data: bytes) -> set[str]:
    """Return the words that bytes hold, unpacked where they are packed."""
    with contextlib.suppress(zlib.error):
        data += zlib.decompress(data)
    return {found.decode() for found in set(WORD_BYTES.findall(data))}


def probed(members: list[Member], chance: random.Random) -> list[float]:
    """Return the seconds from a write until another machine has it that looks at once.

    Snapshots are written when they usually are, not with each segment.
    """
    took = []
    for member in members:
        member.compact("usual")
        member.meet()
    for _ in range(PROBES):
        one, other = chance.sample(members, k=2)
        begun = time.perf_counter()
        one.ask(do="act", seed=chance.getrandbits(32), count=1)
        one.meet()
        other.meet()
        took.append(time.perf_counter() - begun)
    return took


def histories(
    members: list[Member], exchange: Exchange, chance: random.Random, operations: int, expected: Expected
) -> dict[str, Any]:
    """Play a history, and return what is wrong after it."""
    members[0].share()
    for member in members[1:]:
        member.join(members[0])
    counts = played(members, exchange, chance, operations)
    took = probed(members, chance)
    snapshots = [int(match[1]) for name, _ in exchange.contents() if (match := HEAD.search(name))]
    return {
        **counts,
        "snapshots": max(snapshots, default=0),
        **judged(members, expected, exchange),
        "seen_p50_s": round(statistics.median(took), 3),
        "seen_p95_s": round(statistics.quantiles(took, n=20)[-1], 3),
        "machine": machine(),
    }


def joined_late(base: Path, exchange: Exchange, messages: int) -> dict[str, Any]:
    """Return what a machine costs that joins when there is much already."""
    result = first_sync.measure(
        base, exchange.address, messages, lambda: sum(len(data) for _, data in exchange.contents())
    )
    exchange.renew()
    return {
        **result,
        **first_sync.append_ratio(base, exchange.address),
        "machine": machine(),
    }


def main() -> None:
    """Play a history and print what is wrong after it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--devices", type=int, default=3)
    parser.add_argument("--operations", type=int, default=1000)
    parser.add_argument("--exchange", choices=list(EXCHANGES), default="folder")
    parser.add_argument("--first-sync", type=int, default=0, metavar="MESSAGES", help="measure a machine that joins")
    parser.add_argument("--keep", type=Path, help="leave the vaults there")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as base:
        chance, expected = random.Random(arguments.seed), Expected()
        exchange = EXCHANGES[arguments.exchange](Path(base))
        if arguments.first_sync:
            result = joined_late(Path(base), exchange, arguments.first_sync)
        else:
            members = [Member(number, Path(base), exchange, chance, expected) for number in range(arguments.devices)]
            result = histories(members, exchange, chance, arguments.operations, expected)
        exchange.close()
        if arguments.keep:
            shutil.copytree(base, arguments.keep, symlinks=True)
    text = json.dumps(result, indent=1)
    print(text)
    if arguments.json:
        arguments.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
