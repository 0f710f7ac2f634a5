"""Change records and progress reports, and the feed that publishes them."""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, Generic, Literal, TypeVar, get_args

T = TypeVar("T")

Scope = tuple[str, ...]

Area = Literal[
    "sessions",
    "messages",
    "memories",
    "tags",
    "links",
    "entities",
    "index",
    "settings",
    "schedules",
    "agents",
    "presence",
    "inbox",
    "ledger",
    "backups",
    "devices",
    "checks",
    "saved_searches",
    "trials",
    "imports",
    "attachments",
]
"""A part of the vault that a change set may name; ``presence`` is that agents come, go and call."""

AREAS: Final[frozenset[Area]] = frozenset(get_args(Area))


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """Record of a mutation: the parts of the vault and the ids that changed.

    Args:
        areas: Parts of the vault that changed.
        ids: Ids of the changed items; ``()`` after a bulk change, when everything in the areas must be refreshed.
        actor: The author of the change: ``person``, ``import``, an agent's name, or an upkeep job's name.
        operation: The catalogue name of the operation.
        history_ids: Entries of the history that undo it, in the order they were written.
        scopes: For each of ``ids``, where it is and was: the stores of a memory, ``private`` and ``agent:NAME`` of a
            conversation with an agent. One for all where there are no ids; ``None`` where it is not known, and then
            only those hear of the change who read everything.
        only_appends: Whether messages were added at the end of the conversations ``ids``, and nothing else changed.
    """

    areas: frozenset[Area]
    ids: tuple[str, ...] = ()
    actor: str = "person"
    operation: str = ""
    history_ids: tuple[int, ...] = ()
    scopes: tuple[Scope, ...] | None = None
    only_appends: bool = False


EVERYTHING: Final = ChangeSet(AREAS, operation="vault.reopen")
"""Event that everything may have changed: a connection was lost for a while, and events with it."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress report of a job.

    Args:
        job: The job's id, chosen by its starter or made for it.
        title: The description shown to the person.
        done: Units finished.
        total: Units in all, ``None`` when not known yet.
        unit: The unit of ``done`` and ``total``: ``bytes``, ``messages``, ``files``.
        rate: Units a second over the last moments, ``None`` until measured.
        state: ``running``, ``paused``, ``finished``, ``cancelled`` or ``failed``.
        detail: One line for the person, such as the current file.
        can_pause: Whether ``job.pause`` works; background work that restarts by itself is paused, never cancelled.
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
    """Result of a mutation with its change record; services return it, the catalogue unwraps it."""

    value: T
    changes: ChangeSet = field(default_factory=lambda: ChangeSet(frozenset()))


def session_scope(agent: str) -> Scope:
    """Return the scope of a conversation with ``agent``."""
    return ("private", f"agent:{agent}")


def joined_scopes(scopes: Iterable[Scope]) -> tuple[Scope]:
    """Return the one scope of a change that names no ids."""
    return (tuple(sorted({name for scope in scopes for name in scope})),)


Event = ChangeSet | Progress
Listener = Callable[[Event], None]


class Feed:
    """Publisher of events: calls every listener on the publishing thread. Thread-safe."""

    def __init__(self) -> None:
        self._listeners: tuple[Listener, ...] = ()
        self._lock = threading.Lock()

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Add a listener and return a function that removes it.

        A listener must return at once and raise nothing.
        """
        with self._lock:
            self._listeners = (*self._listeners, listener)

        def unsubscribe() -> None:
            with self._lock:
                self._listeners = tuple(item for item in self._listeners if item is not listener)

        return unsubscribe

    def publish(self, event: Event) -> None:
        """Call every listener with an event."""
        for listener in self._listeners:
            listener(event)


MAX_NAMED = 500  # ids in a change set; with more it names none
