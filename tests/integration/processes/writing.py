"""Process that writes through a host and prints acknowledged writes, to be killed.

Run as ``python -m tests.integration.processes.writing VAULT WORK ROUND``; each line on its output
is one acknowledged write.
"""

import sys
from pathlib import Path

from app.host import Host


def say(*words: object) -> None:
    """Tell the parent, at once."""
    print(*words, flush=True)  # noqa: T201


def type_turns(host: Host, number: str) -> None:
    """Append messages and save a note over and over, like a person who types."""
    note = host.ask("note.save", content="begun", title=f"Note {number}")
    say("note", note.id, "begun")
    count = 0
    while True:
        count += 1
        text = f"turn {number} {count}"
        host.ask("session.append", session=f"typed-{number}", messages=[{"role": "user", "content": text}])
        say("turn", f"typed-{number}", text)
        note = host.ask("note.update", id=note.id, version=note.version, content=f"draft {number} {count}")
        say("note", note.id, note.content)


def bring_in(host: Host, file: str) -> None:
    """Import a file over and over."""
    while True:
        report = host.ask("exchange.import", path=file)
        say("imported", report.messages, report.memories)


def main() -> None:
    """Work until killed."""
    vault, work, argument = sys.argv[1:]
    host = Host(Path(vault), serve=False)
    host.start()
    say("ready")
    if work == "type":
        type_turns(host, argument)
    else:
        bring_in(host, argument)


if __name__ == "__main__":
    main()
