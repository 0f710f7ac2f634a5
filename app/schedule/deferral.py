"""Deferral of due work: typing, battery, metered connection. Pure functions."""

from datetime import timedelta
from typing import Final

from app.schedule.power import PowerState
from app.sentence import Sentence, as_sentence, counted_sentence

MAX_QUIET: Final = timedelta(hours=1)
MAX_ON_BATTERY: Final = timedelta(days=1)
MAX_METERED: Final = timedelta(days=1)
FULL_PERCENT: Final = 95
LOW_PERCENT: Final = 20

TYPING: Final = Sentence("you are typing")
ON_BATTERY: Final = Sentence("on battery")
LOW_BATTERY: Final = Sentence("the battery is low")
METERED: Final = Sentence("the connection is metered")


def reason_to_wait(waited: timedelta, power: PowerState, *, is_typing: bool, waits_on_battery: bool) -> str:
    """Return why heavy work should wait, ``""`` when it should not.

    Args:
        waited: How long it has been due.
        power: The power supply.
        is_typing: Whether the person types at the moment.
        waits_on_battery: Whether the settings want it to wait for mains power.
    """
    if is_typing and waited <= MAX_QUIET:
        return TYPING
    if not waits_on_battery or not power.is_on_battery:
        return ""
    if power.percent is not None and power.percent < LOW_PERCENT:
        return LOW_BATTERY
    if power.percent is not None and power.percent >= FULL_PERCENT:
        return ""
    return ON_BATTERY if waited <= MAX_ON_BATTERY else ""


def waited_sentence(waited: timedelta, reason: str) -> str:
    """Return how long work waited and why: ``Waited 40 minutes: on battery.``."""
    minutes, why = max(1, round(waited.total_seconds() / 60)), as_sentence(reason)
    if minutes < 120:  # noqa: PLR2004
        return counted_sentence(minutes, "Waited 1 minute: {why}.", "Waited {count} minutes: {why}.", why=why)
    return Sentence("Waited {count} hours: {why}.", count=round(minutes / 60), why=why)
