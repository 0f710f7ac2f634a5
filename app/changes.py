"""What a mutation touched: the record that the window, agents and background work all hear."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """What one mutation touched.

    Args:
        areas: Parts of the vault that changed: ``sessions``, ``messages``, ``memories``, ``tags``, ``links``,
            ``entities``, ``index``, ``settings``, ``schedules``, ``agents``, ``inbox``, ``ledger``.
        ids: Ids of what changed, ``()`` when too many to name (a bulk change: refresh everything in the areas).
        actor: Who did it: ``person``, ``import``, an agent's name, or an upkeep job's name.
        operation: The catalogue name of the operation.
        history_ids: Entries of the history that undo it, in the order they were written.
    """

    areas: frozenset[str]
    ids: tuple[str, ...] = ()
    actor: str = "person"
    operation: str = ""
    history_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """How far long work has come.

    Args:
        job: The job's id, as given by whoever started it.
        title: What is being done, in words.
        done: Units finished.
        total: Units in all, ``None`` when not known yet.
        unit: What is counted: ``bytes``, ``messages``, ``files``.
        rate: Units a second over the last moments, ``None`` until measured.
        state: ``running``, ``paused``, ``finished``, ``cancelled`` or ``failed``.
        detail: One line for a person, such as the file at hand.
        can_pause: Whether ``job.pause`` holds it up; work that goes on by itself is paused, never cancelled.
    """

    job: str
    title: str
    done: int
    total: int | None = None
    unit: str = "items"
    rate: float | None = None
    state: str = "running"
    detail: str = ""
    can_pause: bool = False


@dataclass(frozen=True, slots=True)
class Changed(Generic[T]):
    """A mutation's answer together with what it touched; services return it, the catalogue unwraps it."""

    value: T
    changes: ChangeSet = field(default_factory=lambda: ChangeSet(frozenset()))


Event = ChangeSet | Progress
Listener = Callable[[Event], None]


class Feed:
    """Hands every event to every listener, on the thread that publishes it. Thread-safe."""

    def __init__(self) -> None:
        self._listeners: tuple[Listener, ...] = ()
        self._lock = threading.Lock()

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Add a listener, which must return at once and raise nothing; returns what takes it off again."""
        with self._lock:
            self._listeners = (*self._listeners, listener)

        def unsubscribe() -> None:
            with self._lock:
                self._listeners = tuple(item for item in self._listeners if item is not listener)

        return unsubscribe

    def publish(self, event: Event) -> None:
        """Tell everyone who listens."""
        for listener in self._listeners:
            listener(event)


MAX_NAMED = 500  # a change set names no more ids than this
