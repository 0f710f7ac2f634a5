"""Changes of things with a name, as the history keeps and undoes them."""

from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import Generic, Protocol, TypeVar

import apsw

from app.history import history_repo
from app.history.model import TargetKind
from app.history.state_diff import differing
from app.history.undo import State


class Named(Protocol):
    """A thing of which the history tells by its id."""

    @property
    def id(self) -> str:
        """Its id."""


_Thing = TypeVar("_Thing", bound=Named)


class NamedApplier(ABC, Generic[_Thing]):
    """Records changes of one kind of thing and puts it back into an earlier state."""

    kind: TargetKind
    apart: Collection[str] = ()
    """Fields that stay with a thing that is deleted, so that the entries of its life do not name them."""

    @abstractmethod
    def find(self, connection: apsw.Connection, target: str) -> _Thing | None:
        """Return a thing by its id; ``None`` where it is deleted."""

    @abstractmethod
    def state(self, thing: _Thing) -> State:
        """Return what a person decides of a thing."""

    @abstractmethod
    def apply(
        self, connection: apsw.Connection, target: str, state: State | None, at_ms: int, current: State | None
    ) -> State | None:
        """Make ``state`` the state of a thing, as far as it goes; ``None`` deletes it."""

    def current(self, connection: apsw.Connection, target: str) -> State | None:
        """Return the state of a thing now; ``None`` where it is deleted."""
        thing = self.find(connection, target)
        return None if thing is None else self.state(thing)

    def record(
        self, connection: apsw.Connection, before: _Thing | None, after: _Thing | None, actor: str, at_ms: int
    ) -> tuple[int, ...]:
        """Record that a thing was made, changed or deleted.

        The entry of a change has the fields that differ.

        Args:
            connection: The writer's connection, in the transaction of the change.
            before: What it was, ``None`` for a new one.
            after: What it is, ``None`` for a deleted one.
            actor: Who changed it.
            at_ms: When, milliseconds UTC.

        Returns:
            The entry of the history; none where nothing changed.
        """
        known = after or before
        old, new = (None if one is None else self.state(one) for one in (before, after))
        changed = differing(old, new)
        if known is None or not changed:
            return ()
        is_made_or_deleted = old is None or new is None
        event = "ADD" if old is None else "DELETE" if new is None else "RENAME" if changed == ("name",) else "UPDATE"

        def kept(state: State | None) -> State | None:
            if state is None:
                return None
            return {
                name: value
                for name, value in state.items()
                if (name not in self.apart if is_made_or_deleted else name in changed)
            }

        entry = history_repo.record(
            connection,
            target_kind=self.kind,
            target=known.id,
            event=event,
            before=kept(old),
            after=kept(new),
            actor=actor,
            at_ms=at_ms,
        )
        return (entry,)
