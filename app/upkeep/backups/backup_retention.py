"""Retention of backups: a pure plan of the ones to remove."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.upkeep.model import BackupInfo

# Made by themselves before something was changed; after this long they are thinned as the daily ones are.
_BEFORE = frozenset({"before-migration", "before-import", "before-restore"})
_KEPT_BEFORE = timedelta(days=30)
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Keep:
    """Number of daily, weekly and monthly backups to keep (in UTC)."""

    daily: int
    weekly: int
    monthly: int


def backups_to_remove(backups: Iterable[BackupInfo], now: datetime, keep: Keep) -> list[BackupInfo]:
    """Return the backups that may go.

    Those a person asked for, those of unknown origin and damaged originals always stay, as do the newest one and those
    that a clock set wrong has stamped with a time still to come. Slots are counted in days, weeks and months that have
    a backup, never in age: a machine that slept for a year keeps what it had.
    """
    thinned = [item for item in backups if _may_go(item, now)]
    past = sorted((item for item in thinned if item.created_at <= now), key=_order, reverse=True)
    names = {item.name for item in past[:1]}
    for name, slots in ((_day, keep.daily), (_week, keep.weekly), (_month, keep.monthly)):
        names |= _newest_of_each(past, name, slots)
    return [item for item in reversed(past) if item.name not in names]


def is_due(backups: Iterable[BackupInfo], since: datetime | None, now: datetime) -> bool:
    """Return whether a daily backup is due.

    Args:
        backups: What there is; any sound copy counts. Those from a time still to come do not, so that a clock set back
            neither stops backups nor makes one every hour.
        since: When something was first written, ``None`` for an empty vault.
        now: The time.
    """
    past = [item.created_at for item in backups if item.created_at <= now and not item.is_damaged_original]
    last = max(past, default=since)
    if last is None:
        return False
    # What was first written at a time still to come, by a clock set back since, is as good as old.
    return now - last >= _DAY or last > now


def _may_go(item: BackupInfo, now: datetime) -> bool:
    if item.is_damaged_original:
        return False
    return item.reason == "daily" or (item.reason in _BEFORE and now - item.created_at > _KEPT_BEFORE)


def _newest_of_each(
    backups: Sequence[BackupInfo], period: Callable[[datetime], tuple[int, ...]], slots: int
) -> set[str]:
    newest: dict[tuple[int, ...], str] = {}
    for item in backups:
        newest.setdefault(period(item.created_at), item.name)
    return set(list(newest.values())[:slots])


def _order(item: BackupInfo) -> tuple[datetime, str]:
    return item.created_at, item.name


def _day(when: datetime) -> tuple[int, ...]:
    return when.year, when.month, when.day


def _week(when: datetime) -> tuple[int, ...]:
    return when.isocalendar()[:2]


def _month(when: datetime) -> tuple[int, ...]:
    return when.year, when.month
