"""Sections of the settings: common ones in plain words, the rest as advanced."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from app.config.schema import BY_NAME
from ui.translation import translate

_ABBREVIATIONS = {"api": "API", "url": "address", "env": "variable", "llm": "LLM", "mb": "MB", "rrf": "RRF"}
HIDDEN = frozenset({"window.shortcuts"})
"""Settings with an editor of their own."""


@dataclass(frozen=True, slots=True)
class SectionSpec:
    """One section.

    Args:
        id: Its name.
        title: Its title in English, marked for translation.
        icon: Its icon.
        about: What it is about, in a sentence.
        common: What people change: settings with their titles, in order.
        prefixes: Beginnings of the names of all other settings that belong here, which are advanced.
        keywords: Further words that the palette finds it by.
    """

    id: str
    title: object
    icon: str
    about: object
    common: tuple[tuple[str, object], ...] = ()
    prefixes: tuple[str, ...] = ()
    keywords: str = ""

    @property
    def shown_title(self) -> str:
        """Its title in the person's language."""
        return _translated(self.title)

    @property
    def shown_about(self) -> str:
        """Its sentence in the person's language."""
        return _translated(self.about)


SECTIONS: tuple[SectionSpec, ...] = (
    SectionSpec(
        "appearance",
        QT_TRANSLATE_NOOP("Settings", "Appearance"),
        "palette",
        QT_TRANSLATE_NOOP("Settings", "Changes show at once, in the whole window."),
        (
            ("window.theme", QT_TRANSLATE_NOOP("Settings", "Colours")),
            ("window.language", QT_TRANSLATE_NOOP("Settings", "Language")),
            ("window.contrast", QT_TRANSLATE_NOOP("Settings", "Contrast")),
            ("window.scale", QT_TRANSLATE_NOOP("Settings", "Size of text")),
            ("window.reduced_motion", QT_TRANSLATE_NOOP("Settings", "Reduced motion")),
            ("window.hints", QT_TRANSLATE_NOOP("Settings", "Hints while you write")),
            ("window.close_to_tray", QT_TRANSLATE_NOOP("Settings", "Keep running when the window is closed")),
        ),
        ("window.",),
        "language contrast colours theme text size motion",
    ),
    SectionSpec(
        "desktop",
        QT_TRANSLATE_NOOP("Settings", "Desktop"),
        "monitor",
        QT_TRANSLATE_NOOP("Settings", "How Keepsake fits into this computer."),
        (("window.global_shortcut", QT_TRANSLATE_NOOP("Settings", "Quick capture from anywhere")),),
    ),
    SectionSpec(
        "llm",
        QT_TRANSLATE_NOOP("Settings", "Language model"),
        "sparkles",
        QT_TRANSLATE_NOOP("Settings", "Optional: it summarises, finds facts and pursues goals."),
        (
            ("llm.provider", QT_TRANSLATE_NOOP("Settings", "Service")),
            ("llm.base_url", QT_TRANSLATE_NOOP("Settings", "Address")),
            ("llm.model", QT_TRANSLATE_NOOP("Settings", "Model")),
            ("llm.monthly_cap", QT_TRANSLATE_NOOP("Settings", "Most it may cost in a month")),
            ("llm.input_price", QT_TRANSLATE_NOOP("Settings", "Price of what it reads")),
            ("llm.output_price", QT_TRANSLATE_NOOP("Settings", "Price of what it writes")),
        ),
        ("llm.",),
        "llm ollama openai anthropic key cost",
    ),
    SectionSpec(
        "search",
        QT_TRANSLATE_NOOP("Settings", "Search"),
        "search",
        QT_TRANSLATE_NOOP("Settings", "How texts are found by their words and by their meaning."),
        (("search.limit", QT_TRANSLATE_NOOP("Settings", "Results shown at once")),),
        ("search.", "embedding.", "index."),
    ),
    SectionSpec(
        "privacy",
        QT_TRANSLATE_NOOP("Settings", "Privacy"),
        "lock",
        QT_TRANSLATE_NOOP("Settings", "What may leave this computer, what is taken in, and what is recorded."),
        (
            ("llm.send_private", QT_TRANSLATE_NOOP("Settings", "Private texts may go to a language model elsewhere")),
            ("embedding.allow_download", QT_TRANSLATE_NOOP("Settings", "Search models may be downloaded")),
            ("capture.notes_folder", QT_TRANSLATE_NOOP("Settings", "Follow a folder of Markdown notes")),
            ("capture.notes_folder_mode", QT_TRANSLATE_NOOP("Settings", "Read that folder, or mirror it both ways")),
            ("capture.watch", QT_TRANSLATE_NOOP("Settings", "Follow the conversations of coding agents")),
            ("capture.secrets", QT_TRANSLATE_NOOP("Settings", "Keep passwords and keys found in conversations")),
            ("sessions.excluded_agents", QT_TRANSLATE_NOOP("Settings", "Agents whose conversations are not stored")),
            ("ledger.queries", QT_TRANSLATE_NOOP("Settings", "Record what agents search for")),
            ("ledger.owner", QT_TRANSLATE_NOOP("Settings", "Record your own calls too")),
        ),
        ("ledger.",),
    ),
    SectionSpec(
        "encryption",
        QT_TRANSLATE_NOOP("Settings", "Encryption"),
        "lock",
        QT_TRANSLATE_NOOP("Settings", "A passphrase without which nobody can read your memories on this disk."),
        (("encryption.auto_lock_minutes", QT_TRANSLATE_NOOP("Settings", "Minutes without use until it locks")),),
        ("encryption.",),
        "decrypt passphrase password lock keyring",
    ),
    SectionSpec(
        "devices",
        QT_TRANSLATE_NOOP("Settings", "Several machines"),
        "share-2",
        QT_TRANSLATE_NOOP("Settings", "The same memory on all your machines, without anyone between them."),
        keywords="sync synchronise devices laptop desktop server share syncthing dropbox postgresql",
    ),
    SectionSpec(
        "agents",
        QT_TRANSLATE_NOOP("Settings", "Agents"),
        "bot",
        QT_TRANSLATE_NOOP("Settings", "How much agents may do and are told. Their access is set in the Agents pane."),
        (
            ("agents.isolated", QT_TRANSLATE_NOOP("Settings", "Agents with a vault of their own")),
            ("inbox.days", QT_TRANSLATE_NOOP("Settings", "Days that a proposal waits for you")),
            ("context.total_tokens", QT_TRANSLATE_NOOP("Settings", "Length of what an agent is told, in tokens")),
        ),
        ("agents.", "inbox.", "context."),
    ),
    SectionSpec(
        "memory",
        QT_TRANSLATE_NOOP("Settings", "Memory"),
        "messages-square",
        QT_TRANSLATE_NOOP("Settings", "How conversations are summarised and memories are made of them."),
        (
            ("capture.enabled", QT_TRANSLATE_NOOP("Settings", "Take memories from conversations")),
            ("sessions.summariser", QT_TRANSLATE_NOOP("Settings", "Older messages of a long conversation")),
            ("ner.accurate", QT_TRANSLATE_NOOP("Settings", "Find names more accurately")),
        ),
        ("sessions.", "memories.", "capture.", "ner."),
    ),
    SectionSpec(
        "backups",
        QT_TRANSLATE_NOOP("Settings", "Backups"),
        "hard-drive",
        QT_TRANSLATE_NOOP("Settings", "Copies of all you keep here, in the folder of the vault."),
        (
            ("backup.daily", QT_TRANSLATE_NOOP("Settings", "Back up every day")),
            ("backup.before_import", QT_TRANSLATE_NOOP("Settings", "Back up before each import")),
            ("backup.keep_daily", QT_TRANSLATE_NOOP("Settings", "Daily backups kept")),
            ("backup.keep_weekly", QT_TRANSLATE_NOOP("Settings", "Weekly backups kept")),
            ("backup.keep_monthly", QT_TRANSLATE_NOOP("Settings", "Monthly backups kept")),
        ),
        ("backup.",),
        "restore verify copies",
    ),
    SectionSpec(
        "upkeep",
        QT_TRANSLATE_NOOP("Settings", "Upkeep"),
        "wrench",
        QT_TRANSLATE_NOOP("Settings", "What is done by itself, mostly at night. The Schedule pane shows when."),
        (
            ("consolidation.enabled", QT_TRANSLATE_NOOP("Settings", "Find facts in conversations")),
            ("enrichment.enabled", QT_TRANSLATE_NOOP("Settings", "Find more names and links")),
            ("reflection.enabled", QT_TRANSLATE_NOOP("Settings", "Write a reflection on the week")),
            ("decay.enabled", QT_TRANSLATE_NOOP("Settings", "Let unused facts fade")),
            ("retention.enabled", QT_TRANSLATE_NOOP("Settings", "Condense and archive old observations")),
            ("housekeeping.enabled", QT_TRANSLATE_NOOP("Settings", "Care for the database at night")),
        ),
        ("consolidation.", "enrichment.", "reflection.", "decay.", "retention.", "housekeeping."),
    ),
    SectionSpec(
        "schedule",
        QT_TRANSLATE_NOOP("Settings", "Schedules and goals"),
        "calendar-clock",
        QT_TRANSLATE_NOOP("Settings", "Limits of what runs at set times."),
        (
            ("schedule.on_battery", QT_TRANSLATE_NOOP("Settings", "Heavy work on battery")),
            ("schedule.on_metered", QT_TRANSLATE_NOOP("Settings", "Goals on a connection paid by volume")),
            ("goals.max_cost", QT_TRANSLATE_NOOP("Settings", "Most that one run of a goal may cost")),
            ("goals.time_limit", QT_TRANSLATE_NOOP("Settings", "Seconds that one run of a goal may take")),
        ),
        ("schedule.", "goals."),
    ),
    SectionSpec(
        "shortcuts",
        QT_TRANSLATE_NOOP("Settings", "Keyboard shortcuts"),
        "keyboard",
        QT_TRANSLATE_NOOP("Settings", "Choose a line, then press its new keys."),
    ),
    SectionSpec(
        "diagnostics",
        QT_TRANSLATE_NOOP("Settings", "Diagnostics"),
        "activity",
        QT_TRANSLATE_NOOP("Settings", "For when something is wrong: nothing here shows what you wrote."),
        (("trace.enabled", QT_TRANSLATE_NOOP("Settings", "Keep a log of what Keepsake does")),),
        ("trace.", "store."),
        "log trace integrity debug",
    ),
)
_NAMED = re.compile("['„«“]?\\b([a-z]+[.][a-z_]+)\\b['“»”]?")
_OF_COMMON = {name: section for section in SECTIONS for name, _title in section.common}
_TITLES = dict(chain.from_iterable(section.common for section in SECTIONS))


def section_of(name: str) -> SectionSpec:
    """Return the section of a setting; of one that none claims, the last."""
    section = _OF_COMMON.get(name)
    return section or next(
        (candidate for candidate in SECTIONS if name.startswith(candidate.prefixes or "\0")), SECTIONS[-1]
    )


def is_common(name: str) -> bool:
    """Return whether a setting is one that people change."""
    return name in _OF_COMMON


def title_of(name: str) -> str:
    """Return what a setting is called: in plain words, or its name made readable."""
    if name in _TITLES:
        return _translated(_TITLES[name])
    return translate("Engine", readable_name(name))


def readable_name(name: str) -> str:
    """Return the name of a setting as English words, for one that has no title."""
    section, _, key = name.partition(".")
    prefix = "" if section_of(name).prefixes[:1] == (f"{section}.",) else f"{section} "
    words = f"{prefix}{key}".replace("_", " ").capitalize().split()
    return " ".join(_ABBREVIATIONS.get(word.lower(), word) for word in words)


def in_plain_words(text: str) -> str:
    """Return ``text`` with titles in place of the names of settings."""
    return _NAMED.sub(lambda match: f"‘{title_of(match[1])}’" if match[1] in BY_NAME else match[0], text)


def in_order(names: Iterable[str]) -> list[str]:
    """Return settings by section, the common ones first."""
    places = {name: place for place, name in enumerate(_TITLES)}
    known = [name for name in names if name not in HIDDEN]
    sections = {section.id: place for place, section in enumerate(SECTIONS)}
    return sorted(known, key=lambda name: (sections[section_of(name).id], places.get(name, len(places))))


def _translated(text: object) -> str:
    return QCoreApplication.translate("Settings", str(text))
