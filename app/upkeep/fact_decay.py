"""Decay: unused facts lose confidence each night, and are set aside in the end."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final

import apsw

from app.changes import ChangeSet
from app.core.access import Access
from app.core.clock import DAY_MS
from app.core.stores import STORES
from app.memories import repo
from app.memories.decay import confidence_repo
from app.memories.decay.confidence_repo import ACTOR
from app.memories.decay.decay_rules import MONTH_MS, DecayingFact, DecayRules, Night, NightDraft, look_at, night
from app.memories.unit_of_work import MemoryUnitOfWork
from app.memories.writer import MemoryWriter, conflicting_fact
from app.schedule.model import Cadence, JobResult, Sharing
from app.sentence import Sentence, counted_sentence, joined
from app.upkeep.upkeep_job import PlannedChange, UpkeepPlan, UpkeepRun, daily

_SHOWN = 100  # changes that a plan lists
_PAGE = 1_000  # facts read at a time
_SLICE = 100  # facts written between two looks at the clock
_TRANSACTION_S = 0.003
_KEPT_MS: Final = 365 * DAY_MS
_MOST_ROWS: Final = 1_000_000  # some 30 MB
_PRUNED_TOGETHER = 2_000


class FactDecay:
    """The nightly decay of facts: ``confidence * exp(-rate * days since the last access)``.

    Each run applies the time since the fact was last used or decayed, so that many runs come to the same as one. What
    the runs of a year lowered is kept, a million changes at most, so that they can be undone.

    Args:
        transactions: Opens transactions.
        is_enabled: Whether the settings let it run by itself.
        time: Returns the time of day, such as ``04:00``.
        rules: Returns the settings that count now.
    """

    name = ACTOR
    title = "Decay"
    goal = "Let facts that are not used lose confidence, and set aside those that faded."
    unit = "facts"
    sharing: Sharing = "part"

    def __init__(
        self,
        transactions: MemoryUnitOfWork,
        is_enabled: Callable[[], bool],
        time: Callable[[], str],
        rules: Callable[[], DecayRules],
    ) -> None:
        self._transactions = transactions
        self._is_enabled = is_enabled
        self._time = time
        self._rules = rules

    def cadences(self) -> tuple[Cadence, ...]:
        """Return its time of day; see ``UpkeepJob``."""
        return (daily(self._time()),)

    def is_enabled(self) -> bool:
        """Return whether the settings let it run by itself."""
        return self._is_enabled()

    def is_harmless(self) -> bool:
        """Return True: what both set aside is set aside once."""
        return True

    async def plan(self) -> UpkeepPlan:
        """Return what would fade and what would lose confidence; see ``UpkeepJob``."""
        night = await self._night(self._transactions.clock.now_ms())

        def work(connection: apsw.Connection) -> UpkeepPlan:
            return _plan(connection, night)

        return await self._transactions.store.read(work)

    async def apply(self, run: UpkeepRun) -> JobResult:
        """Lower confidences first, then set aside what faded; see ``UpkeepJob``.

        A fact that somebody used or changed meanwhile is passed over.
        """
        store = self._transactions.store
        number, at_ms = await store.write(
            partial(confidence_repo.begin_run, run_id=run.id, at_ms=self._transactions.clock.now_ms())
        )
        night = await self._night(at_ms)
        total, done, lowered = len(night.lowered) + len(night.kept) + len(night.faded), 0, 0
        changes, place = [*night.kept, *night.lowered], 0
        while place < len(changes) and not run.job.is_cancelled():
            place, some = await store.write(partial(_lower, number, at_ms, changes, place))
            lowered += some
            run.job.advance(place, total)
            await asyncio.sleep(0)
        if lowered:
            run.publish(ChangeSet(frozenset({"memories"}), (), ACTOR, "upkeep.decay"))
        faded, place = 0, 0
        # Each machine lowers what it knows; what leaves the memory of all is decided by one.
        while run.decides and place < len(night.faded) and not run.job.is_cancelled():
            step = await self._transactions.run(
                Access.everything(ACTOR, "upkeep.decay", run.id),
                partial(_set_aside, night.faded, place),
            )
            place, some = step.value
            faded += some
            run.publish(step.changes)
            run.job.advance(done + place, total)
            await asyncio.sleep(0)
        returned = 0 if run.decides else await self._bring_back(run, at_ms)
        await self._prune(at_ms)
        counts = {"lowered": max(lowered - len(night.kept), 0), "faded": faded, "kept": len(night.kept)}
        words = [_summary(counts)]
        if returned:
            counts["returned"] = returned
            words.append(
                counted_sentence(
                    returned,
                    "Brought 1 fact back that another machine set aside and this one uses.",
                    "Brought {count} facts back that another machine set aside and this one uses.",
                )
            )
        return JobResult(joined(words), counts=counts)

    async def _bring_back(self, run: UpkeepRun, at_ms: int) -> int:
        """Bring back facts that another machine set aside and this one uses; return their number."""
        find = partial(confidence_repo.used_here, after_ms=at_ms - MONTH_MS, within_ms=MONTH_MS, limit=_SLICE)
        ids = await self._transactions.store.read(find)
        if not ids:
            return 0
        done = await self._transactions.run(Access.everything(ACTOR, "upkeep.decay", run.id), partial(_restore, ids))
        run.publish(done.changes)
        return done.value

    async def _night(self, at_ms: int) -> Night:
        """Return the effects of a run, from facts read a page at a time."""
        store, rules = self._transactions.store, self._rules()
        draft, last = NightDraft(), -1
        while page := await store.read(
            partial(confidence_repo.decaying, now_ms=at_ms, stores=STORES, after=last, limit=_PAGE)
        ):
            last = page[-1].rowid
            look_at(draft, page, at_ms, rules)
            await asyncio.sleep(0)

        def work(connection: apsw.Connection) -> int:
            gone = len(confidence_repo.set_aside_at(connection, at_ms - MONTH_MS, STORES))
            return rules.budget(confidence_repo.active_facts(connection, STORES), gone)

        return night(draft, at_ms, rules, await store.read(work))

    async def _prune(self, at_ms: int) -> None:
        prune = partial(confidence_repo.prune, before_ms=at_ms - _KEPT_MS, most_rows=_MOST_ROWS, limit=_PRUNED_TOGETHER)
        is_left = True
        while is_left:
            is_left = await self._transactions.store.write(prune)


def _lower(
    number: int, at_ms: int, changes: list[tuple[DecayingFact, float]], place: int, connection: apsw.Connection
) -> tuple[int, int]:
    """Lower confidences from ``place`` on for a short time.

    Returns:
        Where it stopped, and how many were lowered.
    """
    ends, lowered = time.perf_counter() + _TRANSACTION_S, 0
    while place < len(changes) and time.perf_counter() < ends:
        lowered += confidence_repo.lower(connection, number, at_ms, changes[place : place + _SLICE])
        place = min(place + _SLICE, len(changes))
    return place, lowered


def _set_aside(facts: tuple[DecayingFact, ...], place: int, writer: MemoryWriter) -> tuple[int, int]:
    ends, faded = time.perf_counter() + _TRANSACTION_S, 0
    while place < len(facts) and time.perf_counter() < ends:
        if confidence_repo.is_unchanged(writer.connection, facts[place]):
            for memory in repo.many(writer.connection, [facts[place].id], stores=STORES):
                writer.delete(memory)
                faded += 1
        place += 1
    return place, faded


def _restore(ids: list[str], writer: MemoryWriter) -> int:
    restored = 0
    for memory in repo.many(writer.connection, ids, stores=STORES):
        is_free = conflicting_fact(writer.connection, replace(memory, deleted_at=None)) is None
        if is_free and memory.deleted_at is not None:
            writer.restore(memory)
            restored += 1
    return restored


def _plan(connection: apsw.Connection, night: Night) -> UpkeepPlan:
    changes = [_planned(connection, "set aside", fact, None) for fact in night.faded[:_SHOWN]]
    changes += [
        _planned(connection, "keep", fact, days_left) for fact, days_left in night.kept[: _SHOWN - len(changes)]
    ]
    changes += [
        _planned(connection, "lower", fact, days_left) for fact, days_left in night.lowered[: _SHOWN - len(changes)]
    ]
    total = len(night.faded) + len(night.kept) + len(night.lowered)
    counts = {"lowered": len(night.lowered), "faded": len(night.faded), "kept": len(night.kept)}
    notes = (_budget_note(len(night.kept)),) if night.kept else ()
    return UpkeepPlan(ACTOR, _summary(counts, is_plan=True), total, tuple(changes), notes)


def _planned(connection: apsw.Connection, action: str, fact: DecayingFact, left: float | None) -> PlannedChange:
    row = connection.execute(
        "SELECT CASE WHEN title = '' THEN substr(content, 1, 100) ELSE title END FROM memories WHERE rowid = ?",
        (fact.rowid,),
    ).fetchone()
    detail = Sentence("into the trash")
    if left is not None:
        values = {"before": f"{fact.confidence:.2f}", "after": f"{left:.2f}"}
        detail = Sentence("confidence {before} to {after}", **values)
    return PlannedChange(action, fact.id, "" if row is None else str(row[0]), detail)


def _summary(counts: dict[str, int], *, is_plan: bool = False) -> str:
    moved, faded = counts["lowered"] + counts["kept"] + counts["faded"], counts["faded"]
    if not moved:
        return Sentence("No fact has to fade.") if is_plan else Sentence("No fact faded.")
    if is_plan:
        some = counted_sentence(moved, "Would let 1 fact fade.", "Would let {count} facts fade.")
        return joined((some, counted_sentence(faded, "1 would be set aside.", "{count} would be set aside.")))
    some = counted_sentence(moved, "Let 1 fact fade.", "Let {count} facts fade.")
    aside = counted_sentence(faded, "1 was set aside.", "{count} were set aside.")
    return joined((some, aside, _budget_note(counts["kept"]) if counts["kept"] else ""))


def _budget_note(kept: int) -> str:
    return counted_sentence(
        kept,
        "1 faded fact is kept for now, because a run and a month may set aside only a share of the facts.",
        "{count} faded facts are kept for now, because a run and a month may set aside only a share of the facts.",
    )
