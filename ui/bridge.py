"""Bridge from the window to the engine, on the Qt thread."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from PySide6.QtCore import QObject, Signal

from app.changes import ChangeSet, Event, Listener, Progress
from app.core.error_location import error_location
from app.errors import KeepsakeError, NotFoundError, unexpected
from ui.typed_call import Answer_co, TypedCall

if TYPE_CHECKING:
    from concurrent.futures import Future

    from app.api.registry import Reply

Answer = TypeVar("Answer")
_log = logging.getLogger(__name__)


class Backend(Protocol):
    """Backend that answers calls: the host, or a client of one."""

    def call(self, operation: str, arguments: Mapping[str, Any]) -> "Future[Reply]":
        """Call an operation; from any thread."""

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Hear of changes and progress, on any thread; returns what stops it."""


class TypedReply(Protocol[Answer_co]):
    """A ``Reply`` whose value has the type that the call is declared to answer."""

    @property
    def value(self) -> Answer_co: ...  # noqa: D102

    @property
    def changes(self) -> ChangeSet | None: ...  # noqa: D102


class Bridge(QObject):
    """Calls operations and tells the window what changed.

    Args:
        backend: Who answers.
        parent: The Qt parent.
    """

    changed = Signal(object)  # ChangeSet
    progressed = Signal(object)  # Progress
    failed = Signal(object)  # KeepsakeError of work that a person began and nobody waited for
    settled = Signal()
    """Some work of the window ended: what is open or chosen may be another now."""
    refresh_failed = Signal(object)  # KeepsakeError of work that nobody asked for
    _received = Signal(object)

    def __init__(self, backend: Backend, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._backend = backend
        self._tasks: dict[asyncio.Task[Any], Callable[[KeepsakeError], object] | None] = {}
        self._is_closed = False
        # Emitted on the engine's thread and delivered on ours, because this object lives here.
        self._received.connect(self._on_event_received)
        self._unsubscribe = backend.subscribe(self._received.emit)

    async def call(self, call: TypedCall[Answer]) -> Answer:
        """Call an operation and return its answer.

        Raises:
            KeepsakeError: What the engine reports.
        """
        return (await self.reply(call)).value

    async def reply(self, call: TypedCall[Answer]) -> TypedReply[Answer]:
        """Call an operation and return its answer with what it changed; see ``call``."""
        reply = asyncio.wrap_future(self._backend.call(call.operation, call.arguments))
        if reply.done():
            # Python 3.14 passes an answer on at once; but work whose widget is gone ends only where it waits.
            reply.cancelled() or reply.exception()  # is known, should the wait be cancelled
            await asyncio.sleep(0)
        return await reply

    def start(
        self, work: Coroutine[Any, Any, Any], report: Callable[[KeepsakeError], object] | None = None
    ) -> "asyncio.Task[Any]":
        """Run ``work`` on the window's loop; a failure goes to ``report`` or ``failed``.

        What is no ``KeepsakeError`` is a bug of the window, and always goes to ``failed``.
        """
        task = asyncio.get_event_loop().create_task(work)
        self._tasks[task] = report
        task.add_done_callback(self._on_task_done)
        return task

    def refresh(self, work: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
        """Run ``work`` that no person began; its ``KeepsakeError`` goes to ``refresh_failed``.

        What is shown stays as it is then.
        """
        return self.start(work, self.refresh_failed.emit)

    def tell_failure(self, error: KeepsakeError) -> None:
        """Tell of a failure whose widget is gone, unless the vault is closed too."""
        if not self._is_closed and not isinstance(error, NotFoundError):
            self.failed.emit(error)

    async def finish(self, act: Callable[[], object], seconds: float) -> None:
        """Call ``act`` and wait for the work that it starts, ``seconds`` at most."""
        before = set(self._tasks)
        act()
        if begun := self._tasks.keys() - before:
            await asyncio.wait(begun, timeout=seconds)

    @property
    def is_busy(self) -> bool:
        """True while started work is under way."""
        return bool(self._tasks)

    async def close(self) -> None:
        """Hear no more, and cancel what was started and is not finished."""
        self._is_closed = True
        self._unsubscribe()
        while pending := [task for task in self._tasks if task is not asyncio.current_task()]:
            for task in pending:
                task.cancel()
            # Unlike gather, it lets their callbacks run where all of them have ended already.
            await asyncio.wait(pending)

    def _on_task_done(self, task: "asyncio.Task[Any]") -> None:
        report = self._tasks.pop(task)
        self.settled.emit()
        if task.cancelled() or (error := task.exception()) is None:
            return
        if not isinstance(error, KeepsakeError):
            _log.error("a task of the window failed: %s", error_location(error))
            error = unexpected(error)
        elif self._is_closed:
            return  # begun by a timer after that: the vault is closed, as the person wanted
        elif report is not None:
            report(error)
            return
        self.failed.emit(error)

    def _on_event_received(self, event: Event) -> None:
        if self._is_closed:
            return  # it was on its way
        if isinstance(event, ChangeSet):
            self.changed.emit(event)
        elif isinstance(event, Progress):
            self.progressed.emit(event)
