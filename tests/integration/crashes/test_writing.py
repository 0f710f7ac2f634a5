"""Crashes: the vault opens again with every acknowledged write exactly once."""

import json
import os
import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.host import Host
from tests.helpers.processes.warm_process import start_module

ROUNDS = int(os.environ.get("CRASH_ROUNDS", "12"))
TURNS = 900
NOTES = 100


class WritingProcess:
    """A process at work on a vault, and what it said."""

    def __init__(self, vault: Path, work: str, argument: str) -> None:
        self.process = start_module("tests.integration.processes.writing", str(vault), work, argument)
        self.said: list[str] = []
        self.received = threading.Condition()
        self.reading = threading.Thread(target=self._read)
        self.reading.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if not line.endswith("\n"):
                return  # cut in the middle by the kill
            with self.received:
                self.said.append(line.rstrip("\n"))
                self.received.notify()

    def wait_for(self, count: int) -> None:
        """Return once it has said ``count`` things."""
        with self.received:
            assert self.received.wait_for(lambda: len(self.said) >= count, timeout=60), self.said[-3:]

    def kill(self) -> list[str]:
        """Kill the process and return its whole lines of output."""
        self.process.kill()
        self.process.wait()
        self.reading.join()
        assert self.process.stdout is not None
        self.process.stdout.close()
        return self.said


@pytest.fixture
def dice() -> random.Random:
    return random.Random(20_260_101)


def checked(vault: Path) -> Host:
    """Open the vault after a crash and check it."""
    host = Host(vault, serve=False, overrides={"index.vectors": False})
    host.start()
    try:
        assert host.ask("vault.check").findings == ()
    except BaseException:
        host.stop()
        raise
    return host


def turns(host: Host, session: str) -> list[str]:
    return [turn.content for turn in host.ask("session.messages", session=session, limit=100_000)]


@pytest.mark.slow
def test_killed_while_typing(vault: Path, dice: random.Random) -> None:
    for number in range(ROUNDS):
        process = WritingProcess(vault, "type", str(number))
        process.wait_for(dice.randint(1, 60))
        threading.Event().wait(dice.random() * 0.005)
        said = [line.split(" ", 2) for line in process.kill()]
        acknowledged = [text for kind, *rest in said if kind == "turn" for text in rest[1:]]
        notes = [rest for kind, *rest in said if kind == "note"]
        host = checked(vault)
        try:
            stored = turns(host, f"typed-{number}") if acknowledged else []
            # At most the one under way when it was killed is there without having been acknowledged.
            assert stored[: len(acknowledged)] == acknowledged
            assert len(stored) <= len(acknowledged) + 1
            for key, text in notes[-1:]:
                kept = host.ask("note.get", id=key)
                assert kept.version in (len(notes), len(notes) + 1)
                assert text == kept.content or kept.version == len(notes) + 1
                assert [entry.event for entry in host.ask("memory.history", target=key)][-1] == "ADD"
        finally:
            host.stop()


def records() -> Iterator[dict[str, Any]]:
    for number in range(TURNS):
        session = f"talk {number // 300}"
        yield {"type": "message", "session": session, "role": "user", "content": f"turn {number} of the file"}
    for number in range(NOTES):
        yield {"type": "memory", "id": f"key {number}", "title": f"Note {number}", "content": f"note {number} #tag"}


@pytest.mark.slow
def test_killed_while_importing(vault: Path, tmp_path: Path, dice: random.Random) -> None:
    expected = sorted(f"turn {number} of the file" for number in range(TURNS))
    for number in range(ROUNDS):
        # Each time another name, so that each import adds to the vault.
        file = tmp_path / f"round{number}.jsonl"
        lines = (
            json.dumps(record).replace("talk ", f"talk {number}-").replace("key ", f"key {number}-")
            for record in records()
        )
        file.write_text("\n".join(lines))
        process = WritingProcess(vault, "import", str(file))
        process.wait_for(1)
        threading.Event().wait(dice.random() * 0.4)
        process.kill()
        host = checked(vault)
        try:
            before = host.ask("memory.stats")
            host.ask("exchange.import", path=str(file))
            after = host.ask("memory.stats")
            stored = [text for part in range(TURNS // 300) for text in turns(host, f"talk {number}-{part}")]
            assert sorted(stored) == expected
            assert after.messages == (number + 1) * TURNS >= before.messages
            assert after.memories == (number + 1) * NOTES
            assert host.ask("exchange.import", path=str(file)).messages == 0
        finally:
            host.stop()
