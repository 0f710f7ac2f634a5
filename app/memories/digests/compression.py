"""Compression: one digest in the place of similar observations, which stay in its sources."""

from collections.abc import Sequence
from dataclasses import replace

import apsw

from app.changes import Changed
from app.core.access import Access
from app.core.clock import to_datetime, to_ms
from app.core.stores import STORES
from app.memories import repo
from app.memories.deduplication.derived_ids import next_derived_id
from app.memories.digests import clusters
from app.memories.digests.clusters import Cluster
from app.memories.model import Memory, NewMemory, Source
from app.memories.text import digest_text
from app.memories.text.digest_text import Statement
from app.memories.unit_of_work import MemoryUnitOfWork
from app.memories.validation import compose
from app.memories.writer import MemoryWriter

ACTOR = "retention"
_MOST_FACTS = 100
_MOST_TAGS = 16


class CompressionService:
    """Finds clusters of old observations and puts digests in their place.

    Args:
        transactions: Opens transactions.
    """

    def __init__(self, transactions: MemoryUnitOfWork) -> None:
        self._transactions = transactions

    async def clusters(self, before_ms: int, least: int, most_rows: int) -> list[Cluster]:
        """Return clusters of observations last changed before a time; see ``clusters.find``."""

        def work(connection: apsw.Connection) -> list[Cluster]:
            return clusters.find(connection, before_ms, least, most_rows)

        return await self._transactions.store.read(work)

    async def observations(self, cluster: Cluster) -> list[Memory]:
        """Return the observations of a cluster, the oldest first."""
        return await self._transactions.store.read(lambda connection: repo.many(connection, cluster.ids, stores=STORES))

    async def compress(
        self, cluster: Cluster, before_ms: int, statements: Sequence[Statement] | None, run_id: str
    ) -> Changed[Memory | None]:
        """Store a digest and expire the observations of a cluster, in one transaction.

        Args:
            cluster: The observations.
            before_ms: When they must have been changed last.
            statements: Statements of a language model; those of the observations where ``None``.
            run_id: The run.

        Returns:
            The digest; ``None`` where one of the observations was changed meanwhile, so that nothing was done.
        """

        def work(writer: MemoryWriter) -> Memory | None:
            if not clusters.is_standing(writer.connection, cluster, before_ms):
                return None
            observations = repo.many(writer.connection, cluster.ids, stores=STORES)
            digest = digest_of(cluster, observations, statements, writer.at_ms)
            newest_ms = max(to_ms(observation.created_at) for observation in observations)
            # Machines that do not hear of each other put the same digest in the place of the same observations.
            identity = next_derived_id(writer.connection, "digest", newest_ms, *sorted(cluster.ids))
            digest = writer.create(replace(digest, id=identity))
            for old in observations:
                writer.supersede(old, digest.id, "COMPRESS")
            return digest

        return await self._transactions.run(Access.everything(ACTOR, "upkeep.retention", run_id), work)


def digest_of(
    cluster: Cluster, observations: Sequence[Memory], statements: Sequence[Statement] | None, now_ms: int
) -> Memory:
    """Return the digest of observations, with each of them as a source.

    Args:
        cluster: What they have in common.
        observations: The oldest first.
        statements: Statements of a language model; those of the observations where ``None``.
        now_ms: Milliseconds UTC.
    """
    listed = digest_text.statements(observations) if statements is None else tuple(statements)
    facts = dict.fromkeys(fact for memory in observations for fact in memory.facts)
    draft = NewMemory(
        content=digest_text.digest_content(observations, listed),
        title=digest_text.digest_title(cluster.title, observations),
        kind="digest",
        tags=tuple(dict.fromkeys(tag for memory in observations for tag in memory.tags))[:_MOST_TAGS],
        store=cluster.store,
        source=ACTOR,
        facts=tuple(facts)[:_MOST_FACTS],
        type=observations[-1].type,
        confidence=max(memory.confidence for memory in observations),
        created_at=to_datetime(now_ms),
        event_time=digest_text.when(observations[-1]),
        files=tuple(dict.fromkeys(name for memory in observations for name in memory.files))[:_MOST_FACTS],
        people=tuple(dict.fromkeys(name for memory in observations for name in memory.people))[:_MOST_FACTS],
        sources=tuple(Source("memory", memory.id) for memory in observations),
        attributes={"compressed": len(observations), "written_by": "rules" if statements is None else "model"},
    )
    return compose(draft, now_ms)
