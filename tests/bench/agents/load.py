"""Process of clients.

Each line of its input is a phase; it answers with latencies in milliseconds, as JSON.
"""

import asyncio
import itertools
import json
import random
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from app.rpc.client import Client, Credentials

Call = tuple[str, dict[str, Any]]


class AgentLoad:
    """An agent that calls again and again, each time when it has its answer.

    Args:
        client: Its connection.
        number: Which one it is.
        task: The notes and questions it asks for.
    """

    def __init__(self, client: Client, number: int, task: dict[str, Any]) -> None:
        self._client = client
        self._number = number
        self._task = task
        self._random = random.Random(number)
        self._count = itertools.count()

    def _call(self, kind: str) -> Call:
        if kind == "small":
            return "note.get", {"id": self._random.choice(self._task["notes"])}
        if kind == "search":
            return "memory.search", {"query": self._random.choice(self._task["questions"]), "limit": 10}
        text = f"{self._random.choice(self._task['questions'])} {self._number} {next(self._count)}"
        turns = [{"role": "user", "content": text}]
        return "session.append", {"session": f"agents-{self._number}", "messages": turns, "agent": "Atlas"}

    async def run(self, kind: str, seconds: float) -> list[float]:
        """Call until the time is up; return the latencies."""
        found = []
        until = time.perf_counter() + seconds
        while (begun := time.perf_counter()) < until:
            operation, arguments = self._call(kind)
            await asyncio.wrap_future(self._client.submit(operation, arguments))
            found.append((time.perf_counter() - begun) * 1000)
        return found


async def work() -> None:
    """Connect the clients named in the first line, then run the phases in the others."""
    task = json.loads(await asyncio.to_thread(sys.stdin.readline))
    vault, clients, loads = Path(task["vault"]), [], []
    for number, token in task["tokens"]:
        clients.append(await asyncio.to_thread(Client.connect, vault, Credentials(token, "bench", "1")))
        loads.append(AgentLoad(clients[-1], number, task))
    print("ready", flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        phase = json.loads(line)
        kinds = phase["kinds"]
        chosen = [kinds[number % len(kinds)] for number, _ in task["tokens"]]
        runs = (load.run(kind, phase["seconds"]) for load, kind in zip(loads, chosen, strict=True))
        answer: defaultdict[str, list[float]] = defaultdict(list)
        for kind, latencies in zip(chosen, await asyncio.gather(*runs), strict=True):
            answer[kind] += latencies
        print(json.dumps(answer), flush=True)
    for client in clients:
        client.close()


if __name__ == "__main__":
    asyncio.run(work())
