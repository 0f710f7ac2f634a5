"""Decay forecast: which facts would have faded after some days, without changing any."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import apsw

from app.core.access import Access
from app.core.clock import DAY_MS, Clock
from app.memories.decay import confidence_repo
from app.memories.decay.decay_rules import MONTH_MS, DecayRules, FadingDay, simulate
from app.store.store import Store

HORIZONS: Final = (30, 90, 365)
MAX_LISTED: Final = 50


@dataclass(frozen=True, slots=True)
class FadingFact:
    """A fact and the confidence it would have left on the day asked about."""

    id: str
    title: str
    preview: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Horizon:
    """Facts that nightly runs of decay would have set aside after some days.

    It is assumed that nothing is read or changed until then, and that a run takes place now and every day.

    Args:
        days: Days from now.
        count: How many facts.
        facts: The first of them, the least certain first.
        kept: Facts below the threshold that the loss budget would still keep.
    """

    days: int
    count: int
    facts: tuple[FadingFact, ...]
    kept: int = 0


@dataclass(frozen=True, slots=True)
class Forecast:
    """Facts that fade at all, and those set aside after each span of days."""

    threshold: float
    fading: int
    horizons: tuple[Horizon, ...]


class ForecastService:
    """Forecast of the facts that decay would set aside.

    Args:
        store: The vault's database.
        clock: Where the time comes from.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def forecast(self, access: Access, rules: DecayRules, days: Sequence[int] = HORIZONS) -> Forecast:
        """Return which visible facts would be set aside after each number of days.

        It is made as if there were no other stores, so their facts do not show in the loss budget.
        """
        return await self._store.read(
            partial(_forecast, self._clock.now_ms(), rules, tuple(days), tuple(access.stores))
        )


def _forecast(
    now_ms: int, rules: DecayRules, days: tuple[int, ...], stores: tuple[str, ...], connection: apsw.Connection
) -> Forecast:
    # The loss budget counts all facts, so a forecast from all of them would tell how many are in the other stores.
    facts = confidence_repo.decaying(connection, now_ms, stores=stores)
    gone = confidence_repo.set_aside_at(connection, now_ms - MONTH_MS, stores)
    active = confidence_repo.active_facts(connection, stores)
    fading = simulate(facts, now_ms, max(days, default=0), rules, active, gone)
    horizons = []
    for ahead in days:
        at_ms = now_ms + ahead * DAY_MS
        until = [fade for fade in fading if fade.day <= ahead]
        below = sum(fact.left(at_ms) < rules.threshold for fact in facts)
        horizons.append(Horizon(ahead, len(until), _listed(connection, until, at_ms), below - len(until)))
    return Forecast(rules.threshold, len(facts), tuple(horizons))


def _listed(connection: apsw.Connection, fading: Sequence[FadingDay], at_ms: int) -> tuple[FadingFact, ...]:
    least = sorted((fade.fact.left(at_ms), fade.fact.id, fade.fact.rowid) for fade in fading)[:MAX_LISTED]
    rows = []
    for days_left, memory_id, rowid in least:
        title, preview = connection.execute(
            "SELECT title, substr(content, 1, 200) FROM memories WHERE rowid = ?", (rowid,)
        ).get
        rows.append(FadingFact(memory_id, str(title), str(preview), days_left))
    return tuple(rows)
