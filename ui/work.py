"""Work that ends with its widget."""

import asyncio
import types
from collections.abc import Callable, Collection, Coroutine, Generator
from typing import Any, ParamSpec, TypeVar

from PySide6.QtCore import QObject
from shiboken6 import isValid

from app.changes import Area, ChangeSet
from app.errors import KeepsakeError
from ui.bridge import Bridge

Answer = TypeVar("Answer")
Arguments = ParamSpec("Arguments")
Method = Callable[Arguments, Coroutine[Any, Any, Any]]
Task = asyncio.Task[Any]


class Work(QObject):
    """Background work of one object of the window.

    Once the object is gone, no line of it runs after a wait. The call that it waits for is carried out all the same.

    Args:
        owner: The object; its end is that of the work.
        bridge: Runs the work, and tells failures that nobody else takes.
    """

    def __init__(self, owner: QObject, bridge: Bridge) -> None:
        super().__init__(owner)
        self.bridge = bridge
        self._latest: dict[str, Task] = {}
        self._watched: list[tuple[frozenset[Area], Callable[[], object]]] = []

    def start(
        self,
        work: Coroutine[Any, Any, Any],
        report: Callable[[KeepsakeError], object] | None = None,
        ended: Callable[[], object] | None = None,
    ) -> Task:
        """Run what a person began; ``report`` shows its failure, ``ended`` follows each end.

        It begins even if its object goes first: a field that is closed stores what was typed.
        """
        show = None if report is None else lambda error: self._tell(report, error)
        task = _closed_after(self.bridge.start(_run(work, self, is_sure_to_begin=True), show), work)
        if ended is not None:
            task.add_done_callback(lambda _: self._tell(ended))
        return task

    def refresh(self, work: Coroutine[Any, Any, Any]) -> Task:
        """Run what no person began; after a failure, what is shown stays as it is."""
        return _closed_after(self.bridge.refresh(_run(work, self)), work)

    def latest(self, method: Method[Arguments], *args: Arguments.args, **kwargs: Arguments.kwargs) -> Task:
        """Refresh by a method that only reads; what it is still at is withdrawn."""
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
            self.bridge.changed.connect(self._on_bridge_changed)
        self._watched.append((frozenset(areas), act))

    def _tell(self, act: Callable[Arguments, object], *args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        # The end of a task is heard of a moment later, when its owner may be gone.
        if isValid(self):
            act(*args, **kwargs)

    def _on_bridge_changed(self, changes: ChangeSet) -> None:
        for areas, act in self._watched:
            if areas & changes.areas:
                act()


def _closed_after(task: Task, work: Coroutine[Any, Any, Any]) -> Task:
    """Close ``work`` when its task ends, which may be cancelled before it began."""
    task.add_done_callback(lambda _: work.close())
    return task


async def _run(work: Coroutine[Any, Any, Answer], owner: QObject, *, is_sure_to_begin: bool = False) -> Answer:
    return await _steps(work, owner, is_sure_to_begin)


@types.coroutine
def _steps(work: Coroutine[Any, Any, Answer], owner: QObject, is_sure_to_begin: bool) -> Generator[Any, None, Answer]:
    """Go through the steps of ``work``, each of which waits for something, while ``owner`` lives.

    The first one is taken without ``owner`` too where the work ``is_sure_to_begin``.
    """
    error: BaseException | None = None
    is_due = is_sure_to_begin
    try:
        while True:
            if not is_due and not isValid(owner) and not isinstance(error, GeneratorExit):
                error = asyncio.CancelledError()
            is_due = False
            waiting_for = work.send(None) if error is None else work.throw(error)
            error = None
            try:
                yield waiting_for
            except BaseException as raised:  # noqa: BLE001  (``work`` is the one to handle it)
                error = raised
    except StopIteration as end:
        answer: Answer = end.value
        return answer
    finally:
        del error  # which would keep this frame, and with it ``owner``, until the next collection
