"""Growth of the vault: new rows and bytes month by month, and a projection."""

from datetime import UTC, datetime
from typing import Final

import apsw

from app.core.clock import DAY_MS
from app.upkeep.health import repo
from app.upkeep.health.model import Growth, MonthGrowth
from app.upkeep.health.survey import Survey

_MONTHS: Final = 12
_RECENT: Final = 3


def measure(connection: apsw.Connection, survey: Survey) -> Growth:
    """Return how the vault grew.

    A row counts with its share of the database, so the bytes are an estimate.

    Args:
        connection: Any connection.
        survey: The memories by month.
    """
    messages = repo.messages_by_month(connection, survey.now_ms - 400 * DAY_MS, survey.now_ms)
    size, total = repo.size(connection)
    each = size / max(total + survey.total, 1)
    names = sorted(messages.keys() | survey.months.keys(), reverse=True)[:_MONTHS]
    months = [
        MonthGrowth(name, survey.months[name], messages.get(name, 0), _bytes(each, survey.months[name], messages, name))
        for name in names
    ]
    whole = _whole_months(survey.now_ms)
    rows = sum(survey.months[name] + messages.get(name, 0) for name in whole) / len(whole)
    monthly = round(rows * each)
    return Growth(tuple(months), round(rows), monthly, size, size + _MONTHS * monthly)


def _bytes(each: float, memories: int, messages: dict[str, int], month: str) -> int:
    return round(each * (memories + messages.get(month, 0)))


def _whole_months(now_ms: int) -> list[str]:
    """Return the last whole months before a time."""
    now = datetime.fromtimestamp(now_ms / 1000, UTC)
    month = now.year * 12 + now.month - 1
    return [f"{number // 12:04}-{number % 12 + 1:02}" for number in range(month - _RECENT, month)]
