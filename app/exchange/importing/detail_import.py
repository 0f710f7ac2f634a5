"""Import of details: what our own export says beside sessions, messages and memories."""

from typing import Any

import apsw

from app.entities import entity_state, entity_transfer
from app.entities.entity_state import State
from app.errors import InputError
from app.exchange.model import VaultDetail
from app.exchange.parsing.item_places import noun_for
from app.history import history_repo
from app.history.history_transfer import HistoryImport
from app.memories.foreign_record import Problem
from app.memories.importing import import_sources
from app.sentence import Sentence
from app.sessions import session_transfer


class DetailImport:
    """Import of details inside the caller's transaction; one for each import.

    What it changes of entities goes into the history, so that it is undone with the rest of the import.

    Args:
        run_id: What binds the changes of the import together.
    """

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id
        self._history = HistoryImport()
        self._changed: dict[str, State] = {}
        self.has_changes = False

    def put_of_session(self, connection: apsw.Connection, session_id: str, detail: VaultDetail) -> None:
        """Store a detail of a session that is there."""
        fields = detail.fields
        if detail.type == "session_state":
            session_transfer.apply_state(connection, session_id, fields)
        elif detail.type == "session_alias":
            session_transfer.add_alias(connection, session_id, fields["alias"], fields["added_at"])
        elif detail.type == "session_summary":
            session_transfer.add_summary(connection, session_id, fields)

    def put(self, connection: apsw.Connection, detail: VaultDetail, actor: str, now_ms: int) -> Problem | None:
        """Store a detail of the vault; return the problem if it failed.

        ``record`` then has to be called before the transaction ends.
        """
        fields = detail.fields
        try:
            if detail.type == "entity":
                self._put_entity(connection, fields, actor, now_ms)
            elif detail.type == "relation":
                self._will_change(connection, fields["subject"])
                entity_transfer.put_relation(connection, fields)
            elif detail.type == "claim":
                self._will_change(connection, fields["to"])
                entity_transfer.put_claim(connection, fields, now_ms)
            elif detail.type == "import_source":
                import_sources.add(connection, fields)
            elif detail.type == "history":
                self._history.put(connection, fields)
        except InputError as error:
            return Problem(_place(detail.type, fields), error.sentence)
        return None

    def record(self, connection: apsw.Connection, actor: str, now_ms: int) -> None:
        """Write into the history what relations and claims changed since the last time."""
        for entity_id, before in self._changed.items():
            self._record(connection, entity_id, before, actor, now_ms)
        self._changed.clear()

    def _put_entity(self, connection: apsw.Connection, fields: dict[str, Any], actor: str, now_ms: int) -> None:
        self.record(connection, actor, now_ms)
        before = entity_transfer.put(connection, fields, now_ms)
        if before is not None:
            # At once: a relation that comes later is an entry of its own, so that a redo finds both of its ends.
            self._record(connection, fields["id"], before, actor, now_ms)

    def _will_change(self, connection: apsw.Connection, entity_id: str) -> None:
        if entity_id not in self._changed and (state := entity_state.read(connection, entity_id)) is not None:
            self._changed[entity_id] = state

    def _record(self, connection: apsw.Connection, entity_id: str, before: State, actor: str, now_ms: int) -> None:
        after = entity_state.read(connection, entity_id)
        if after is None or after == before:
            return
        self.has_changes = True
        history_repo.record(
            connection,
            target_kind="entity",
            target=entity_id,
            event="UPDATE" if before["touched"] or not after["touched"] else "ADD",
            before=before,
            after=after,
            actor=actor,
            at_ms=now_ms,
            run_id=self._run_id,
        )


def _place(kind: str, fields: dict[str, Any]) -> str:
    if kind == "relation":
        return Sentence(
            "relation {first} {verb} {second}",
            first=fields["subject"],
            verb=fields["predicate"],
            second=fields["object"],
        )
    return Sentence("{thing} {name}", thing=noun_for(kind, 1), name=fields.get("id") or fields.get("owner", ""))
