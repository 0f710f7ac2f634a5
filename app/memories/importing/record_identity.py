"""Identity of foreign records whose keys are not unique.

A path identifies a note within one folder only, and a title and a time not even within one file. A record that only
shares its key with another one gets a name of its own, so that neither takes the other's place.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count, pairwise
from typing import Final

import apsw

from app.core.stores import STORES
from app.core.text import storable
from app.memories import repo
from app.memories.foreign_record import MemoryRecord
from app.memories.importing import import_sources
from app.memories.importing.import_sources import Origin

MAX_SAME: Final = 64  # records of one key that are compared with each other
_COMPARED: Final = 200_000
_IN_NOTEBOOK: Final = 0.5
_IN_OTHER_FOLDERS: Final = 0.8
_WORD: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+")


@dataclass(frozen=True, slots=True)
class RecordOrigin:
    """A foreign record as the files table names it.

    Args:
        uri: Its name there.
        origin: What an earlier import made of it, ``None`` when it is new.
    """

    uri: str
    origin: Origin | None


def identify(connection: apsw.Connection, record: MemoryRecord, fmt: str, taken: set[tuple[str, str]]) -> RecordOrigin:
    """Return which earlier record ``record`` repeats, or the name of a new one.

    Args:
        connection: The connection that reads.
        record: What a reader yielded.
        fmt: Its format.
        taken: The notebooks and names of records that this import has met; the one that is returned is added.
    """
    base = storable(import_sources.uri(fmt, record.key))[0]
    if not record.place and record.collection is None:
        return RecordOrigin(base, import_sources.find(connection, base))
    notebook = record.collection
    same = []
    for uri in _names(base, record):
        origin = import_sources.find(connection, uri)
        if origin is None:
            fresh = uri
            break
        if notebook is None or (notebook, uri) not in taken:
            same.append(RecordOrigin(uri, origin))
    result = _repeated(connection, record, same) or RecordOrigin(fresh, None)
    if notebook is not None:
        taken.add((notebook, result.uri))
    return result


def origin_of(record: MemoryRecord, memory_id: str, before: Origin | None) -> Origin:
    """Return what is kept of an imported record.

    A text that two notebooks have belongs to the first.
    """
    origin = Origin(import_sources.record_hash(record), memory_id)
    if not record.place and record.collection is None:
        return origin
    changed_ms = record.created_ms if record.updated_ms is None else record.updated_ms
    return replace(
        origin,
        place=_place(record),
        collection=(before.collection if before else "") or record.collection or "",
        text_hash=import_sources.text_hash(record.content),
        changed_ms=changed_ms,
    )


def is_in_another_notebook(record: MemoryRecord, origin: Origin) -> bool:
    """Return whether an earlier import knows the record from another notebook."""
    return record.collection is not None and record.collection != origin.collection


def is_moved(record: MemoryRecord, origin: Origin) -> bool:
    """Return whether the record lay in another folder, or in an unknown one."""
    return bool(record.place) and _place(record) != origin.place


def _names(base: str, record: MemoryRecord) -> Iterator[str]:
    """Yield the names of records that share a key.

    Beyond ``MAX_SAME`` they are named by their texts.
    """
    mark = "~" if record.collection is None else "-"
    yield base
    yield from (f"{base}{mark}{number}" for number in range(2, MAX_SAME + 1))
    text = import_sources.text_hash(record.content)
    yield from (f"{base}{mark}{text}-{number}" for number in count(1))


def _repeated(connection: apsw.Connection, record: MemoryRecord, same: list[RecordOrigin]) -> RecordOrigin | None:
    """Return which of the records of the same key ``record`` repeats, ``None`` in doubt."""
    digest, text = import_sources.record_hash(record), import_sources.text_hash(record.content)
    known = [(item, item.origin) for item in same if item.origin is not None]
    if record.place and (own := next((item for item, origin in known if not is_moved(record, origin)), None)):
        return own
    for item, origin in known:
        if digest == origin.content_hash:
            return item
    for item, origin in known:
        if text == (origin.text_hash or _text_hash(connection, origin)):
            return item
    if record.collection is None:
        unplaced = next((item for item, origin in known if not origin.place), None)
        return unplaced or _most_alike(connection, record, known, _IN_OTHER_FOLDERS)
    in_notebook = [pair for pair in known if pair[1].collection in ("", record.collection)]
    return _most_alike(connection, record, in_notebook, _IN_NOTEBOOK) or _renewed(record, in_notebook)


def _renewed(record: MemoryRecord, known: list[tuple[RecordOrigin, Origin]]) -> RecordOrigin | None:
    """Return the only record of the notebook that is older."""
    if len(known) != 1 or record.created_ms is None or record.updated_ms is None:
        return None
    item, origin = known[0]
    is_older = origin.changed_ms is not None and origin.changed_ms < record.updated_ms
    return item if is_older and origin.collection else None


def _most_alike(
    connection: apsw.Connection, record: MemoryRecord, known: list[tuple[RecordOrigin, Origin]], least: float
) -> RecordOrigin | None:
    """Return the record whose text ``record`` keeps most of, and more than ``least``."""
    new = _pairs(record.content)
    alike: tuple[float, RecordOrigin | None] = (least, None)
    for item, origin in known:
        memory = None if _is_newer(origin, record) else repo.get(connection, origin.memory_id, stores=STORES)
        if memory is not None and (share := _kept_share(_pairs(memory.content), new)) > alike[0]:
            alike = share, item
    return alike[1]


def _is_newer(origin: Origin, record: MemoryRecord) -> bool:
    return origin.changed_ms is not None and record.updated_ms is not None and origin.changed_ms > record.updated_ms


def _pairs(text: str) -> Counter[tuple[str, str]]:
    """Return the pairs of neighbouring words of a text, its beginning and end included."""
    return Counter(pairwise(("", *_WORD.findall(text[:_COMPARED].casefold()), "")))


def _kept_share(old: Counter[tuple[str, str]], new: Counter[tuple[str, str]]) -> float:
    """Return which share of the old text the new one keeps, 0 to 1."""
    return (old & new).total() / old.total()


def _text_hash(connection: apsw.Connection, origin: Origin) -> str:
    memory = repo.get(connection, origin.memory_id, stores=STORES)
    return "" if memory is None else import_sources.text_hash(memory.content)


def _place(record: MemoryRecord) -> str:
    return import_sources.text_hash(record.place) if record.place else ""
