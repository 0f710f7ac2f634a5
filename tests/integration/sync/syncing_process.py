"""A process that writes to a vault and synchronises it until it is killed."""

import sys
from contextlib import suppress
from pathlib import Path

from app.errors import KeepsakeError
from tests.integration.sync.machines import COMPACT_ALONE, COMPACT_AT_ONCE, Machine, compact


def main(vault: str, folder: str, name: str, rule: str) -> None:
    """Write, synchronise, compact by a rule and say so, for ever."""
    machine = Machine(Path(vault), Path(folder))
    if rule:
        compact(machine.host, COMPACT_ALONE if rule == "alone" else COMPACT_AT_ONCE)
    _say("ready")
    number = 0
    while True:
        number += 1
        text = f"{name} {number}"
        note = machine.ask("note.save", content=text).id
        _say(f"note {text}")
        machine.ask("session.append", session="talk", messages=[{"role": "user", "content": text}])
        _say(f"turn {text}")
        if number % 5 == 0:
            _say(f"forgetting {text}")
            machine.ask("memory.forget_forever", ids=[note], confirm=True)
        with suppress(KeepsakeError):
            machine.sync()


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
