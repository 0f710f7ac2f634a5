"""Confirmed facts that new sentences contradict in other words, found by their words."""

from collections.abc import Iterable, Sequence
from typing import Final

import apsw

from app.core.stores import STORES
from app.memories import repo
from app.memories.deduplication.contradiction import may_contradict, sentences
from app.memories.deduplication.similar import SimilarFinder
from app.memories.model import Memory

_MOST_SENTENCES: Final = 20
_LOOKED_AT: Final = 20  # facts that share words with a sentence


def contradicted(
    connection: apsw.Connection, finder: SimilarFinder, texts: Iterable[str], stores: Sequence[str], without: set[str]
) -> list[Memory]:
    """Return the facts that the person confirmed or pinned and that texts may contradict.

    Args:
        connection: Any connection.
        finder: Finds facts that share words.
        texts: What is new.
        stores: What its writer may see: of other facts it must not learn.
        without: Ids of facts that do not count, such as the new one.
    """
    memories: dict[str, Memory] = {}
    for sentence in [sentence for text in texts for sentence in sentences(text, _MOST_SENTENCES)][:_MOST_SENTENCES]:
        ids = finder.related(connection, sentence, kind="fact", stores=stores, limit=_LOOKED_AT)
        for fact in repo.many(connection, [identity for identity in ids if identity not in without], stores=STORES):
            if fact.deleted_at is None and _is_certain(connection, fact) and may_contradict(sentence, fact.content):
                memories[fact.id] = fact
    return list(memories.values())


def _is_certain(connection: apsw.Connection, fact: Memory) -> bool:
    if fact.pinned:
        return True
    if fact.confidence < 1 or fact.decay_rate > 0:
        return False
    sql = "SELECT 1 FROM memory_history WHERE target = ? AND event = 'CONFIRM' AND undone_by IS NULL LIMIT 1"
    return connection.execute(sql, (fact.id,)).fetchone() is not None
