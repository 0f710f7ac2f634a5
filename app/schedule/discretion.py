"""Sentences about schedules without the names of the person's machines."""

from dataclasses import replace
from typing import Final, TypeVar

from app.schedule.model import Schedule, ScheduleRun
from app.sentence import Sentence

_UNNAMED: Final = {
    "It began on {machine}, which was not heard of since.": Sentence(
        "It began on another of your machines, which was not heard of since."
    ),
    "It ran on {machine}.": Sentence("Another of your machines ran it."),
    "It was the turn of {machine}.": Sentence("It was the turn of another of your machines."),
    "Waits: it is the turn of {machine}.": Sentence("Waits: it is the turn of another of your machines."),
    "Waits until your other machines can be asked. {reason}": Sentence("Waits until your other machines can be asked."),
    "Your other machines could not be asked. {reason}": Sentence("Your other machines could not be asked."),
}
"""Sentences without names, by the template of those with names."""

T = TypeVar("T", Schedule, ScheduleRun)


def without_machines(text: str) -> str:
    """Return a sentence without names of machines and of the place where they meet."""
    if not isinstance(text, Sentence):
        return text
    if (unnamed := _UNNAMED.get(text.template)) is not None:
        return unnamed
    values = {name: without_machines(value) if isinstance(value, str) else value for name, value in text.values.items()}
    return Sentence(text.template, **values)


def as_seen(item: T, *, names_machines: bool) -> T:
    """Return a schedule or run as its reader may see it.

    Args:
        item: The schedule or run.
        names_machines: Whether the reader may learn the names of the person's machines.
    """
    if names_machines:
        return item
    if isinstance(item, Schedule):
        return replace(item, waits=without_machines(item.waits), machine="")
    return replace(item, output=without_machines(item.output), output_summary=without_machines(item.output_summary))
