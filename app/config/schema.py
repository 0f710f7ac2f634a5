"""Every setting, declared once. Dialog, check, command line and reference are made from this table.

A setting is a row of ``app/config/sections/<group>.py``, in the tuple of its section; a new section gets a tuple there
and a line in ``SETTINGS`` here. What one setting demands of another is a rule of ``app/config/rules.py``.
"""

from difflib import get_close_matches

from app.config.sections.agents import AGENTS, LEDGER
from app.config.sections.encryption import ENCRYPTION
from app.config.sections.llm import LLM
from app.config.sections.memories import CAPTURE, CONTEXT, MEMORIES, NER
from app.config.sections.schedules import GOALS, SCHEDULE
from app.config.sections.search import EMBEDDING, INDEX, RECIPES, SEARCH
from app.config.sections.sessions import SESSIONS
from app.config.sections.upkeep import CONSOLIDATION, DECAY, ENRICHMENT, HOUSEKEEPING, REFLECTION, RETENTION
from app.config.sections.vault import BACKUP, STORE, TRACE
from app.config.sections.window import WINDOW
from app.config.setting import Setting, SettingType, Value
from app.errors import InputError
from app.sentence import Sentence

__all__ = ["BY_NAME", "BY_OLD_NAME", "RECIPES", "SETTINGS", "Setting", "SettingType", "Value", "nearest", "setting"]

_LONGEST_NAME = 80
_ALIKE = 0.7

SETTINGS: tuple[Setting, ...] = (
    *ENCRYPTION,
    *WINDOW,
    *SEARCH,
    *EMBEDDING,
    *INDEX,
    *STORE,
    *SESSIONS,
    *AGENTS,
    *LEDGER,
    *MEMORIES,
    *CONTEXT,
    *CAPTURE,
    *NER,
    *LLM,
    *CONSOLIDATION,
    *ENRICHMENT,
    *REFLECTION,
    *DECAY,
    *RETENTION,
    *SCHEDULE,
    *GOALS,
    *HOUSEKEEPING,
    *BACKUP,
    *TRACE,
)

BY_NAME: dict[str, Setting] = {setting.name: setting for setting in SETTINGS}
BY_OLD_NAME: dict[str, Setting] = {old: setting for setting in SETTINGS for old in setting.old_names}


def setting(name: str) -> Setting:
    """Return the declaration of a setting by its current or an old name.

    The name without its section will do where no other section has it.

    Raises:
        InputError: There is no such setting.
    """
    declaration = BY_NAME.get(name) or BY_OLD_NAME.get(name) or _by_short_name(name)
    if declaration is None:
        near = nearest(name)
        hint = f" Did you mean '{near}'?" if near else ""
        raise InputError(
            Sentence("There is no setting of that name.{hint} 'keepsake config list' shows them.", hint=hint),
            nearest=near,
        )
    return declaration


def _by_short_name(name: str) -> Setting | None:
    same = [item for full, item in BY_NAME.items() if full.partition(".")[2] == name]
    return same[0] if len(same) == 1 else None


def nearest(name: str) -> str:
    """Return the setting's name that is spelled most like ``name``, or ``""``."""
    return next(iter(get_close_matches(name[:_LONGEST_NAME].lower(), BY_NAME, 1, _ALIKE)), "")
