"""Cadences in the person's language."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from ui.models.dates import format_number, full_date

if TYPE_CHECKING:
    from app.schedule.model import Cadence

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400


def cadence_words(cadence: "Cadence", text: str) -> str:
    """Return a cadence in words.

    Args:
        cadence: The cadence.
        text: The engine's words, which are kept for a cron expression.
    """
    if cadence.kind == "once" and cadence.at is not None:
        return QCoreApplication.translate("Schedule", "Once, on {when}").format(when=full_date(cadence.at))
    if cadence.kind == "interval" and cadence.seconds:
        return _interval_words(cadence.seconds)
    return text


def _interval_words(seconds: float) -> str:
    translate = QCoreApplication.translate
    if seconds % _DAY == 0:
        count = round(seconds / _DAY)
        words = translate("Schedule", "Every day") if count == 1 else translate("Schedule", "Every {n} days")
    elif seconds % _HOUR == 0:
        count = round(seconds / _HOUR)
        words = translate("Schedule", "Every hour") if count == 1 else translate("Schedule", "Every {n} hours")
    elif seconds % _MINUTE == 0:
        count = round(seconds / _MINUTE)
        words = translate("Schedule", "Every minute") if count == 1 else translate("Schedule", "Every {n} minutes")
    else:
        count, words = round(seconds), translate("Schedule", "Every {n} seconds")
    return words.format(n=format_number(count))
