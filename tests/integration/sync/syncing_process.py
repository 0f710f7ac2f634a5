"""A process that writes to a vault and synchronises it until it is killed; says what was acknowledged."""

import sys
from contextlib import suppress
from pathlib import Path

from app.errors import KeepsakeError
from tests.integration.sync.machines import Machine


def main(vault: str, folder: str, name: str) -> None:
    """Write, synchronise and say so, for ever."""
    machine = Machine(Path(vault), Path(folder))
    machine.join()
    print("ready", flush=True)
    number = 0
    while True:
        number += 1
        text = f"{name} {number}"
        machine.ask("note.save", content=text)
        print("note", text, flush=True)
        machine.ask("session.append", session="talk", messages=[{"role": "user", "content": text}])
        print("turn", text, flush=True)
        with suppress(KeepsakeError):
            machine.sync()


if __name__ == "__main__":
    main(*sys.argv[1:])
