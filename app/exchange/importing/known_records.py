"""Records of an import that the vault has already."""

from collections.abc import Sequence
from functools import partial

import apsw

from app.core.stores import STORES
from app.exchange.importing.batches import Storable
from app.exchange.importing.vault_sink import foreign_session_id
from app.exchange.model import SessionRecord
from app.history import history_repo
from app.memories import repo as memory_repo
from app.memories.foreign_record import MemoryRecord
from app.memories.importing import import_sources, record_identity
from app.memories.importing.ingest import is_import_undone
from app.sessions import repo
from app.store.store import Store


class KnownRecords:
    """Counts records that an import would find there.

    Args:
        store: The vault's database.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    async def count(self, records: Sequence[Storable], format_name: str) -> int:
        """Return how many notes are there unchanged, and how many conversations are there."""
        if not records:
            return 0
        return await self._store.read(partial(_count, records=records, format_name=format_name))


def _count(connection: apsw.Connection, records: Sequence[Storable], format_name: str) -> int:
    return sum(_is_known(connection, record, format_name) for record in records)


def _is_known(connection: apsw.Connection, record: Storable, format_name: str) -> bool:
    if isinstance(record, SessionRecord):
        session_id = foreign_session_id(record.key, format_name)
        head = repo.head(connection, session_id)
        return head is not None and (head[1] is None or not history_repo.is_addition_undone(connection, session_id))
    if not isinstance(record, MemoryRecord):
        return False
    known = record_identity.identify(connection, record, format_name, set()).origin
    if known is None or known.content_hash != import_sources.record_hash(record):
        return False
    memory = memory_repo.get(connection, known.memory_id, stores=STORES)
    return memory is None or not is_import_undone(connection, memory)
