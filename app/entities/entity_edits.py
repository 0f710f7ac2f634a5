"""Entity edits of one transaction, each recorded in the history, all as one run."""

from typing import Any

import apsw

from app.changes import Area, ChangeSet
from app.core.ids import new_id
from app.entities import entity_state, repo
from app.entities.model import Entity
from app.errors import NotFoundError
from app.history import history_repo
from app.sentence import Sentence


class EntityEdits:
    """The changes of one transaction.

    Args:
        connection: The writer's connection.
        actor: Who decides.
        now_ms: The time.
        run_id: The run that the changes belong to; one of their own when ``None``.
    """

    def __init__(self, connection: apsw.Connection, *, actor: str, now_ms: int, run_id: str | None = None) -> None:
        self.connection = connection
        self._actor = actor
        self._now_ms = now_ms
        self._run = run_id or new_id("run")
        self._history: list[int] = []
        self._touched: dict[str, None] = {}

    def state(self, entity_id: str) -> dict[str, Any]:
        """Return the state of an entity that is not merged into another.

        Raises:
            NotFoundError: There is none.
        """
        require(self.connection, entity_id)
        return entity_state.read(self.connection, entity_id) or {}

    def write(self, entity_id: str, after: dict[str, Any], event: str, *, is_decision: bool = True) -> None:
        """Store ``after`` as the state of an entity.

        A person has then decided about it, unless ``is_decision`` is False.
        """
        before = entity_state.read(self.connection, entity_id)
        state = {**after, "touched": True} if is_decision else after
        entity_state.write(self.connection, entity_id, state, self._now_ms)
        entry = history_repo.record(
            self.connection,
            target_kind="entity",
            target=entity_id,
            event=event,
            before=before,
            after=entity_state.read(self.connection, entity_id),
            actor=self._actor,
            at_ms=self._now_ms,
            run_id=self._run,
        )
        self._history.append(entry)
        self._touched[entity_id] = None

    def is_automatic(self, entity_id: str) -> bool:
        """Return whether no person decided about an entity yet."""
        entity = repo.get(self.connection, entity_id)
        return entity is not None and not entity.touched

    def changes(self, operation: str) -> ChangeSet:
        """Return what was touched, as the record that everybody hears."""
        areas: frozenset[Area] = frozenset({"entities"} if self._touched else ())
        return ChangeSet(areas, tuple(self._touched), self._actor, operation, tuple(self._history))


def require(connection: apsw.Connection, entity_id: str) -> Entity:
    """Return an entity that is not merged into another.

    Raises:
        NotFoundError: There is none of that id, or it was merged into another.
    """
    entity = repo.get(connection, entity_id)
    if entity is None or entity.attributes.get("retired"):
        raise NotFoundError(Sentence("There is no entity with the id {entity_id}.", entity_id=entity_id), id=entity_id)
    if entity.merged_into is not None:
        into = repo.root(connection, entity_id)
        raise NotFoundError(
            "This entity was merged into another. Use that one, or undo the merge.", id=entity_id, into=into
        )
    return entity


def resolve_merged(connection: apsw.Connection, entity_id: str) -> Entity:
    """Return the entity that ``entity_id`` stands for after all merges.

    Raises:
        NotFoundError: There is none of that id.
    """
    return require(connection, repo.root(connection, entity_id))
