"""Import of details: what our own export says beside sessions, messages and memories."""

from typing import Any

import apsw

from app.entities import entity_transfer
from app.errors import InputError
from app.exchange.model import VaultDetail
from app.history.history_transfer import HistoryImport
from app.memories import import_sources
from app.memories.foreign_record import Problem
from app.sessions import session_transfer


class DetailImport:
    """Import of details inside the caller's transaction; one for each import."""

    def __init__(self) -> None:
        self._history = HistoryImport()

    def put_of_session(self, connection: apsw.Connection, session_id: str, detail: VaultDetail) -> None:
        """Store a detail of a session that is there."""
        fields = detail.fields
        if detail.type == "session_state":
            session_transfer.apply_state(connection, session_id, fields)
        elif detail.type == "session_alias":
            session_transfer.add_alias(connection, session_id, fields["alias"], fields["added_at"])
        elif detail.type == "session_summary":
            session_transfer.add_summary(connection, session_id, fields)

    def put(self, connection: apsw.Connection, detail: VaultDetail, now_ms: int) -> Problem | None:
        """Store a detail of the vault; return the problem if it failed."""
        fields = detail.fields
        try:
            if detail.type == "entity":
                entity_transfer.put(connection, fields, now_ms)
            elif detail.type == "relation":
                entity_transfer.put_relation(connection, fields)
            elif detail.type == "claim":
                entity_transfer.put_claim(connection, fields, now_ms)
            elif detail.type == "import_source":
                import_sources.add(connection, fields)
            elif detail.type == "history":
                self._history.put(connection, fields)
        except InputError as error:
            return Problem(_place(detail.type, fields), error.message)
        return None


def _place(kind: str, fields: dict[str, Any]) -> str:
    if kind == "relation":
        return f"relation {fields['subject']} {fields['predicate']} {fields['object']}"
    return f"{kind} {fields.get('id') or fields.get('owner', '')}"
