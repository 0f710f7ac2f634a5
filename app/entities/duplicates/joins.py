"""Joins of a first name and the full name near it, without asking.

A join is one change of the short name alone: it stands for the full name from then on and keeps its own names, so that
it can be taken back whatever else happens to either. A person's decision is never changed by it.

Which names are joined follows from the texts and from what people decided, not from what was joined before: names that
today's texts and rules would not join are taken apart again, and the order in which texts come makes no difference.
"""

import re
from collections.abc import Sequence
from functools import partial
from typing import Final

import apsw

from app.changes import ChangeSet
from app.core.clock import Clock
from app.entities import entity_state, ner_backlog
from app.entities.duplicates import name_forms, other_person, repo
from app.entities.duplicates.model import NearDuplicate
from app.entities.duplicates.nearness import NearnessMeasure
from app.entities.duplicates.service import NearDuplicateService
from app.entities.entity_edits import EntityEdits
from app.store.store import Store

_OPERATION: Final = "upkeep.enrichment"
_TITLE: Final = 20  # characters before a name that may hold a title
_READ: Final = 1_000  # newest mentions of a short name
_MOST_ROUNDS: Final = 4  # a joined name brings the next one near


class Joins:
    """Joins names of one person by itself.

    Args:
        store: The vault's database.
        clock: The source of the time.
        duplicates: Finds the pairs.
        actor: In whose name the joins are recorded.
    """

    def __init__(self, store: Store, clock: Clock, duplicates: NearDuplicateService, actor: str) -> None:
        self._store = store
        self._clock = clock
        self._duplicates = duplicates
        self._actor = actor

    async def due(self) -> list[NearDuplicate]:
        """Return the pairs to join now; none while texts are left to read."""
        wanted = await self._wanted() or ()

        def open_pairs(connection: apsw.Connection) -> list[NearDuplicate]:
            return [one for one in wanted if self._may_join(connection, one)]

        return await self._store.read(open_pairs, is_background=True)

    async def doubtful(self) -> list[NearDuplicate]:
        """Return the joined pairs that the texts and rules of today would not join.

        None while texts are left to read.
        """
        wanted = await self._wanted()
        if wanted is None:
            return []
        keys = {one.key for one in wanted}

        def unwanted(connection: apsw.Connection) -> list[NearDuplicate]:
            joined = [one for one in repo.standing_joins(connection) if one.key not in keys]
            return self._untouched(connection, joined)

        return await self._store.read(unwanted, is_background=True)

    async def join(self, pair: NearDuplicate, run_id: str) -> ChangeSet | None:
        """Let a short name stand for its full name.

        Returns:
            What changed, ``None`` where it no longer may.
        """

        def work(connection: apsw.Connection) -> ChangeSet | None:
            if not ner_backlog.is_read(connection) or not self._may_join(connection, pair):
                return None
            return self._move(connection, pair, pair.into.id, "MERGE", run_id)

        return await self._store.write(work)

    async def take_back(self, pair: NearDuplicate, run_id: str) -> ChangeSet | None:
        """Let a joined name stand for itself again.

        Returns:
            What changed, ``None`` where a text came or a person decided about it meanwhile.
        """

        def work(connection: apsw.Connection) -> ChangeSet | None:
            if not ner_backlog.is_read(connection) or not self._untouched(connection, [pair]):
                return None
            return self._move(connection, pair, None, "RESTORE", run_id)

        return await self._store.write(work)

    def _move(
        self, connection: apsw.Connection, pair: NearDuplicate, into: str | None, event: str, run_id: str
    ) -> ChangeSet:
        edits = EntityEdits(connection, actor=self._actor, now_ms=self._clock.now_ms(), run_id=run_id)
        state = entity_state.read(connection, pair.other.id) or {}
        edits.write(pair.other.id, {**state, "merged_into": into}, event, is_decision=False)
        return edits.changes(_OPERATION)

    async def _wanted(self) -> list[NearDuplicate] | None:
        """Return the pairs that are one by the texts, whether they are joined or not.

        ``None`` while texts are left to read.
        """
        if not await self._store.read(ner_backlog.is_read, is_background=True):
            return None
        left, wanted = await self._duplicates.near(), list[NearDuplicate]()
        for _ in range(_MOST_ROUNDS):
            enough = await self._store.read(partial(_near_enough, pairs=left, joined=wanted), is_background=True)
            left = [one for one in left if one not in enough]
            for pair in enough:
                # Many texts are read here, not while writing; one that comes meanwhile parts the two the next night.
                another = partial(_may_be_another, pair=pair, limit=_READ)
                if not await self._store.read(another, is_background=True):
                    wanted.append(pair)
            if not enough:
                break
        return wanted

    def _may_join(self, connection: apsw.Connection, pair: NearDuplicate) -> bool:
        """Return whether both stand for themselves, and no decision concerns either."""
        if not repo.stand_alone(connection, pair.key) or repo.is_answered(connection, pair.other.id):
            return False
        return repo.is_undecided(connection, pair.key, self._actor) and not repo.are_apart(connection, pair.key)

    def _untouched(self, connection: apsw.Connection, pairs: Sequence[NearDuplicate]) -> list[NearDuplicate]:
        """Return the pairs that are still joined and about which no person decided."""
        standing = {one.key for one in repo.standing_joins(connection)}
        return [
            one for one in pairs if one.key in standing and repo.is_undecided(connection, [one.into.id], self._actor)
        ]


def _near_enough(
    connection: apsw.Connection, pairs: Sequence[NearDuplicate], joined: Sequence[NearDuplicate]
) -> list[NearDuplicate]:
    """Return the pairs of names near enough each other, once some others are joined."""
    measure = NearnessMeasure(connection, {one.other.id: one.into.id for one in joined})
    return [one for one in pairs if measure.nearness(one).is_enough]


def _may_be_another(connection: apsw.Connection, pair: NearDuplicate, limit: int) -> bool:
    """Return whether the newest texts use a pair's short name as that of another person.

    That is a speaker of the name, words that tell two apart, or a surname after ``Mr``, ``the`` and the like: it may be
    of another member of the family, or of all.
    """
    is_first = name_forms.name_words(pair.into.name)[0] in name_forms.name_words(pair.other.name)
    for kind, owner, start, provider in repo.spelled_places(connection, pair.other, limit):
        if provider == "author":
            return True
        reading = ner_backlog.reading_of(connection, kind, owner)
        if reading is None:
            continue
        text, places = (reading.text, [start]) if start >= 0 else (reading.heading, _found(reading.heading, pair))
        for place in places:
            words = name_forms.name_words(text[max(0, place - _TITLE) : place])
            if not is_first and words and words[-1] in name_forms.GENDERED:
                return True
            if other_person.may_be_another(text, place, len(pair.other.name), pair.into.name):
                return True
    return False


def _found(text: str, pair: NearDuplicate) -> list[int]:
    """Return where a short name stands in a text by itself."""
    full = [range(*found.span()) for found in re.finditer(re.escape(pair.into.name), text)]
    short = re.finditer(rf"\b{re.escape(pair.other.name)}\b", text)
    return [one.start() for one in short if not any(one.start() in whole for whole in full)]
