"""Backend that outlives the host it is connected to."""

import logging
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Literal, Protocol

from app.api.catalogue import declared
from app.changes import EVERYTHING, Feed, Listener
from app.errors import HostUnreachableError, KeepsakeError
from app.rpc.wire import ConnectionLostError, gone

if TYPE_CHECKING:
    from app.api.registry import Reply

State = Literal["lost", "taken_over", "rejoined", "failed"]
Watcher = Callable[[State, str], None]
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 3.0
FAILED_AFTER = 5
_log = logging.getLogger(__name__)


class OpenBackend(Protocol):
    """An open vault, here or in another process."""

    def call(self, operation: str, arguments: Mapping[str, Any]) -> "Future[Reply]":
        """Call an operation; from any thread."""

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Hear of changes and progress; returns what stops it."""

    def stop(self) -> None:
        """Close or leave the vault."""


class LastingBackend:
    """Answers calls through another process's host, and through an own one when that ends.

    Calls made while no host answers wait for the next. A write that was under way when the host ended fails, because
    nobody knows whether it was carried out; a read is repeated.

    Args:
        join: Connects to the running host; calls its argument, on any thread, when that host goes away.
        open_vault: Opens the vault in this process, or joins another process that was faster.
    """

    def __init__(
        self,
        join: Callable[[Callable[[], None]], OpenBackend],
        open_vault: Callable[[Callable[[], None]], tuple[OpenBackend, bool]],
    ) -> None:
        self._join = join
        self._open = open_vault
        self._feed = Feed()
        self._reads = {item.name for item in declared() if item.access == "read"}
        self._lock = threading.Lock()
        self._backend: OpenBackend | None = None
        self._waiting: list[tuple[str, Mapping[str, Any], Future[Reply]]] = []
        self._watchers: list[Watcher] = []
        self._stopped = threading.Event()
        self._searching: threading.Thread | None = None

    def start(self) -> None:
        """Connect.

        Raises:
            HostUnreachableError: No host answers for the vault.
        """
        self._use(self._join(self._on_lost))

    def stop(self) -> None:
        """Leave the host, or close the vault that is open here; safe to call twice."""
        self._stopped.set()
        if (searching := self._searching) is not None:
            searching.join()
        with self._lock:
            backend, self._backend = self._backend, None
            waiting, self._waiting = self._waiting, []
        for _, _, answer in waiting:
            _fail(answer, HostUnreachableError("This window has left its Keepsake."))
        if backend is not None:
            backend.stop()

    def watch(self, watcher: Watcher) -> None:
        """Subscribe to the states of the search for a host, on any thread."""
        self._watchers.append(watcher)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Hear of changes and progress, on any thread; returns what stops it."""
        return self._feed.subscribe(listener)

    def call(self, operation: str, arguments: Mapping[str, Any]) -> "Future[Reply]":
        """Call an operation; cancelling the future stops a read."""
        answer: Future[Reply] = Future()
        if operation not in self._reads:
            answer.set_running_or_notify_cancel()  # a write on its way cannot be taken back
        self._send(operation, arguments, answer)
        return answer

    def _send(self, operation: str, arguments: Mapping[str, Any], answer: "Future[Reply]") -> None:
        with self._lock:
            backend = self._backend
            if backend is None and not self._stopped.is_set():
                self._waiting.append((operation, arguments, answer))
                return
        if backend is None:
            _fail(answer, HostUnreachableError("This window has left its Keepsake."))
            return

        def on_done(done: "Future[Reply]") -> None:
            if answer.cancelled():
                return
            # Leaving the lost host cancels what still waits for it.
            error = gone() if done.cancelled() else done.exception()
            if error is None:
                if _is_awaited(answer):
                    answer.set_result(done.result())
            elif isinstance(error, HostUnreachableError) and self._can_repeat(operation, error):
                self._lose(backend)
                self._send(operation, arguments, answer)
            else:
                _fail(answer, error)

        try:
            call = backend.call(operation, arguments)
        except ConnectionLostError:  # it was left a moment ago
            self._lose(backend)
            self._send(operation, arguments, answer)
            return
        call.add_done_callback(on_done)
        answer.add_done_callback(lambda ended: ended.cancelled() and call.cancel())

    def _can_repeat(self, operation: str, error: HostUnreachableError) -> bool:
        was_sent = not isinstance(error, ConnectionLostError) or error.was_sent
        return not was_sent or operation in self._reads

    def _on_lost(self) -> None:
        with self._lock:
            backend = self._backend
        if backend is not None:
            self._lose(backend)

    def _lose(self, lost: OpenBackend) -> None:
        with self._lock:
            if self._backend is not lost or self._stopped.is_set():
                return
            self._backend = None
            self._searching = threading.Thread(target=self._search, args=(lost,), name="keepsake-takeover", daemon=True)
            self._searching.start()

    def _search(self, lost: OpenBackend) -> None:
        lost.stop()
        try:
            self._use(self._join(self._on_lost))  # it may only have hung up on an idle window
        except KeepsakeError:
            self._tell("lost", "")
        else:
            self._publish_everything()
            return
        pause, failures = FIRST_PAUSE_S, 0
        while not self._stopped.is_set():
            try:
                backend, is_own = self._open(self._on_lost)
            except KeepsakeError as error:
                failures += 1
                # A killed process may hang up a moment before the system takes its lock away: the first failures are
                # expected.
                _log.info("the vault could not be taken over yet: %s", error.code)
                if failures == FAILED_AFTER:
                    _log.warning("the vault could not be taken over: %s", error.code)
                    self._tell("failed", error.message)
                self._stopped.wait(pause)
                pause = min(pause * 2, LONGEST_PAUSE_S)
                continue
            self._use(backend)
            self._tell("taken_over" if is_own else "rejoined", "")
            self._publish_everything()
            return

    def _use(self, backend: OpenBackend) -> None:
        backend.subscribe(self._feed.publish)
        with self._lock:
            self._backend = backend
            waiting, self._waiting = self._waiting, []
        for operation, arguments, answer in waiting:
            self._send(operation, arguments, answer)

    def _tell(self, state: State, sentence: str) -> None:
        for watcher in self._watchers:
            watcher(state, sentence)

    def _publish_everything(self) -> None:
        self._feed.publish(EVERYTHING)


def _is_awaited(answer: "Future[Reply]") -> bool:
    """Return whether a future is still awaited; afterwards it cannot be cancelled."""
    return answer.running() or answer.set_running_or_notify_cancel()


def _fail(answer: "Future[Reply]", error: BaseException) -> None:
    if _is_awaited(answer):
        answer.set_exception(error)
