"""Texts written to a note on another machine at the same time as its own."""

import hashlib
from collections.abc import Sequence

import apsw

from app.core.clock import to_datetime
from app.core.stores import sees_all
from app.memories.model import KeptText
from app.memories.store_access import require
from app.sync.folding.fold import fold_row
from app.sync.segments import capture


def kept_texts(connection: apsw.Connection, memory_id: str, stores: Sequence[str]) -> tuple[KeptText, ...]:
    """Return texts kept beside that of a memory, and last its deletion on another machine.

    Only who sees all stores is told of any, for one may have been written while it was in a narrower store.

    Raises:
        NotFoundError: There is no memory of that id in the stores.
    """
    memory = require(connection, memory_id, stores)
    is_any = sees_all(stores) and capture.is_of_several_lanes(connection, "memory", memory.id)
    changes = capture.changes_of_row(connection, "memory", memory.id) if is_any else []
    written = {change.place: change for change in changes}
    if not changes:
        return ()
    row = fold_row(changes)
    texts = [
        KeptText(
            _id(version.text),
            memory.id,
            version.text,
            written[version.place].actor if version.place in written else memory.source,
            to_datetime(written[version.place].at_ms) if version.place in written else memory.created_at,
        )
        for version in row.kept
    ]
    deletions = [
        written[notice.other] for notice in row.notices if notice.reason == "edit_kept_row" and notice.other in written
    ]
    texts += [
        KeptText(
            _id(repr(deletion.place)), memory.id, "", deletion.actor, to_datetime(deletion.at_ms), is_deletion=True
        )
        for deletion in deletions[-1:]
    ]
    return tuple(texts)


def _id(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
