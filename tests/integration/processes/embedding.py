"""Process that makes the vectors of another model, to be killed.

Run as ``python -m tests.integration.processes.embedding VAULT MESSAGES [ADDRESS]``, with the address of a service that
makes them.
"""

import sys
from pathlib import Path

from app.changes import Event, Progress
from app.host import Host


def hear(event: Event) -> None:
    """Tell the parent how far the building is."""
    if isinstance(event, Progress) and event.job == "embedding":
        print(event.state, event.done, flush=True)  # noqa: T201


def remote(address: str = "") -> dict[str, object]:
    """Return the settings of a service on this machine; nothing without an address."""
    if not address:
        return {}
    return {"embedding.base_url": address, "embedding.dimensions": 8, "embedding.send_private": True}


def main() -> None:
    """Work until killed."""
    vault, turns, *address = sys.argv[1:]
    host = Host(Path(vault), serve=False, overrides={"embedding.batch": 8, **remote(*address)})
    host.start()
    if not host.ask("embedding.status").texts:
        messages = [{"role": "user", "content": f"turn {number} of the garden"} for number in range(int(turns))]
        host.ask("session.append", session="s", messages=messages)
        host.ask("vault.settle")
    host.subscribe(hear)
    print("ready", 0, flush=True)  # noqa: T201
    if host.ask("embedding.status").building is None:
        host.ask("embedding.change", model="openai-compatible:m" if address else "hashed")
    sys.stdin.read()


if __name__ == "__main__":
    main()
