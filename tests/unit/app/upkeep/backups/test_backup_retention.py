"""Retention of backups: newest, manual, daily, weekly and monthly ones."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from app.upkeep.backups.backup_retention import Keep, backups_to_remove, is_due
from app.upkeep.model import BackupInfo

NOW = datetime(2026, 11, 21, 3, 30, tzinfo=UTC)
DEFAULT = Keep(7, 4, 6)
REASONS = ("daily", "manual", "before-migration", "before-import", "before-restore", "unknown")


def backup(when: datetime, reason: str = "daily", *, number: int = 1, is_damaged_original: bool = False) -> BackupInfo:
    name = f"{when:%Y%m%dT%H%M%SZ}-{reason}-{number}.db"
    return BackupInfo(name, f"/vault/{name}", when, reason, 1, 1, is_damaged_original)


def days_ago(*days: float) -> list[BackupInfo]:
    return [backup(NOW - timedelta(days=day)) for day in days]


def left(backups: list[BackupInfo], keep: Keep = DEFAULT, now: datetime = NOW) -> list[BackupInfo]:
    gone = backups_to_remove(backups, now, keep)
    return [item for item in backups if item not in gone]


AGES = st.floats(-400, 3000).map(lambda days: NOW - timedelta(days=days))
SHELVES = st.lists(
    st.builds(
        lambda when, reason, number, original: backup(when, reason, number=number, is_damaged_original=original),
        AGES,
        st.sampled_from(REASONS),
        st.integers(1, 10_000),
        st.booleans(),
    ),
    max_size=60,
    unique_by=lambda item: item.name,
)
KEEPS = st.builds(Keep, st.integers(1, 10), st.integers(0, 10), st.integers(0, 10))


@given(SHELVES, KEEPS)
def test_what_always_stays(backups: list[BackupInfo], keep: Keep) -> None:
    gone = backups_to_remove(backups, NOW, keep)
    assert len({item.name for item in gone}) == len(gone)
    for item in gone:
        assert item.reason not in {"manual", "unknown"}
        assert not item.is_damaged_original
        assert item.reason == "daily" or NOW - item.created_at > timedelta(days=30)
        assert item.created_at <= NOW
    past = [
        item for item in backups if item.reason == "daily" and item.created_at <= NOW and not item.is_damaged_original
    ]
    if past:
        newest = max(past, key=lambda item: (item.created_at, item.name))
        assert newest not in gone or any(
            other.created_at >= newest.created_at and other not in gone for other in backups if other != newest
        )


@given(SHELVES, KEEPS)
def test_thinning_twice_takes_nothing_more(backups: list[BackupInfo], keep: Keep) -> None:
    assert backups_to_remove(left(backups, keep), NOW, keep) == []


@given(SHELVES, KEEPS)
def test_no_more_stay_than_there_are_slots(backups: list[BackupInfo], keep: Keep) -> None:
    stay = [item for item in left(backups, keep) if item.reason == "daily" and item.created_at <= NOW]
    stay = [item for item in stay if not item.is_damaged_original]
    assert len(stay) <= keep.daily + keep.weekly + keep.monthly


@given(SHELVES, AGES)
def test_the_order_of_the_list_does_not_matter(backups: list[BackupInfo], now: datetime) -> None:
    assert backups_to_remove(backups, now, DEFAULT) == backups_to_remove(backups[::-1], now, DEFAULT)


def test_a_year_of_days() -> None:
    backups: list[BackupInfo] = []
    for day in range(365):
        now = NOW + timedelta(days=day)
        backups.append(backup(now))
        backups = left(backups, now=now)
    last = NOW + timedelta(days=364)
    ages = sorted((last - item.created_at).days for item in backups)
    assert ages[:7] == [0, 1, 2, 3, 4, 5, 6]
    assert ages[-1] > 120
    assert len(backups) <= 17


def test_a_machine_that_slept_keeps_what_it_had() -> None:
    backups = days_ago(800, 801, 802, 0)
    assert left(backups) == backups


def test_stamps_of_a_clock_set_wrong_take_no_slots() -> None:
    future = [backup(NOW + timedelta(days=day)) for day in range(1, 20)]
    today = days_ago(0, 1)
    assert left(future + today) == future + today


def test_when_a_backup_is_due() -> None:
    assert not is_due([], None, NOW)
    assert not is_due([], NOW - timedelta(hours=23), NOW)
    assert is_due([], NOW - timedelta(hours=24), NOW)
    assert not is_due(days_ago(0.9, 5), NOW - timedelta(days=9), NOW)
    assert is_due(days_ago(1, 5), NOW - timedelta(days=9), NOW)
    assert is_due([backup(NOW, is_damaged_original=True)], NOW - timedelta(days=9), NOW)


@given(st.lists(AGES, max_size=8), AGES, st.lists(st.floats(-40, 40), min_size=1, max_size=30))
def test_a_clock_that_jumps_neither_stops_backups_nor_storms(
    made: list[datetime], since: datetime, jumps: list[float]
) -> None:
    backups, now = [backup(when) for when in made], NOW
    for jump in jumps:
        now += timedelta(days=jump)
        if is_due(backups, since, now):
            backups.append(backup(now, number=len(backups)))
        assert not is_due(backups, since, now), "a storm"
        assert is_due(backups, since, now + timedelta(days=1)) or any(
            now < item.created_at <= now + timedelta(days=1) for item in backups
        ), "stopped"
        # A full day later one is due, unless one of that day is there.
        assert not any(item.created_at > now for item in backups) or is_due(
            backups, since, now + timedelta(days=10_000)
        )
