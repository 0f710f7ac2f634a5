"""Client process that reads or writes at full speed through crashes.

Run as ``python -m tests.integration.processes.stress_client VAULT LOG NAME WRITES``; with 0 writes it reads until it
is killed. Every line of LOG is one acknowledged write, or begins with ``fault``. The order of writes depends only on
NAME, so a client that was killed goes on where its log ends.
"""

import contextlib
import random
import sys
import time
from pathlib import Path
from typing import IO, Any

from app.errors import HostUnreachableError, InputError, KeepsakeError, MachineError, StaleError
from app.rpc.client import Client

TIMEOUT_S = 120.0
PAUSE_S = 0.02
SHARED = "fire-shared"
FACTS = 3


class ReconnectingClient:
    """A connection that comes back after the host did.

    Args:
        vault: The vault's folder.
    """

    def __init__(self, vault: Path) -> None:
        self._vault = vault
        self._client: Client | None = None
        self.is_again = False

    def ask(self, operation: str, **arguments: Any) -> Any:
        """Call until there is an answer; ``is_again`` tells of repeated calls.

        Raises:
            KeepsakeError: What the host reports, or that none came back for very long.
        """
        self.is_again, until = False, time.monotonic() + TIMEOUT_S
        while True:
            try:
                if self._client is None:
                    self._client = Client.connect(self._vault)
                return self._client.call(operation, arguments)
            except HostUnreachableError:
                if time.monotonic() > until:
                    raise
                self.is_again = True
                self.close()
                time.sleep(PAUSE_S)
            except MachineError as error:
                # A disk that cannot be read for a while refuses; nothing was stored.
                if error.code != MachineError.code or time.monotonic() > until:
                    raise
                self.is_again = True
                time.sleep(PAUSE_S)

    def close(self) -> None:
        """Leave the host."""
        if self._client is not None:
            self._client.close()
            self._client = None


class StressWriter:
    """Writer of messages, notes and facts, to its own and a shared conversation.

    Args:
        line: The way to the host.
        log: Takes the acknowledged writes.
        name: Its name; decides what it writes.
    """

    def __init__(self, line: ReconnectingClient, log: IO[str], name: str) -> None:
        self._line = line
        self._log = log
        self._name = name
        self._notes: list[str] = []

    def make_write(self, number: int, *, is_known: bool) -> None:
        """Make write ``number``, unless it ``is_answered_by_columns`` to be acknowledged."""
        dice = random.Random(f"{self._name} {number}")
        kind = dice.choices(("own", "shared", "note", "update", "fact"), (4, 3, 2, 2, 1))[0]
        text = f"{self._name} {number}"
        if kind == "note" or (kind == "update" and not self._notes):
            key = f"note-{self._name}-{number}"
            self._notes.append(key)
            if not is_known:
                self._save(key, text)
        elif kind == "update":
            key = dice.choice(self._notes)
            if not is_known:
                self._update(key, text)
        elif is_known:
            return
        elif kind == "fact":
            self._set(f"place {number % FACTS}", text)
        else:
            session = SHARED if kind == "shared" else f"fire-{self._name}"
            self._append(session, text)

    def _append(self, session: str, text: str) -> None:
        turn = {"role": "user", "content": f"{text} said at the lake"}
        self._line.ask("session.append", session=session, messages=[turn], key=text)
        self._say("turn", session, turn["content"])

    def _set(self, key: str, text: str) -> None:
        self._line.ask("fact.set", category=self._name, key=key, value=text)
        self._say("fact", f"{self._name}/{key}", text)

    def _save(self, key: str, text: str) -> None:
        try:
            self._line.ask("note.save", id=key, content=text, title=key, tags=["fire"])
        except InputError:
            # It had landed when the connection, or this program, ended.
            if self._line.ask("note.get", id=key)["content"] != text:
                raise
        self._say("note", key, text)

    def _update(self, key: str, text: str) -> None:
        note = self._line.ask("note.get", id=key)
        if note["content"] != text:
            try:
                self._line.ask("note.update", id=key, version=note["version"], content=text)
            except StaleError:
                if not self._line.is_again or self._line.ask("note.get", id=key)["content"] != text:
                    raise
        self._say("note", key, text)

    def _say(self, *words: str) -> None:
        self._log.write("\t".join(words) + "\n")
        self._log.flush()


def write(line: ReconnectingClient, log: Path, name: str, writes: int) -> None:
    """Make ``writes`` writes in all, passing over those that ``log`` knows."""
    done = 0
    if log.exists():
        log_bytes = log.read_bytes()
        whole = log_bytes[: log_bytes.rfind(b"\n") + 1]
        done = whole.count(b"\n")
        log.write_bytes(whole)
    with log.open("a", encoding="utf-8") as file:
        writer = StressWriter(line, file, name)
        for number in range(writes):
            try:
                writer.make_write(number, is_known=number < done)
            except KeepsakeError as error:
                file.write(f"fault\t{number}\t{error.code}: {error.message}\n")
                file.flush()


def read(line: ReconnectingClient, log: Path, name: str) -> None:
    """Search and list until killed; only faults are told."""
    questions: list[tuple[str, dict[str, Any]]] = [
        ("memory.search", {"query": "lake said", "limit": 20}),
        ("session.list", {}),
        ("note.list", {"limit": 100}),
        ("memory.search", {"query": f"fire {name}", "legs": ["words"]}),
        ("tag.list", {}),
    ]
    with log.open("a", encoding="utf-8") as file:
        while True:
            for operation, arguments in questions:
                try:
                    line.ask(operation, **arguments)
                except KeepsakeError as error:
                    file.write(f"fault\t{operation}\t{error.code}: {error.message}\n")
                    file.flush()
                time.sleep(PAUSE_S)


def main() -> None:
    """Write or read, as the arguments say."""
    vault, log, name, writes = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    line = ReconnectingClient(vault)
    with contextlib.closing(line):
        if writes:
            write(line, log, name, writes)
        else:
            read(line, log, name)


if __name__ == "__main__":
    main()
