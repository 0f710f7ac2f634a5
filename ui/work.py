"""Work that ends with its widget."""

import asyncio
import types
from collections.abc import Callable, Collection, Coroutine, Generator
from functools import partial
from typing import Any, ParamSpec, TypeVar

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget
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
        self._running: set[Method[[]]] = set()
        self._due: set[Method[[]]] = set()
        self._timers: dict[Callable[[], object], QTimer] = {}
        self._watched: list[tuple[frozenset[Area], Callable[[], object], int, QWidget | None]] = []
        self._put_off: list[Callable[[], object]] = []

    def start(
        self,
        work: Coroutine[Any, Any, Any],
        report: Callable[[KeepsakeError], object] | None = None,
        ended: Callable[[], object] | None = None,
    ) -> Task:
        """Run what a person began; ``report`` shows its failure, ``ended`` follows each end.

        It begins even if its object goes first: a field that is closed stores what was typed. What is refused after
        that is told by the bridge, unless it was about something that is gone too.
        """
        bridge, show = self.bridge, None
        if report is not None:
            show = lambda error: report(error) if isValid(self) else bridge.tell_failure(error)  # noqa: E731
        task = _closed_after(bridge.start(_run(work, self, bridge.tell_failure), show), work)
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

    def cancel(self, method: Callable[..., object]) -> None:
        """End what ``latest`` began with a method, and do not call it ``after`` its wait."""
        if (timer := self._timers.get(method)) is not None:
            timer.stop()
        if (task := self._latest.pop(method.__name__, None)) is not None:
            task.cancel()

    def coalesce(self, method: Method[[]]) -> None:
        """Refresh by a method, one run at a time, and once more if asked meanwhile."""
        self._due.add(method)
        if method not in self._running:
            self._running.add(method)
            self.refresh(self._run_while_due(method))

    async def _run_while_due(self, method: Method[[]]) -> None:
        failure: KeepsakeError | None = None
        try:
            while method in self._due:
                self._due.discard(method)
                try:
                    await method()
                except KeepsakeError as error:
                    failure = error  # and what was asked meanwhile is still due
            if failure is not None:
                raise failure
        finally:
            self._running.discard(method)

    def after(self, wait_ms: int, method: Callable[[], object], page: QWidget | None = None) -> None:
        """Call a method once; asking for it again before that begins the wait anew.

        Args:
            wait_ms: The wait.
            method: What is called.
            page: When it is hidden at the end of the wait, the call is put off until ``catch_up``.
        """
        if (timer := self._timers.get(method)) is None:
            timer = self._timers[method] = QTimer(self, singleShot=True)
            timer.timeout.connect(method if page is None else partial(self._call_if_visible, method, page))
        timer.start(wait_ms)

    def on_areas(
        self, areas: Collection[Area], act: Callable[[], object], wait_ms: int = 0, page: QWidget | None = None
    ) -> None:
        """Call ``act`` after changes of some areas.

        Args:
            areas: The areas.
            act: With a wait or a page, a method.
            wait_ms: How long no further change must come before it is called; 0 calls it at once.
            page: While it is hidden, the call is put off until ``catch_up``, which makes the first one too.
        """
        if not self._watched:
            self.bridge.changed.connect(self._on_bridge_changed)
        self._watched.append((frozenset(areas), act, wait_ms, page))
        if page is not None:
            self._put_off.append(act)

    def catch_up(self) -> None:
        """Make the calls that were put off while their page was hidden."""
        put_off, self._put_off = self._put_off, []
        for act in put_off:
            act()

    def _tell(self, act: Callable[Arguments, object], *args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        # The end of a task is heard of a moment later, when its owner may be gone.
        if isValid(self):
            act(*args, **kwargs)

    def _on_bridge_changed(self, changes: ChangeSet) -> None:
        for areas, act, wait_ms, page in self._watched:
            if not areas & changes.areas:
                continue
            if wait_ms:
                self.after(wait_ms, act, page)
            else:
                self._call_if_visible(act, page)

    def _call_if_visible(self, act: Callable[[], object], page: QWidget | None) -> None:
        if page is None or page.isVisible():
            act()
        elif act not in self._put_off:
            self._put_off.append(act)


def _closed_after(task: Task, work: Coroutine[Any, Any, Any]) -> Task:
    """Close ``work`` when its task ends, which may be cancelled before it began."""
    task.add_done_callback(lambda _: work.close())
    return task


async def _run(
    work: Coroutine[Any, Any, Answer], owner: QObject, tell: Callable[[KeepsakeError], object] | None = None
) -> Answer:
    return await _steps(work, owner, tell)


@types.coroutine
def _steps(
    work: Coroutine[Any, Any, Answer], owner: QObject, tell: Callable[[KeepsakeError], object] | None
) -> Generator[Any, None, Answer]:
    """Go through the steps of ``work``, each of which waits for something, while ``owner`` lives.

    Work that a person began takes its first step without ``owner`` too, and ``tell`` is called with what was refused
    since then.
    """
    error: BaseException | None = None
    is_due = tell is not None
    try:
        while True:
            if not is_due and not isValid(owner) and not isinstance(error, GeneratorExit):
                if tell is not None and isinstance(error, KeepsakeError):
                    tell(error)
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
