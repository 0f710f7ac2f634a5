"""Decay forecast: which facts would have faded after some days, without changing any."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import apsw

from app.core.clock import Clock
from app.core.stores import STORES
from app.memories import repo
from app.store.store import Store

HORIZONS: Final = (30, 90, 365)
MAX_LISTED: Final = 50
_DAY_MS: Final = 86_400_000.0
_FADING: Final = (
    "SELECT m.id, m.title, substr(m.content, 1, 200), m.confidence, m.decay_rate,"
    " coalesce(m.last_accessed, m.updated_at) FROM memories m"
    " WHERE m.kind = 'fact' AND m.valid_until IS NULL AND (m.expires_at IS NULL OR m.expires_at > ?)"
    " AND m.decay_rate > 0 AND m.pinned = 0"
)


@dataclass(frozen=True, slots=True)
class FadingFact:
    """A fact and the confidence it would have left on the day asked about."""

    id: str
    title: str
    preview: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Horizon:
    """Facts that would be below the threshold after some days.

    Assumes that nothing is read or changed until then.

    Args:
        days: Days from now.
        count: How many facts.
        facts: The first of them, the least certain first.
    """

    days: int
    count: int
    facts: tuple[FadingFact, ...]


@dataclass(frozen=True, slots=True)
class Forecast:
    """Facts that fade at all, and those below the threshold after each span of days."""

    threshold: float
    fading: int
    horizons: tuple[Horizon, ...]


def decayed(confidence: float, rate: float, days: float) -> float:
    """Return the confidence left after ``days`` without use: ``confidence * exp(-rate * days)``."""
    return confidence * math.exp(-rate * max(days, 0.0))


class ForecastService:
    """Forecast of the facts that decay would take below a threshold.

    Args:
        store: The vault's database.
        clock: Where the time comes from.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def forecast(
        self, threshold: float, days: Sequence[int] = HORIZONS, *, stores: Sequence[str] = STORES
    ) -> Forecast:
        """Return which facts in ``stores`` would be below ``threshold`` after each number of days."""
        now = self._clock.now_ms()

        def work(connection: apsw.Connection) -> Forecast:
            rows = connection.execute(f"{_FADING} AND {repo.store_condition(stores)}", (now,)).fetchall()
            horizons = tuple(_horizon(rows, now, threshold, one) for one in days)
            return Forecast(threshold, len(rows), horizons)

        return await self._store.read(work)


def _horizon(rows: Sequence[Sequence[object]], now_ms: int, threshold: float, days: int) -> Horizon:
    fading: list[FadingFact] = []
    for memory_id, title, preview, confidence, rate, used_ms in rows:
        idle = (now_ms - int(str(used_ms))) / _DAY_MS + days
        left = decayed(float(str(confidence)), float(str(rate)), idle)
        if left < threshold:
            fading.append(FadingFact(str(memory_id), str(title), str(preview), left))
    fading.sort(key=lambda fact: (fact.confidence, fact.id))
    return Horizon(days, len(fading), tuple(fading[:MAX_LISTED]))
