"""Labels of schedules and runs: states, times and durations in words."""

from datetime import date, datetime
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QDate, QDateTime, QLocale, QTime, QTimeZone

from ui.engine_texts import engine_report, engine_text, merge_reason
from ui.models.cards import Badge, Tone
from ui.models.dates import date_words, short_date

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.schedule.model import Schedule

_STATES: dict[str, tuple[object, Tone, str]] = {
    "planned": (QT_TRANSLATE_NOOP("Schedule", "Planned"), "quiet", "clock"),
    "succeeded": (QT_TRANSLATE_NOOP("Schedule", "Done"), "good", "circle-check"),
    "failed": (QT_TRANSLATE_NOOP("Schedule", "Failed"), "bad", "circle-alert"),
    "skipped": (QT_TRANSLATE_NOOP("Schedule", "Missed"), "warn", "triangle-alert"),
    "interrupted": (QT_TRANSLATE_NOOP("Schedule", "Interrupted"), "warn", "triangle-alert"),
}
_MINUTE, _HOUR = 60, 3600


def state_badge(state: str) -> Badge:
    """Return the badge of a run's state."""
    text, tone, icon = _STATES.get(state, (state, "quiet", "info"))
    return Badge(QCoreApplication.translate("Schedule", str(text)), tone, icon)


def schedule_title(schedule: "Schedule") -> str:
    """Return what a person calls a schedule.

    Two built-in ones run the same job at different times.
    """
    if schedule.is_built_in and schedule.name == "Consolidation":
        if schedule.cadence.kind == "interval":
            return QCoreApplication.translate("Schedule", "Consolidation when a conversation has ended")
        return QCoreApplication.translate("Schedule", "Consolidation every night")
    return engine_text(schedule.name)


def zone_words(zone: str, moments: "Sequence[datetime]") -> str:
    """Return what a zone is called, ``""`` where its clocks show the person's own time.

    Args:
        zone: Its name, such as ``Europe/Berlin``.
        moments: Times in that zone.
    """
    if all(moment.utcoffset() == moment.astimezone().utcoffset() for moment in moments):
        return ""
    return "UTC" if zone in ("UTC", "Etc/UTC") else zone.rpartition("/")[2].replace("_", " ")


def coming(moment: datetime, now: datetime) -> str:
    """Return when a run will be in the person's zone, such as ``today 14:00``."""
    return coming_there(moment.astimezone(), now)


def coming_there(moment: datetime, now: datetime) -> str:
    """Return when a run will be in the zone of ``moment``; see ``coming``."""
    there, locale = (
        QDateTime(QDate(moment.year, moment.month, moment.day), QTime(moment.hour, moment.minute)),
        QLocale(),
    )
    time = locale.toString(there.time(), QLocale.FormatType.ShortFormat)
    days = (moment.date() - now.astimezone(moment.tzinfo).date()).days
    if days == 0:
        return QCoreApplication.translate("Schedule", "today {time}").format(time=time)
    if days == 1:
        return QCoreApplication.translate("Schedule", "tomorrow {time}").format(time=time)
    if 0 < days < 7:  # noqa: PLR2004  (a week)
        return f"{locale.dayName(there.date().dayOfWeek(), QLocale.FormatType.ShortFormat)} {time}"
    return f"{date_words(there.date(), 'd MMM yyyy')} {time}"


def week_words(first: date, last: date) -> str:
    """Return the days of a week, such as ``23 – 29 Nov 2026``."""
    begin, end = (QDate(day.year, day.month, day.day) for day in (first, last))
    form = "d MMM yyyy" if first.year != last.year else "d MMM" if first.month != last.month else "d"
    return f"{date_words(begin, form)} – {date_words(end, 'd MMM yyyy')}"


def local_of(moment: datetime) -> QDateTime:
    """Return an instant in the person's zone."""
    return QDateTime.fromMSecsSinceEpoch(round(moment.timestamp() * 1000), QTimeZone.systemTimeZone())


def next_words(schedule: "Schedule", now: datetime) -> str:
    """Return when a schedule runs next, or why it does not."""
    if schedule.status == "paused":
        return QCoreApplication.translate("Schedule", "Switched off")
    if schedule.status == "completed" or schedule.next_run_at is None:
        return QCoreApplication.translate("Schedule", "Done for good")
    if schedule.next_run_at <= now:
        return QCoreApplication.translate("Schedule", "Due now")
    return coming(schedule.next_run_at, now)


def last_words(schedule: "Schedule", now: datetime) -> str:
    """Return when the last run began, and how it ended unless well; else empty."""
    if schedule.last_run_at is None:
        return ""
    when = short_date(schedule.last_run_at, now)
    if schedule.last_run_status == "succeeded":
        return when  # what it did may be undone since; only that it ran stays true
    return f"{state_badge(schedule.last_run_status or '').text} · {when}"


def duration(seconds: float) -> str:
    """Return how long something took."""
    if seconds < 1:
        return QCoreApplication.translate("Schedule", "under a second")
    if seconds < _MINUTE:
        return QCoreApplication.translate("Schedule", "{n} s").format(n=round(seconds))
    if seconds < _HOUR:
        return QCoreApplication.translate("Schedule", "{n} min").format(n=round(seconds / _MINUTE))
    return QCoreApplication.translate("Schedule", "{n} h").format(n=f"{seconds / _HOUR:.1f}")


class ScheduleChange(Protocol):
    """Change of one thing, made or planned."""

    @property
    def id(self) -> str:
        """Return the id of what changes."""

    @property
    def title(self) -> str:
        """Return its title or first words."""

    @property
    def detail(self) -> str:
        """Return what becomes of it, in a few words."""


def change_words(change: ScheduleChange) -> str:
    """Return what a run did, or would do, to one thing."""
    title = change.title or change.id
    return f"{title} — {merge_reason(engine_report(change.detail))}" if change.detail else title
