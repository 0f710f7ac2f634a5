"""Parts of an open vault: their background work, failures and closing."""

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import TypeVar

from app.changes import ChangeSet


@dataclass(frozen=True, slots=True)
class BackgroundTask:
    """One piece of work that goes on until the vault is closed.

    Args:
        name: Its name in the log and in the vault's status.
        run: Begins it.
        is_reading: True where it also runs on a vault that cannot be written.
        is_essential: False where safe mode goes without it.
    """

    name: str
    run: Callable[[], Coroutine[object, object, None]]
    is_reading: bool = False
    is_essential: bool = True


class Part:
    """A part of an open vault. A part overrides what it has."""

    __slots__ = ()

    def tasks(self) -> Sequence[BackgroundTask]:
        """Return its background work."""
        return ()

    @property
    def failures(self) -> Sequence[str]:
        """Sentences for the person about what does not work; empty ones do not count."""
        return ()

    def on_change(self, changes: ChangeSet) -> None:
        """Note a change of the vault; returns at once."""

    async def close(self) -> None:
        """Finish what is written and release what it holds."""


class Closing(Part):
    """A part that only has to be closed.

    Args:
        close: Closes it.
    """

    __slots__ = ("_close",)

    def __init__(self, close: Callable[[], Awaitable[None]]) -> None:
        self._close = close

    async def close(self) -> None:
        """Close it."""
        await self._close()


P = TypeVar("P", bound=Part)


class Parts(Part):
    """The parts of an open vault, in the order in which they are added.

    Their work begins in that order. Failures are reported, and parts are closed, in the opposite order: what was added
    later works by means of what was added before.
    """

    __slots__ = ("_parts",)

    def __init__(self) -> None:
        self._parts: list[Part] = []

    def add(self, part: P) -> P:
        """Add a part and return it."""
        self._parts.append(part)
        return part

    def tasks(self) -> Sequence[BackgroundTask]:
        """Return the background work of all parts."""
        return [task for part in self._parts for task in part.tasks()]

    @property
    def failures(self) -> Sequence[str]:
        """Sentences about all parts that do not work."""
        return tuple(failure for part in reversed(self._parts) for failure in part.failures if failure)

    def on_change(self, changes: ChangeSet) -> None:
        """Tell all parts of a change."""
        for part in self._parts:
            part.on_change(changes)

    async def close(self) -> None:
        """Close all parts."""
        for part in reversed(self._parts):
            await part.close()
