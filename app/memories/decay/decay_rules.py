"""Decay of facts: confidence left without use, and facts that a night sets aside.

The forecast and the nightly job both work by these functions, so that what is forecast is what happens.
"""

import heapq
import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from app.core.clock import DAY_MS

MONTH_MS: Final = 30 * DAY_MS
_LEAST_ELAPSED_MS: Final = 3_600_000  # what has just been decayed waits for the next night; nothing is lost by it


@dataclass(frozen=True, slots=True)
class DecayRules:
    """Settings of decay.

    Args:
        threshold: Confidence below which a fact is set aside.
        max_share: Share of the active facts that one run sets aside at most.
        max_share_month: Share of the active facts that the runs of 30 days set aside at most.
    """

    threshold: float
    max_share: float = 1.0
    max_share_month: float = 1.0

    def budget(self, active: int, gone_in_month: int) -> int:
        """Return how many facts a run may set aside.

        It may set one aside wherever the month still has room.

        Args:
            active: Active facts, those that never fade included.
            gone_in_month: Facts that were set aside in the last 30 days.
        """
        month = max(1, math.floor(self.max_share_month * (active + gone_in_month))) - gone_in_month
        return max(0, min(max(1, math.floor(self.max_share * active)), month))


@dataclass(frozen=True, slots=True)
class DecayingFact:
    """A fact that decays.

    Args:
        rowid: Its place in the table.
        id: Its id.
        confidence: Its confidence now.
        rate: Its decay rate.
        since_ms: The time up to which decay was applied: the latest of its last access, its last change, its last
            restoration and its last decay. Decay counts from here, so that nightly runs do not compound.
        decayed_at_ms: When it was last decayed, ``None`` for never.
        used_ms: When it was last accessed or changed.
    """

    rowid: int
    id: str
    confidence: float
    rate: float
    since_ms: int
    decayed_at_ms: int | None = None
    used_ms: int = 0

    def left(self, at_ms: int) -> float:
        """Return the confidence left at a time."""
        return decayed(self.confidence, self.rate, (at_ms - self.since_ms) / DAY_MS)


@dataclass(frozen=True, slots=True)
class Night:
    """Effects of one run of decay.

    Args:
        lowered: Facts that lose confidence, each with what is left.
        faded: Facts that are set aside, the least certain first.
        kept: Facts below the threshold that the loss budget keeps, each with the confidence it is kept at.
    """

    lowered: tuple[tuple[DecayingFact, float], ...]
    faded: tuple[DecayingFact, ...]
    kept: tuple[tuple[DecayingFact, float], ...]


def decayed(confidence: float, rate: float, days: float) -> float:
    """Return the confidence left after ``days`` without use: ``confidence * exp(-rate * days)``."""
    return confidence * math.exp(-rate * max(days, 0.0))


@dataclass(slots=True)
class NightDraft:
    """Facts of a run as far as they were looked at.

    Args:
        lowered: Facts above the threshold that lose confidence.
        below: Facts below it, each after what is left.
    """

    lowered: list[tuple[DecayingFact, float]] = field(default_factory=list)
    below: list[tuple[float, DecayingFact]] = field(default_factory=list)


def look_at(draft: NightDraft, facts: Iterable[DecayingFact], now_ms: int, rules: DecayRules) -> None:
    """Add facts to the draft of a run."""
    for fact in facts:
        days_left = fact.left(now_ms)
        if days_left < rules.threshold:
            draft.below.append((days_left, fact))
        elif now_ms - fact.since_ms >= _LEAST_ELAPSED_MS and days_left < fact.confidence:
            draft.lowered.append((fact, days_left))


def night(draft: NightDraft, now_ms: int, rules: DecayRules, budget: int) -> Night:
    """Return the effects of a run.

    With the same facts and the same time again, there are none.
    """
    below = sorted(draft.below, key=_order)
    held = [(fact, min(fact.confidence, rules.threshold)) for _, fact in below[budget:]]
    return Night(
        tuple(draft.lowered),
        tuple(fact for _, fact in below[:budget]),
        tuple((fact, value) for fact, value in held if (fact.confidence, fact.decayed_at_ms) != (value, now_ms)),
    )


@dataclass(frozen=True, slots=True)
class FadingDay:
    """A fact with the night, counted from today's as 0, that sets it aside."""

    fact: DecayingFact
    day: int


def simulate(
    facts: Sequence[DecayingFact], now_ms: int, days: int, rules: DecayRules, active: int, gone_at_ms: Sequence[int]
) -> list[FadingDay]:
    """Return the facts that nightly runs would set aside, if none is used.

    Args:
        facts: The facts that decay.
        now_ms: When the first run is.
        days: How many more runs follow, a day apart.
        rules: The settings.
        active: Active facts, those that never fade included.
        gone_at_ms: When facts were set aside in the last 30 days.
    """
    crossing = sorted(((_night_below(fact, now_ms, days, rules), fact) for fact in facts), key=lambda item: item[0])
    gone, fading_days, place = sorted(gone_at_ms), list[FadingDay](), 0
    waiting: dict[str, tuple[float, DecayingFact]] = {}
    for day in range(days + 1):
        at_ms = now_ms + day * DAY_MS
        if waiting:
            waiting = {key: (_kept_left(fact, rules), fact) for key, (_, fact) in waiting.items()}
        while place < len(crossing) and crossing[place][0] <= day:
            fact = crossing[place][1]
            waiting[fact.id] = (fact.left(at_ms), fact)
            place += 1
        if not waiting:
            continue
        budget = rules.budget(active, len(gone) - bisect_right(gone, at_ms - MONTH_MS))
        for _, fact in heapq.nsmallest(budget, waiting.values(), key=_order) if budget else ():
            del waiting[fact.id]
            fading_days.append(FadingDay(fact, day))
            gone.append(at_ms)
            active -= 1
    return fading_days


def _order(item: tuple[float, DecayingFact]) -> tuple[float, str]:
    return item[0], item[1].id


def _kept_left(fact: DecayingFact, rules: DecayRules) -> float:
    """Return the confidence of a fact a night after it was kept at the threshold."""
    return decayed(min(fact.confidence, rules.threshold), fact.rate, 1.0)


def _night_below(fact: DecayingFact, now_ms: int, days: int, rules: DecayRules) -> int:
    """Return the first night with a fact below the threshold, else ``days + 1``."""
    if fact.left(now_ms + days * DAY_MS) >= rules.threshold:
        return days + 1
    if fact.left(now_ms) < rules.threshold or fact.rate <= 0:
        return 0
    after = math.log(fact.confidence / rules.threshold) / fact.rate - (now_ms - fact.since_ms) / DAY_MS
    day = min(max(math.floor(after), 0), days)
    while fact.left(now_ms + day * DAY_MS) >= rules.threshold:
        day += 1
    return day
