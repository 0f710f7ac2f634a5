"""Records of an import that the vault has already."""

from collections.abc import Sequence
from functools import partial

import apsw

from app.exchange.batches import Storable
from app.exchange.model import SessionRecord
from app.exchange.vault_sink import foreign_session_id
from app.memories import import_sources
from app.memories.foreign_record import MemoryRecord
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
        return repo.head(connection, foreign_session_id(record.key, format_name)) is not None
    if not isinstance(record, MemoryRecord):
        return False
    known = import_sources.find(connection, import_sources.uri(format_name, record.key))
    return known is not None and known.content_hash == import_sources.record_hash(record)
