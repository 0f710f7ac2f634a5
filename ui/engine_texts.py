"""Texts that the engine gives in English and the window shows in the person's language.

These are the names, aims and units of jobs, why names may be merged, the sentences and choices of the settings, what
agents did, the parts of sentences of the history, the names of formats, and all sentences with their
templates, which ``packaging/translations.py`` finds in the sources.
"""

import re
from collections.abc import Iterator

from PySide6.QtCore import QT_TRANSLATE_NOOP

from app.core.declared_operations import declared_operations
from app.errors import KeepsakeError
from app.sentence import Sentence
from ui.models.dates import format_number
from ui.translation import LANGUAGES, translate

CONTEXT = "Engine"

_JOBS = (
    QT_TRANSLATE_NOOP("Engine", "Housekeeping"),
    QT_TRANSLATE_NOOP("Engine", "Keep the database quick, small and sound, and verify the latest backup."),
    QT_TRANSLATE_NOOP("Engine", "Decay"),
    QT_TRANSLATE_NOOP("Engine", "Let facts that are not used lose confidence, and set aside those that faded."),
    QT_TRANSLATE_NOOP("Engine", "Search for names"),
    QT_TRANSLATE_NOOP(
        "Engine",
        "Search texts with few names again, join names of one person, and propose to merge entities that may be one.",
    ),
    QT_TRANSLATE_NOOP("Engine", "Consolidation"),
    QT_TRANSLATE_NOOP("Engine", "Draw lasting facts from conversations that have ended."),
    QT_TRANSLATE_NOOP("Engine", "Retention"),
    QT_TRANSLATE_NOOP("Engine", "Compress similar old observations, archive idle ones, and clean up the archive."),
    QT_TRANSLATE_NOOP("Engine", "Weekly reflection"),
    QT_TRANSLATE_NOOP(
        "Engine",
        "Write the week: people and what changed with them, plans due, open promises, changes of mind, what faded.",
    ),
    QT_TRANSLATE_NOOP("Engine", "Forgetting for ever"),
    QT_TRANSLATE_NOOP("Engine", "Preparing search"),
    QT_TRANSLATE_NOOP("Engine", "Recognising names"),
    QT_TRANSLATE_NOOP("Engine", "Indexing for search by meaning"),
    QT_TRANSLATE_NOOP("Engine", "Reading texts for late interaction"),
    QT_TRANSLATE_NOOP("Engine", "Making a backup"),
    QT_TRANSLATE_NOOP("Engine", "Testing the search"),
    QT_TRANSLATE_NOOP("Engine", "Comparing recipes"),
    QT_TRANSLATE_NOOP("Engine", "Comparing models"),
)
_UNITS = (
    QT_TRANSLATE_NOOP("Engine", "texts"),
    QT_TRANSLATE_NOOP("Engine", "messages"),
    QT_TRANSLATE_NOOP("Engine", "memories"),
    QT_TRANSLATE_NOOP("Engine", "facts"),
    QT_TRANSLATE_NOOP("Engine", "steps"),
    QT_TRANSLATE_NOOP("Engine", "items"),
    QT_TRANSLATE_NOOP("Engine", "rows"),
    QT_TRANSLATE_NOOP("Engine", "copies"),
    QT_TRANSLATE_NOOP("Engine", "turns"),
    QT_TRANSLATE_NOOP("Engine", "questions"),
    QT_TRANSLATE_NOOP("Engine", "queries"),
    QT_TRANSLATE_NOOP("Engine", "changes"),
)
_ONE_OF = {
    "texts": QT_TRANSLATE_NOOP("Engine", "text"),
    "messages": QT_TRANSLATE_NOOP("Engine", "message"),
    "memories": QT_TRANSLATE_NOOP("Engine", "memory"),
    "facts": QT_TRANSLATE_NOOP("Engine", "fact"),
    "steps": QT_TRANSLATE_NOOP("Engine", "step"),
    "items": QT_TRANSLATE_NOOP("Engine", "item"),
    "rows": QT_TRANSLATE_NOOP("Engine", "row"),
    "copies": QT_TRANSLATE_NOOP("Engine", "copy"),
    "turns": QT_TRANSLATE_NOOP("Engine", "turn"),
    "questions": QT_TRANSLATE_NOOP("Engine", "question"),
    "queries": QT_TRANSLATE_NOOP("Engine", "query"),
    "changes": QT_TRANSLATE_NOOP("Engine", "change"),
}
"""Singular of each unit."""
_CONTEXT_PARTS = (
    QT_TRANSLATE_NOOP("Engine", "Latest turns of this conversation"),
    QT_TRANSLATE_NOOP("Engine", "Important turns"),
    QT_TRANSLATE_NOOP("Engine", "Relevant memory"),
    QT_TRANSLATE_NOOP("Engine", "Related turns of other conversations"),
    QT_TRANSLATE_NOOP("Engine", "Weekly insight"),
    QT_TRANSLATE_NOOP("Engine", "Memory index"),
    QT_TRANSLATE_NOOP("Engine", "Recent conversations"),
)
_REMARKS = (
    QT_TRANSLATE_NOOP("Engine", "Nothing is sent: no language model is configured."),
    QT_TRANSLATE_NOOP("Engine", "Texts of every store may be sent, to this machine only."),
)
_WITH_NAMES = (
    QT_TRANSLATE_NOOP("Engine", "Goal: {name}"),
    QT_TRANSLATE_NOOP("Engine", "Importing {name}"),
    QT_TRANSLATE_NOOP("Engine", "Exporting to {name}"),
    QT_TRANSLATE_NOOP("Engine", "Fetching {name}"),
    QT_TRANSLATE_NOOP("Engine", "Undoing what {name} wrote"),
    QT_TRANSLATE_NOOP("Engine", "Hiding what {name} wrote"),
    QT_TRANSLATE_NOOP("Engine", "Releasing what {name} wrote"),
    QT_TRANSLATE_NOOP("Engine", "Preparing search by meaning with {name}"),
    QT_TRANSLATE_NOOP("Engine", "Texts of every store may be sent to {name}, private ones too (llm.send_private)."),
    QT_TRANSLATE_NOOP("Engine", "Texts of the stores shared and social may be sent to {name}; private ones are not."),
)
_REASONS = (
    QT_TRANSLATE_NOOP("Engine", "the names differ only in accents, dots or hyphens"),
    QT_TRANSLATE_NOOP("Engine", "the names differ only in a title"),
    QT_TRANSLATE_NOOP("Engine", "the same words in another order"),
    QT_TRANSLATE_NOOP("Engine", "the names differ only in words such as Inc. or The"),
    QT_TRANSLATE_NOOP("Engine", "one name has a middle name or initial more"),
    QT_TRANSLATE_NOOP("Engine", "one name has an initial for the first name of the other"),
    QT_TRANSLATE_NOOP("Engine", "the names differ in one letter"),
    QT_TRANSLATE_NOOP("Engine", "one name is made of the first letters of the other"),
    QT_TRANSLATE_NOOP("Engine", "one name is part of the other, and both are mentioned in one conversation"),
)
_MERGE = QT_TRANSLATE_NOOP("Engine", "“{other}” may be “{into}”: {reason}.")
_MERGE_PATTERN = re.compile("“(?P<other>.+)” may be “(?P<into>.+)”: (?P<reason>.+)[.]", re.DOTALL)
_KINDS = (
    QT_TRANSLATE_NOOP("Engine", "person"),
    QT_TRANSLATE_NOOP("Engine", "organization"),
    QT_TRANSLATE_NOOP("Engine", "location"),
    QT_TRANSLATE_NOOP("Engine", "project"),
    QT_TRANSLATE_NOOP("Engine", "email"),
    QT_TRANSLATE_NOOP("Engine", "url"),
    QT_TRANSLATE_NOOP("Engine", "date"),
    QT_TRANSLATE_NOOP("Engine", "hashtag"),
    QT_TRANSLATE_NOOP("Engine", "mention"),
    QT_TRANSLATE_NOOP("Engine", "other"),
    QT_TRANSLATE_NOOP("Engine", "note"),
    QT_TRANSLATE_NOOP("Engine", "fact"),
    QT_TRANSLATE_NOOP("Engine", "observation"),
    QT_TRANSLATE_NOOP("Engine", "reflection"),
    QT_TRANSLATE_NOOP("Engine", "digest"),
    QT_TRANSLATE_NOOP("Engine", "memory"),
)
_KIND_FIELDS = frozenset({"kind", "type", "wanted"})
"""Fields of sentences in which the engine writes kinds of memories and types of names."""
_SYSTEM_REASONS = (
    QT_TRANSLATE_NOOP("Engine", "Permission denied"),
    QT_TRANSLATE_NOOP("Engine", "Operation not permitted"),
    QT_TRANSLATE_NOOP("Engine", "No such file or directory"),
    QT_TRANSLATE_NOOP("Engine", "Input/output error"),
    QT_TRANSLATE_NOOP("Engine", "Read-only file system"),
    QT_TRANSLATE_NOOP("Engine", "No space left on device"),
    QT_TRANSLATE_NOOP("Engine", "Disk quota exceeded"),
    QT_TRANSLATE_NOOP("Engine", "Is a directory"),
    QT_TRANSLATE_NOOP("Engine", "Not a directory"),
    QT_TRANSLATE_NOOP("Engine", "File exists"),
    QT_TRANSLATE_NOOP("Engine", "File name too long"),
    QT_TRANSLATE_NOOP("Engine", "Too many levels of symbolic links"),
    QT_TRANSLATE_NOOP("Engine", "Device or resource busy"),
)
"""Messages of the operating system about files, in English where it has no other language."""
_TRANSLATED_FIELDS = _KIND_FIELDS | {"reason", "strerror"}
"""Fields of sentences that hold words of the engine or the system, and no names."""
_CHOICES = {"openai-compatible": "OpenAI-compatible", "rrf": "RRF", **LANGUAGES}
"""Choices that are not words of English."""


def engine_text(text: str) -> str:
    """Return a text of the engine in the person's language, where it is translated."""
    if isinstance(text, Sentence) and text.values:
        return sentence_text(text)
    for pattern in map(str, _WITH_NAMES):
        opening, _, ending = pattern.partition("{name}")
        if len(text) > len(opening) + len(ending) and text.startswith(opening) and text.endswith(ending):
            name = text[len(opening) : len(text) - len(ending)]
            return translate("Engine", pattern).format(name=name)
    return translate("Engine", text) if text else ""


def engine_report(text: str) -> str:
    """Return what a run, a plan or a note says, in the person's language.

    What a model or an agent wrote stays as it is.
    """
    if isinstance(text, Sentence):
        return sentence_text(text)
    return translate("Engine", text) if text else ""


def error_text(error: KeepsakeError) -> str:
    """Return what an error says, in the person's language, with what helps in the window."""
    # Where it is not the database, the error's own sentence says what is damaged.
    if error.code == "vault_damaged" and "state" not in error.data:
        return translate(
            "Errors",
            "Your memories are damaged on the disk. “Check now” on the Status page says how far; Settings, Backups, "
            "brings an earlier copy back.",
        )
    return sentence_text(error.sentence)


def sentence_text(sentence: Sentence) -> str:
    """Return a sentence of the engine in the person's language, with its values."""
    values = {name: _value_text(name, value) for name, value in sentence.values.items()}
    text = engine_text(sentence.template)
    return text.format(**values) if values else text


def _value_text(name: str, value: object) -> str:
    if isinstance(value, Sentence):
        return sentence_text(value)
    if type(value) is int:
        return format_number(value)
    return engine_text(str(value)) if name in _TRANSLATED_FIELDS else str(value)


def unit_text(unit: str, count: float) -> str:
    """Return what ``count`` of a job's unit are called in the person's language."""
    return engine_text(str(_ONE_OF.get(unit, unit)) if count == 1 else unit)


def merged_names(text: str) -> dict[str, str] | None:
    """Return the two names of a merge by ``other`` and ``into``, ``None`` for other texts."""
    match = _MERGE_PATTERN.fullmatch(text)
    return None if match is None else {"other": match["other"], "into": match["into"]}


def merge_reason(text: str) -> str:
    """Return why the engine would merge two names, in the person's language.

    Other texts are returned as they are.
    """
    match = _MERGE_PATTERN.fullmatch(text)
    if match is None or match["reason"] not in map(str, _REASONS):
        return text
    fields = match.groupdict() | {"reason": translate("Engine", match["reason"])}
    return translate("Engine", str(_MERGE)).format(**fields)


def choice_title(value: str) -> str:
    """Return what a choice of a setting is called."""
    return _CHOICES.get(value) or translate("Engine", value.capitalize())


def texts() -> Iterator[str]:
    """Return the texts of settings, history and operations; Qt's tools find the others here."""
    # The window needs none of them at its start.
    from app.config.schema import SETTINGS  # noqa: PLC0415
    from app.history.acts.model import texts as act_texts  # noqa: PLC0415
    from ui.dialogs.settings.sections import HIDDEN, is_common, readable_name  # noqa: PLC0415

    declared = declared_operations()
    yield from (seen := dict.fromkeys([*act_texts(), *declared.sentences.values(), *declared.formats.values()]))
    for item in SETTINGS:
        titles = [choice.capitalize() for choice in item.choices if choice not in _CHOICES]
        names = [] if is_common(item.name) or item.name in HIDDEN else [readable_name(item.name)]
        for text in (*names, item.description, *titles):
            if text not in seen:
                seen[text] = None
                yield text
