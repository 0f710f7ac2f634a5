"""Times as a person reads them, in their zone and language."""

from datetime import date, datetime, timedelta

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QDate, QDateTime, QLocale, QTimeZone

_LARGEST_OF_QT = 2**63 - 1
_FORMS = (
    QT_TRANSLATE_NOOP("DateForms", "d"),
    QT_TRANSLATE_NOOP("DateForms", "d MMM"),
    QT_TRANSLATE_NOOP("DateForms", "d MMM yyyy"),
    QT_TRANSLATE_NOOP("DateForms", "d MMMM yyyy"),
    QT_TRANSLATE_NOOP("DateForms", "d MMMM yyyy, HH:mm"),
    QT_TRANSLATE_NOOP("DateForms", "dddd, d MMMM"),
    QT_TRANSLATE_NOOP("DateForms", "dddd, d MMMM yyyy"),
    QT_TRANSLATE_NOOP("DateForms", "ddd d MMM"),
    QT_TRANSLATE_NOOP("DateForms", "MMM"),
    QT_TRANSLATE_NOOP("DateForms", "MMM yyyy"),
    QT_TRANSLATE_NOOP("DateForms", "MMMM yyyy"),
    QT_TRANSLATE_NOOP("DateForms", "yyyy"),
)


def date_words(moment: QDate | QDateTime, form: str) -> str:
    """Return a date as the person's language writes it.

    Args:
        moment: The date.
        form: One of Qt's forms of dates that are listed here; a translation may order and punctuate it differently.
    """
    return QLocale().toString(moment, QCoreApplication.translate("DateForms", form))


def local(moment: datetime) -> QDateTime:
    """Return ``moment`` in the person's zone."""
    stamp = round(moment.timestamp() * 1000)
    return QDateTime.fromMSecsSinceEpoch(stamp, QTimeZone.systemTimeZone())


def day_of(moment: datetime) -> date:
    """Return the calendar day of ``moment`` in the person's zone."""
    return moment.astimezone().date()


def short_date(moment: datetime, now: datetime) -> str:
    """Return a short date.

    It is the time for today, the weekday for this week, day and month for this year, else month and year.
    """
    there, locale = local(moment), QLocale()
    days = (day_of(now) - day_of(moment)).days
    if days == 0:
        return locale.toString(there.time(), QLocale.FormatType.ShortFormat)
    if days == 1:
        return QCoreApplication.translate("Dates", "Yesterday")
    if 0 < days < 7:  # noqa: PLR2004  (a week)
        return locale.dayName(there.date().dayOfWeek(), QLocale.FormatType.ShortFormat)
    if moment.astimezone().year == now.astimezone().year:
        return date_words(there.date(), "d MMM")
    return date_words(there.date(), "d MMM yyyy")


def full_date(moment: datetime) -> str:
    """Return day and time in full, for tooltips and readers of one thing."""
    return date_words(local(moment), "d MMMM yyyy, HH:mm")


def short_span(first: datetime, last: datetime, now: datetime) -> str:
    """Return the short dates from ``first`` to ``last``.

    Within one day it is the same as ``short_date``.
    """
    if day_of(first) == day_of(last):
        return short_date(last, now)
    begun, ended = local(first), local(last)
    if (begun.date().year(), begun.date().month()) == (ended.date().year(), ended.date().month()):
        begin = date_words(begun.date(), "d")
    else:
        begin = date_words(begun.date(), "d MMM" if begun.date().year() == ended.date().year() else "d MMM yyyy")
    end = "d MMM" if last.astimezone().year == now.astimezone().year else "d MMM yyyy"
    return f"{begin} – {date_words(ended.date(), end)}"


def full_span(first: datetime, last: datetime) -> str:
    """Return day and time of ``first``, and the day of ``last`` where it is another."""
    if day_of(first) == day_of(last):
        return full_date(first)
    begin, end = (date_words(local(moment), "d MMMM yyyy") for moment in (first, last))
    return f"{begin} – {end}"


def clock_time(moment: datetime) -> str:
    """Return the time of day."""
    return QLocale().toString(local(moment).time(), QLocale.FormatType.ShortFormat)


def day_heading(day: date, today: date) -> str:
    """Return a day as a separator names it."""
    if day == today:
        return QCoreApplication.translate("Dates", "Today")
    if day == today - timedelta(days=1):
        return QCoreApplication.translate("Dates", "Yesterday")
    form = "dddd, d MMMM" if day.year == today.year else "dddd, d MMMM yyyy"
    return date_words(QDate(day.year, day.month, day.day), form)


def counted(count: int, single: str, many: str) -> str:
    """Return ``single`` for a single thing, else ``many`` with the number for ``{n}``.

    Other fields stay.
    """
    return single if count == 1 else many.replace("{n}", format_number(count))


def format_number(count: int) -> str:
    """Return ``count`` with the person's thousands separators.

    They are commas where the system names no language.
    """
    locale = QLocale()
    if locale.language() == QLocale.Language.C or abs(count) > _LARGEST_OF_QT:
        return f"{count:,}"
    return locale.toString(count)
