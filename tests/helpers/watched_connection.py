"""Connection of a window to a host that remembers its calls, and holds or refuses some by name."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any

from app.errors import KeepsakeError

if TYPE_CHECKING:
    from app.api.registry import Reply
    from app.changes import Event, Listener
    from app.host import Host


class HeldCall:
    """A call that has not reached the host; ``answer`` is what the window waits for."""

    def __init__(self, send: Callable[[], "Future[Reply]"]) -> None:
        self.answer: Future[Reply] = Future()
        self._send = send

    def release(self) -> None:
        """Send the call to the host, unless it was withdrawn; its answer is the window's."""
        if self.answer.set_running_or_notify_cancel():
            self._send().add_done_callback(self._settle)

    def refuse(self, error: KeepsakeError) -> None:
        """Fail the call, unless it was withdrawn."""
        if self.answer.set_running_or_notify_cancel():
            self.answer.set_exception(error)

    def _settle(self, reply: "Future[Reply]") -> None:
        if (error := reply.exception()) is not None:
            self.answer.set_exception(error)
        else:
            self.answer.set_result(reply.result())


class WatchedConnection:
    """Passes calls on to a host.

    It answers nothing itself: what is neither refused nor held is what the host says.

    Args:
        host: A started host.
    """

    def __init__(self, host: "Host") -> None:
        self.host = host
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.refused: dict[str, KeepsakeError] = {}
        """Operations that fail, with their error; take one out, and the host answers again."""
        self._held: dict[str, list[HeldCall]] = {}

    def call(self, operation: str, arguments: Mapping[str, Any]) -> "Future[Reply]":
        """Pass a call on, or refuse or hold it; see ``Host.call``."""
        self.calls.append((operation, dict(arguments)))
        if (error := self.refused.get(operation)) is not None:
            refused: Future[Reply] = Future()
            refused.set_exception(error)
            return refused
        send = partial(self.host.call, operation, arguments)
        if operation not in self._held:
            return send()
        held = HeldCall(send)
        self._held[operation].append(held)
        return held.answer

    def subscribe(self, listener: "Listener") -> Callable[[], None]:
        """Subscribe to the events of the host; see ``Host.subscribe``."""
        return self.host.subscribe(listener)

    def publish(self, event: "Event") -> None:
        """Publish an event as the engine does, to everyone who listens to the host."""
        self.host.feed.publish(event)

    def requested(self, operation: str) -> list[dict[str, Any]]:
        """Return the arguments of all calls of an operation, in order."""
        return [arguments for name, arguments in self.calls if name == operation]

    def hold(self, operation: str) -> list[HeldCall]:
        """Hold every call of an operation from now on, and return the growing list of them."""
        return self._held.setdefault(operation, [])

    def release(self, operation: str) -> None:
        """Send the held calls of an operation to the host, and hold no more."""
        for held in self._held.pop(operation):
            if not held.answer.done():
                held.release()

    def release_all(self) -> None:
        """Release every operation that is held."""
        for operation in list(self._held):
            self.release(operation)
