"""Proposed merges: near-duplicate entities in the person's inbox, to accept or reject."""

from functools import partial
from typing import Final

import apsw

from app.changes import ChangeSet
from app.core.clock import Clock
from app.entities.duplicates import repo
from app.entities.duplicates.model import NearDuplicate
from app.entities.duplicates.service import NearDuplicateService
from app.entities.service import EntityService
from app.errors import KeepsakeError
from app.history.rehearsal import rehearse
from app.inbox import repo as inbox_repo
from app.inbox.model import NewProposal
from app.inbox.preview import preview_of
from app.inbox.service import KEEPSAKE, InboxService
from app.store.store import Store

MOST_WAITING: Final = 20
OPERATION: Final = "entity.merge"


class MergeProposals:
    """Proposes merges of near-duplicates, each pair once, a few at a time.

    Args:
        store: The vault's database.
        clock: The source of the time.
        duplicates: Finds the pairs.
        entities: Rehearses a merge, so that the person sees what it would change.
        inbox: Keeps the proposals.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        duplicates: NearDuplicateService,
        entities: EntityService,
        inbox: InboxService,
    ) -> None:
        self._store = store
        self._clock = clock
        self._duplicates = duplicates
        self._entities = entities
        self._inbox = inbox

    async def due(self) -> list[NearDuplicate]:
        """Return the pairs that would be proposed now; none while ``MOST_WAITING`` proposals wait."""
        waiting = await self._inbox.count("waiting", KEEPSAKE, "entity")
        return await self._duplicates.unproposed(MOST_WAITING - waiting)

    async def propose(self, pair: NearDuplicate, run_id: str) -> ChangeSet | None:
        """Propose a merge; return what changed, ``None`` where it cannot be done now."""
        merge = partial(self._entities.merge, [pair.other.id], pair.into.id, actor=KEEPSAKE)
        try:
            entries = await rehearse(merge)
        except KeepsakeError:
            return None  # one of them was merged or is gone meanwhile
        arguments = {"ids": [pair.other.id], "into": pair.into.id}
        preview = preview_of(entries, "review")
        proposal = NewProposal(KEEPSAKE, OPERATION, arguments, "entity", pair.into.id, pair.sentence, preview)
        proposed = await self._inbox.propose(proposal)
        now_ms, number = self._clock.now_ms(), proposed.value.proposed
        await self._store.write(lambda connection: repo.note_proposed(connection, pair, number, run_id, now_ms))
        return proposed.changes

    async def withdraw_answered(self) -> int:
        """Withdraw the waiting proposals whose entities are one already; return their number."""

        def work(connection: apsw.Connection) -> int:
            answered = repo.withdraw_merged(connection)
            inbox_repo.withdraw(connection, answered)
            return len(answered)

        return await self._store.write(work)

    @staticmethod
    def undo_run(connection: apsw.Connection, run_id: str) -> bool:
        """Withdraw the waiting proposals of a run; return whether there was any.

        To be called inside a transaction.
        """
        withdrawn = repo.withdraw_run(connection, run_id)
        inbox_repo.withdraw(connection, withdrawn)
        return bool(withdrawn)
