"""Date facet of notes: spans of days, or one day."""

from datetime import date, datetime, time, timedelta

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QDate

from ui.models.dates import date_words

_LABELS: dict[str, object] = {
    "today": QT_TRANSLATE_NOOP("Dates", "Today"),
    "week": QT_TRANSLATE_NOOP("Dates", "Last 7 days"),
    "month": QT_TRANSLATE_NOOP("Dates", "Last 30 days"),
    "year": QT_TRANSLATE_NOOP("Dates", "This year"),
    "older": QT_TRANSLATE_NOOP("Dates", "Before this year"),
}
SPANS = tuple(_LABELS)
_DAYS = {"today": 1, "week": 7, "month": 30}


def span_label(name: str) -> str:
    """Return what a span, or a day written as ``2026-03-01``, is called."""
    if name in _LABELS:
        return QCoreApplication.translate("Dates", str(_LABELS[name]))
    day = day_named(name)
    return name if day is None else date_words(QDate(day.year, day.month, day.day), "d MMMM yyyy")


def day_named(name: str) -> date | None:
    """Return the day of a value, ``None`` where it is a span or nothing."""
    try:
        return date.fromisoformat(name)
    except ValueError:
        return None


def bounds(name: str, today: date) -> tuple[datetime | None, datetime | None]:
    """Return from when until when something was made, each ``None`` for no bound."""
    if name in _DAYS:
        return _midnight(today - timedelta(days=_DAYS[name] - 1)), None
    if name == "year":
        return _midnight(today.replace(month=1, day=1)), None
    if name == "older":
        return None, _midnight(today.replace(month=1, day=1))
    day = day_named(name)
    return (None, None) if day is None else (_midnight(day), _midnight(day + timedelta(days=1)))


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min).astimezone()
