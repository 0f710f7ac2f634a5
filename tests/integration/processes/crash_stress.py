"""Stress test of crashes: programs write while one of them is killed.

Another program reads the database meanwhile, and in every third round the disk cannot be read for a second.

Run as ``python -m tests.integration.processes.crash_stress --rounds 200 --writes 1000`` for hours of it.
"""

import argparse
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from app.host import Host
from app.store.store import DATABASE
from tests.helpers.hostile.failing_reads import FailingReads
from tests.helpers.processes.warm_process import ModuleProcess, start_module
from tests.helpers.sample_data import ROOT

WRITERS = 4
READERS = 2
ROUNDS_A_VAULT = 10
_PROCESSES = "tests.integration.processes"
FOREIGN = "foreign"
"""Another program, which reads the database all the time."""
_POLL_S = 0.01
_FAILING_S = 1.0
_ROUNDS_WITHOUT_READS = 3  # every third round is one of a disk that cannot be read for a while
_TIMEOUT_S = 600.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of one round.

    Args:
        victim: Who was killed.
        acknowledged: Writes acknowledged to the writers.
        seconds: How long they took.
        wrong: What is not as it should be, a sentence each; empty when all is well.
    """

    victim: str
    acknowledged: int
    seconds: float
    wrong: tuple[str, ...]


class StressRound:
    """One round on a vault.

    Args:
        vault: The vault's folder; the conversations and notes of earlier rounds stay in it.
        logs: An empty folder for what the programs say.
        number: The round; its programs are named after it.
        writes: Writes of each writer.
        dice: Decides who is killed and when.
    """

    def __init__(self, vault: Path, logs: Path, number: int, writes: int, dice: random.Random) -> None:
        self._vault = vault
        self._logs = logs
        self._writes = writes
        self._dice = dice
        self._writers = [f"r{number}w{one}" for one in range(WRITERS)]
        self._readers = [f"r{number}r{one}" for one in range(READERS)]
        self._running: dict[str, ModuleProcess] = {}
        self._reads: FailingReads | None = None

    def run(self, victim: str | None = None, reads: FailingReads | None = None) -> Outcome:
        """Let them fire, kill ``victim`` (``host``, ``writer``, or by chance), start it again and count.

        Args:
            victim: Who is killed.
            reads: The host's reads, which fail for a while before somebody is killed.
        """
        begun = time.monotonic()
        self._reads = reads
        chosen = victim or self._dice.choice(("host", "writer", "writer"))
        chosen = self._dice.choice(self._writers) if chosen == "writer" else chosen
        try:
            self._start("host")
            for name in (*self._writers, *self._readers, FOREIGN):
                self._start(name)
            self._let_reads_fail()
            self._kill_and_restart(chosen)
            for name in self._writers:
                self._finish(name)
            seconds = time.monotonic() - begun
        finally:
            self._end()
        acknowledged, wrong = self._count()
        return Outcome(chosen, acknowledged, seconds, tuple(wrong))

    def _start(self, name: str) -> None:
        if name == "host":
            command = ["app", "--vault", str(self._vault), "serve"]
        elif name == FOREIGN:
            command = [f"{_PROCESSES}.foreign_reader", str(self._vault / DATABASE), str(self._log(name))]
        else:
            writes = self._writes if name in self._writers else 0
            command = [f"{_PROCESSES}.stress_client", str(self._vault), str(self._log(name)), name, str(writes)]
        with (self._logs / f"{name}.err").open("ab") as errors:
            self._running[name] = self._started(command, errors, self._reads if name == "host" else None)

    @staticmethod
    def _started(command: list[str], errors: IO[bytes], reads: FailingReads | None) -> ModuleProcess:
        """Start a module; in full where its reads are to fail, for that is decided when a process begins."""
        if reads is None:
            return start_module(*command, output=subprocess.DEVNULL, errors=errors.fileno())
        full = [sys.executable, "-m", *command]
        return subprocess.Popen(
            full, stdout=subprocess.DEVNULL, stderr=errors, cwd=ROOT, env=reads.environment, text=True
        )

    def _let_reads_fail(self) -> None:
        if self._reads is not None:
            self._wait_for_lines(WRITERS)
            self._reads.begin()
            threading.Event().wait(_FAILING_S)
            self._reads.end()

    def _kill_and_restart(self, victim: str) -> None:
        # Counted in writes and not in seconds, so that it falls among them on any machine.
        after = self._dice.randint(1, max(self._writes * WRITERS * 9 // 10, 1))
        self._wait_for_lines(after)
        threading.Event().wait(self._dice.random() * 0.005)
        process = self._running[victim]
        process.kill()
        process.wait()
        self._start(victim)

    def _wait_for_lines(self, wanted: int) -> None:
        until = time.monotonic() + _TIMEOUT_S
        while sum(self._log(name).stat().st_size > 0 and len(self._said(name)) for name in self._begun()) < wanted:
            if time.monotonic() > until:
                raise TimeoutError(f"the writers did not make {wanted} writes")
            threading.Event().wait(_POLL_S)

    def _begun(self) -> list[str]:
        return [name for name in self._writers if self._log(name).exists()]

    def _finish(self, name: str) -> None:
        if self._running[name].wait(_TIMEOUT_S):
            raise RuntimeError(f"{name} broke: {(self._logs / f'{name}.err').read_text()[-2000:]}")

    def _end(self) -> None:
        for name, process in self._running.items():
            if name != "host":
                process.kill()
                process.wait()
        host = self._running.get("host")
        if host is not None:
            host.send_signal(signal.SIGTERM)
            try:
                host.wait(120)
            except subprocess.TimeoutExpired:
                host.kill()
                host.wait()

    def _log(self, name: str) -> Path:
        return self._logs / f"{name}.log"

    def _said(self, name: str) -> list[list[str]]:
        whole = self._log(name).read_bytes().split(b"\n")[:-1]
        return [line.decode().split("\t") for line in whole]

    def _count(self) -> tuple[int, list[str]]:
        said = [line for name in self._begun() for line in self._said(name)]
        wrong = [" ".join(line) for line in said if line[0] == "fault"]
        wrong += [f"{name}: {' '.join(line)}" for name in (*self._readers, FOREIGN) for line in self._said(name)]
        host = Host(self._vault, serve=False, overrides={"index.vectors": False})
        host.start()
        try:
            wrong += [f"check: {finding}" for finding in host.ask("vault.check").findings]
            wrong += _wrong_turns(host, [(line[1], line[2]) for line in said if line[0] == "turn"])
            wrong += _wrong_notes(host, [(line[1], line[2]) for line in said if line[0] == "note"])
            wrong += _wrong_facts(host, {line[1]: line[2] for line in said if line[0] == "fact"})
        finally:
            host.stop()
        return len(said), wrong


def _wrong_turns(host: Host, said: list[tuple[str, str]]) -> list[str]:
    wrong = []
    for session in sorted({session for session, _ in said}):
        kept = host.ask("session.messages", session=session, limit=1_000_000)
        texts = Counter(turn.content for turn in kept)
        wrong += [f"turn {text!r} is there {times} times" for text, times in texts.items() if times > 1]
        wrong += [f"turn {text!r} was lost" for place, text in said if place == session and text not in texts]
        if [turn.seq for turn in kept] != list(range(1, len(kept) + 1)):
            wrong.append(f"the numbers of {session} have gaps")
        head = host.ask("session.get", session=session)
        if head.message_count != len(kept):
            wrong.append(f"{session} says it has {head.message_count} turns and has {len(kept)}")
    return wrong


def _wrong_notes(host: Host, said: list[tuple[str, str]]) -> list[str]:
    wrong = []
    for key, times in Counter(key for key, _ in said).items():
        last = [text for one, text in said if one == key][-1]
        kept = host.ask("note.get", id=key)
        # Each change is one version: a lost one leaves a lower version, a doubled one a higher.
        if kept.content != last or kept.version != times:
            wrong.append(f"note {key} is {kept.content!r} v{kept.version}, not {last!r} v{times}")
    return wrong


def _wrong_facts(host: Host, last: dict[str, str]) -> list[str]:
    wrong = []
    for place, text in last.items():
        category, _, key = place.partition("/")
        kept = [one.content for one in host.ask("fact.list", category=category) if one.key == key]
        if kept != [text]:
            wrong.append(f"fact {place} is {kept}, not {text!r}")
    return wrong


def main() -> int:
    """Fire as many rounds as asked, and say what each came to."""
    parser = argparse.ArgumentParser(prog="python -m tests.integration.processes.crash_stress", description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--writes", type=int, default=1000, help="of each of the writers")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    options = parser.parse_args()
    dice, bad, total = random.Random(options.seed), 0, 0
    with contextlib.ExitStack() as folders:
        for number in range(options.rounds):
            if number % ROUNDS_A_VAULT == 0:
                folders.close()
                base = Path(folders.enter_context(tempfile.TemporaryDirectory(prefix="kf-")))
            logs = base / f"logs{number}"
            logs.mkdir()
            reads = FailingReads.build(logs, base / "vault") if number % _ROUNDS_WITHOUT_READS == 0 else None
            outcome = StressRound(base / "vault", logs, number, options.writes, dice).run(reads=reads)
            total, bad = total + outcome.acknowledged, bad + bool(outcome.wrong)
            rate = outcome.acknowledged / outcome.seconds
            failing = ", reads failed" if reads else ""
            line = f"round {number}: {outcome.victim} killed{failing}, {outcome.acknowledged} kept, {rate:.0f}/s"
            sys.stdout.write(f"{line}\n")
            sys.stdout.writelines(f"  WRONG {sentence}\n" for sentence in outcome.wrong[:20])
            sys.stdout.flush()
            shutil.rmtree(logs)
    sys.stdout.write(f"{options.rounds} rounds, {total} acknowledged writes, {bad} rounds wrong, seed {options.seed}\n")
    return int(bool(bad))


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    sys.exit(main())
