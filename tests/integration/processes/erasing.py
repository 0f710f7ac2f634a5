"""Process that erases a conversation and reports progress, to be killed.

Run as ``python -m tests.integration.processes.erasing VAULT``; each line on its output tells of rows removed.
"""

import sys
from pathlib import Path

from app.changes import Event, Progress
from app.host import Host


def tell(event: Event) -> None:
    """Tell the parent, at once."""
    if isinstance(event, Progress) and event.job == "forgetting":
        print(event.done, event.state, flush=True)  # noqa: T201


def main() -> None:
    """Forget until killed."""
    host = Host(Path(sys.argv[1]), serve=False, overrides={"embedding.model": "hashed"})
    host.start()
    host.subscribe(tell)
    host.ask("memory.forget_forever", ids=["note"], sessions=["secret"], confirm=True, job="forgetting")
    host.stop()


if __name__ == "__main__":
    main()
