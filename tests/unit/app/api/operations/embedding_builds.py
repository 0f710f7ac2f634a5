"""Hearing of another model's vectors being made."""

from queue import SimpleQueue

from app.changes import Event, Progress
from app.host import Host


class EmbeddingBuild:
    """Waits for a build to end."""

    def __init__(self, host: Host) -> None:
        self._ends: SimpleQueue[str] = SimpleQueue()
        host.subscribe(self._hear)

    def _hear(self, event: Event) -> None:
        if isinstance(event, Progress) and event.job == "embedding" and event.state != "running":
            self._ends.put(event.state)

    def ended(self) -> str:
        return self._ends.get(timeout=60)

    def wait(self, state: str = "finished") -> None:
        assert self.ended() == state
