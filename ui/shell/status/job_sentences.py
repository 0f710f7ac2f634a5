"""Sentences about work under way, for the status line and the tray."""

from PySide6.QtCore import QT_TRANSLATE_NOOP

from ui.engine_texts import engine_text
from ui.translation import translate

_SENTENCES = {
    "Housekeeping": QT_TRANSLATE_NOOP("Activity", "Tidying the database and checking the latest backup"),
    "Decay": QT_TRANSLATE_NOOP("Activity", "Letting facts that nobody used fade a little"),
    "Search for names": QT_TRANSLATE_NOOP("Activity", "Looking again for names in texts that have few"),
    "Consolidation": QT_TRANSLATE_NOOP("Activity", "Drawing facts from conversations that have ended"),
    "Retention": QT_TRANSLATE_NOOP("Activity", "Condensing and archiving old observations"),
    "Weekly reflection": QT_TRANSLATE_NOOP("Activity", "Writing down what the week brought"),
    "Forgetting for ever": QT_TRANSLATE_NOOP("Activity", "Removing what is to be forgotten for ever"),
    "Preparing search": QT_TRANSLATE_NOOP("Activity", "Getting search ready"),
    "Recognising names": QT_TRANSLATE_NOOP("Activity", "Recognising names in your texts"),
    "Indexing for search by meaning": QT_TRANSLATE_NOOP("Activity", "Indexing your texts for search by meaning"),
}
"""Sentences by the title of a job; any other title is shown as it is."""
_GOAL = "Goal: "


def job_sentence(title: str) -> str:
    """Return what is going on while a job runs.

    Args:
        title: The title of the job, or the name of its schedule.
    """
    if title.startswith(_GOAL):
        return translate("Activity", "Working on the goal ‘{name}’").format(name=title.removeprefix(_GOAL))
    sentence = _SENTENCES.get(title)
    return translate("Activity", str(sentence)) if sentence is not None else engine_text(title)


def followed(doing: str, coming: str) -> str:
    """Return what is going on, and what comes after it.

    Args:
        doing: What is going on, in a sentence without a full stop.
        coming: What is done next by itself and when; ``""`` for nothing.
    """
    return translate("Activity", "{doing} — next: {coming}").format(doing=doing, coming=coming) if coming else doing
