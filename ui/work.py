"""Work that ends with its widget."""

import asyncio
from collections.abc import Callable, Collection, Coroutine
from functools import partial
from typing import Any, ParamSpec

from PySide6.QtCore import QObject
from shiboken6 import isValid

from app.changes import Area, ChangeSet
from app.errors import KeepsakeError
from ui.bridge import Bridge

Arguments = ParamSpec("Arguments")
Method = Callable[Arguments, Coroutine[Any, Any, Any]]
Task = asyncio.Task[Any]


class Work(QObject):
    """Background work of one object of the window.

    No line of it runs once the object is gone. A call that the engine was given is carried out all the same.

    Args:
        owner: The object; its end cancels what is under way.
        bridge: Runs the work, and tells failures that nobody else takes.
    """

    def __init__(self, owner: QObject, bridge: Bridge) -> None:
        super().__init__(owner)
        self._bridge = bridge
        self._tasks: set[Task] = set()
        self._latest: dict[str, Task] = {}
        self._watched: list[tuple[frozenset[Area], Callable[[], object]]] = []
        # Bound to the set alone: this object is going when it is called.
        self.destroyed.connect(partial(_cancel, self._tasks))

    def start(self, work: Coroutine[Any, Any, Any], report: Callable[[KeepsakeError], object] | None = None) -> Task:
        """Run what a person began; ``report`` shows its failure."""
        return self._keep(self._bridge.start(work, None if report is None else partial(self._tell, report)))

    def refresh(self, work: Coroutine[Any, Any, Any]) -> Task:
        """Run what no person began; after a failure, what is shown stays as it is."""
        return self._keep(self._bridge.refresh(work))

    def latest(self, method: Method[Arguments], *args: Arguments.args, **kwargs: Arguments.kwargs) -> Task:
        """Refresh by a method, in place of what it is still at."""
        self.cancel(method)
        task = self.refresh(method(*args, **kwargs))
        self._latest[method.__name__] = task
        return task

    def cancel(self, method: Method[...]) -> None:
        """End what ``latest`` began with a method."""
        if (task := self._latest.pop(method.__name__, None)) is not None:
            task.cancel()

    def on_areas(self, areas: Collection[Area], act: Callable[[], object]) -> None:
        """Call ``act`` after each change of one of these areas."""
        if not self._watched:
            self._bridge.changed.connect(self._on_bridge_changed)
        self._watched.append((frozenset(areas), act))

    def _keep(self, task: Task) -> Task:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _tell(self, report: Callable[[KeepsakeError], object], error: KeepsakeError) -> None:
        # A task that failed is heard of a moment later, when its owner may be gone.
        if isValid(self):
            report(error)

    def _on_bridge_changed(self, changes: ChangeSet) -> None:
        for areas, act in self._watched:
            if areas & changes.areas:
                act()


def _cancel(tasks: set[Task]) -> None:
    for task in tuple(tasks):
        task.cancel()
