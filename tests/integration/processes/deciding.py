"""Process that accepts all proposals one after the other and reports each, to be killed.

Run as ``python -m tests.integration.processes.deciding VAULT``; each line on its output tells of one accepted proposal.
"""

import sys
from pathlib import Path

from app.changes import ChangeSet, Event
from app.host import Host


def tell(event: Event) -> None:
    """Tell the parent, at once."""
    if isinstance(event, ChangeSet) and event.operation == "note.save":
        print(event.ids[0], flush=True)  # noqa: T201


def main() -> None:
    """Accept until killed."""
    host = Host(Path(sys.argv[1]), serve=False, overrides={"embedding.model": "hashed"})
    host.start()
    host.subscribe(tell)
    host.ask("inbox.accept", ids=[one.id for one in host.ask("inbox.list", limit=500)])
    host.stop()


if __name__ == "__main__":
    main()
