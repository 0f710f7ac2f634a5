"""Process that consolidates a conversation and reports each step, to be killed.

Run as ``python -m tests.integration.processes.consolidating VAULT``; each line on its output tells of a transaction.
"""

import sys
from pathlib import Path

from app.changes import ChangeSet, Event
from app.host import Host


def tell(event: Event) -> None:
    """Tell the parent, at once."""
    if isinstance(event, ChangeSet) and event.actor == "consolidation":
        print(len(event.history_ids), flush=True)  # noqa: T201


def main() -> None:
    """Consolidate until killed."""
    host = Host(Path(sys.argv[1]), serve=False, overrides={"index.vectors": False})
    host.start()
    host.subscribe(tell)
    host.ask("session.consolidate", session="talk")
    host.stop()


if __name__ == "__main__":
    main()
