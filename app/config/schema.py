"""Every setting, declared once. Dialog, check, command line and reference are made from this table."""

from dataclasses import dataclass
from typing import Literal

from app.errors import InputError

Value = str | int | float | bool
_SWITCH_WORDS = dict.fromkeys(("true", "yes", "on", "1"), True) | dict.fromkeys(("false", "no", "off", "0"), False)

SettingType = Literal["str", "int", "float", "bool", "choice"]


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting.

    Args:
        name: ``section.key`` as in ``config.toml``.
        type: How its value is read; ``choice`` is one of ``choices``.
        default: The value when nothing is set.
        help: A sentence for the person.
        minimum: The smallest number allowed.
        maximum: The largest number allowed.
        choices: The allowed values of a choice.
        restart: True when it takes effect at the next start.
    """

    name: str
    type: SettingType
    default: Value
    help: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    restart: bool = False

    def parse(self, value: object) -> Value:
        """Return ``value`` in this setting's type.

        Raises:
            InputError: It is of another type or out of bounds; the sentence says what is allowed.
        """
        if self.type == "bool":
            return self._parse_bool(value)
        if self.type in {"int", "float"}:
            return self._parse_number(value)
        if not isinstance(value, str):
            raise self._refusal(value, "a text")
        if self.type == "choice" and value not in self.choices:
            raise self._refusal(value, "one of " + ", ".join(self.choices))
        if not value.isprintable():
            raise self._refusal(value, "a text on one line, without control characters")
        return value

    def _parse_bool(self, value: object) -> bool:
        if isinstance(value, bool):
            return value
        word = value.strip().lower() if isinstance(value, str) else ""
        if word in _SWITCH_WORDS:
            return _SWITCH_WORDS[word]
        raise self._refusal(value, "true or false")

    def _parse_number(self, value: object) -> int | float:
        wanted = "a whole number" if self.type == "int" else "a number"
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise self._refusal(value, wanted)
        try:
            number: int | float = int(value) if self.type == "int" else float(value)
        except (ValueError, OverflowError) as error:
            raise self._refusal(value, wanted) from error
        low = self.minimum is not None and number < self.minimum
        high = self.maximum is not None and number > self.maximum
        if low or high or number != number or (self.type == "int" and isinstance(value, float) and value != number):  # noqa: PLR0124
            raise self._refusal(value, f"{wanted} from {self.minimum:g} to {self.maximum:g}")
        return number

    def _refusal(self, value: object, allowed: str) -> InputError:
        try:
            shown = repr(value)
        except ValueError:  # Python refuses to write out a number of thousands of digits
            shown = "a number that long"
        shown = shown if len(shown) < 60 else shown[:57] + "…"  # noqa: PLR2004
        return InputError(f"'{self.name}' must be {allowed}, not {shown}.", setting=self.name, allowed=allowed)


RECIPES = ("words", "vector", "weighted", "rrf", "balanced", "learned")

SETTINGS: tuple[Setting, ...] = (
    Setting("window.theme", "choice", "system", "Colours of the window.", choices=("system", "light", "dark")),
    Setting("window.scale", "int", 100, "Size of text and controls, in percent.", minimum=75, maximum=200),
    Setting("window.close_to_tray", "bool", True, "Closing the window keeps Keepsake in the tray, where there is one."),
    Setting("search.recipe", "choice", "learned", "How words and meaning are weighed.", choices=RECIPES),
    Setting("search.limit", "int", 50, "Results shown at once.", minimum=5, maximum=500),
    Setting(
        "embedding.model",
        "str",
        "static",
        "What turns text into vectors: 'static' (built in), 'hashed' (for tests), or 'fastembed:<model name>'.",
        restart=True,
    ),
    Setting(
        "embedding.folder", "str", "", "Folder of an offline fastembed model; empty for its own cache.", restart=True
    ),
    Setting("index.vectors", "bool", True, "Make vectors in the background, for search by meaning.", restart=True),
    Setting("store.read_limit", "float", 10.0, "Seconds after which a read is stopped.", minimum=0.1, maximum=600),
    Setting(
        "sessions.budget",
        "int",
        8000,
        "Tokens of a conversation that agents are given back.",
        minimum=200,
        maximum=900_000,
    ),
    Setting(
        "sessions.max_history", "int", 100, "Turns of a conversation that agents are given.", minimum=1, maximum=100_000
    ),
    Setting(
        "sessions.summariser",
        "choice",
        "condensed",
        "What stands for the older turns of a long conversation: a list of them, cut to a sentence each, or nothing.",
        choices=("condensed", "none"),
    ),
    Setting(
        "sessions.summary_trigger",
        "float",
        0.8,
        "Share of the budget above which older turns are condensed.",
        minimum=0.1,
        maximum=1,
    ),
    Setting(
        "sessions.summary_target",
        "float",
        0.5,
        "Share of the budget that turns take at most once older ones are condensed.",
        minimum=0.05,
        maximum=0.95,
    ),
    Setting(
        "sessions.summary_min_turns", "int", 4, "Turns without which nothing is condensed.", minimum=1, maximum=1000
    ),
    Setting(
        "sessions.retain_recent", "int", 20, "Turns that a compaction leaves as they are.", minimum=0, maximum=10_000
    ),
    Setting("sessions.emergency_retain", "int", 4, "Turns that an emergency leaves.", minimum=0, maximum=10_000),
    Setting(
        "sessions.working_turns",
        "int",
        50,
        "Turns of each conversation in use that are held in memory.",
        minimum=1,
        maximum=1000,
        restart=True,
    ),
    Setting(
        "sessions.write_behind_queue",
        "int",
        1000,
        "Appends that may wait for agents that do not.",
        minimum=1,
        maximum=100_000,
        restart=True,
    ),
    Setting("sessions.not_kept", "str", "", "Agents whose conversations are not stored, separated by commas."),
    Setting("backup.before_import", "bool", False, "Back the vault up before each import."),
    Setting(
        "trace.enabled",
        "bool",
        True,
        "Keep a log of what the engine does, never of content.",
        restart=True,
    ),
)

BY_NAME: dict[str, Setting] = {setting.name: setting for setting in SETTINGS}


def setting(name: str) -> Setting:
    """Return the declaration of ``name``.

    Raises:
        InputError: There is no such setting.
    """
    found = BY_NAME.get(name)
    if found is None:
        raise InputError(f"There is no setting '{name}'. 'keepsake call settings.list {{}}' lists them.", setting=name)
    return found
