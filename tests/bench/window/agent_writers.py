"""Agents in a process of their own that write over the socket until their standard input ends."""

import itertools
import json
import sys
import threading
from pathlib import Path

from app.rpc.client import Client, Credentials

_PAUSE_S = 0.1


def _write(vault: Path, number: int, token: str, stop: threading.Event) -> None:
    with Client.connect(vault, Credentials(token, f"writer {number}", "1")) as client:
        for count in itertools.count():
            if stop.wait(_PAUSE_S):
                return
            if count % 4:
                turns = [{"role": "user", "content": f"Writer {number} says thing {count} about Lisbon and Oslo."}]
                client.call("session.append", {"session": f"writer-{number}", "messages": turns, "agent": "Atlas"})
            else:
                client.call("note.save", {"content": f"Writer {number} keeps thing {count}."})


def main() -> int:
    """Write with the tokens of the first line of the input, in the vault named first."""
    vault, stop = Path(sys.argv[1]), threading.Event()
    tokens: list[str] = json.loads(sys.stdin.readline())
    threads = [
        threading.Thread(target=_write, args=(vault, number, token, stop)) for number, token in enumerate(tokens)
    ]
    for thread in threads:
        thread.start()
    sys.stdin.read()
    stop.set()
    for thread in threads:
        thread.join()
    return 0


if __name__ == "__main__":
    sys.exit(main())
