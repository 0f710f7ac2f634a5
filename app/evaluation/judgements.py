"""Judgements of the person: which items are right answers to a query."""

from functools import partial
from typing import Final

from app.changes import Changed, ChangeSet
from app.core.clock import Clock, to_datetime
from app.core.text import collapse, storable
from app.errors import InputError, NotFoundError
from app.evaluation import repo as reads
from app.evaluation.model import Judgement
from app.sentence import Sentence
from app.store.store import Store

_MAX_QUERY: Final = 1_000


class JudgementService:
    """Judgements of a vault, which a comparison of models asks about.

    Args:
        store: The vault's database.
        clock: Current time.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def judge(self, query: str, target: str, *, good: bool | None, actor: str) -> Changed[Judgement | None]:
        """Store whether an item is right for a query; ``None`` removes the judgement.

        Raises:
            InputError: The query is empty or very long.
            NotFoundError: There is no such item.
        """
        query = collapse(storable(query)[0])
        if not 0 < len(query) <= _MAX_QUERY:
            raise InputError(Sentence("A judged query has 1 to {most} characters.", most=_MAX_QUERY), field="query")
        if good is None:
            await self._store.write(partial(reads.unjudge, query=query, target=target))
            return Changed(None, ChangeSet(frozenset({"trials"}), (), actor))
        if not await self._store.read(partial(reads.exists, target=target)):
            raise NotFoundError(
                Sentence("There is no message or memory with the id {target}.", target=target), id=target
            )
        judgement = Judgement(query, target, good, to_datetime(self._clock.now_ms()))
        await self._store.write(partial(reads.judge, judgement=judgement))
        return Changed(judgement, ChangeSet(frozenset({"trials"}), (), actor))

    async def judged(self, limit: int) -> list[Judgement]:
        """Return the judgements, the latest first."""
        return await self._store.read(partial(reads.judgements, limit=limit))
