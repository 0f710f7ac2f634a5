"""Declaration of a setting (name, type, default, bounds, help) and parsing of its values."""

import re
from dataclasses import dataclass, replace
from typing import Literal

from app.errors import InputError
from app.sentence import Sentence

Value = str | int | float | bool
_SWITCH_WORDS = dict.fromkeys(("true", "yes", "on", "1"), True) | dict.fromkeys(("false", "no", "off", "0"), False)

_LARGEST_SHOWN = 10**15
_PLANNED = "Has no effect yet."

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
        pattern: What a text must match as a whole; anything when empty.
        form: What ``pattern`` stands for, in words.
        critical: True where the default cannot replace a wrong value, because it may do what the person ruled out; the
            vault stays closed until the value is right.
        old_names: Names that earlier versions gave it. They are still read, and replaced when the file is next saved.
        is_planned: True while no part of Keepsake reads it; its description says so.
    """

    name: str
    type: SettingType
    default: Value
    help: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    restart: bool = False
    pattern: str = ""
    form: str = ""
    critical: bool = False
    old_names: tuple[str, ...] = ()
    is_planned: bool = False

    @property
    def description(self) -> str:
        """Return the help as a person reads it."""
        return f"{self.help} {_PLANNED}" if self.is_planned else self.help

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
            raise self._refusal(value, Sentence("a text"))
        if self.type == "choice" and value not in self.choices:
            raise self._refusal(value, Sentence("one of {choices}", choices=", ".join(self.choices)))
        if not value.isprintable():
            raise self._refusal(value, Sentence("a text on one line, without control characters"))
        if self.pattern and not re.fullmatch(self.pattern, value):
            raise self._refusal(value, Sentence("{form}", form=self.form))
        return value

    def _parse_bool(self, value: object) -> bool:
        if isinstance(value, bool):
            return value
        word = value.strip().lower() if isinstance(value, str) else ""
        if word in _SWITCH_WORDS:
            return _SWITCH_WORDS[word]
        raise self._refusal(value, Sentence("true or false"))

    def _parse_number(self, value: object) -> int | float:
        wanted = Sentence("a whole number") if self.type == "int" else Sentence("a number")
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise self._refusal(value, wanted)
        try:
            number: int | float = int(value) if self.type == "int" else float(value)
        except (ValueError, OverflowError) as error:
            raise self._refusal(value, wanted) from error
        low = self.minimum is not None and number < self.minimum
        high = self.maximum is not None and number > self.maximum
        if low or high or number != number or (self.type == "int" and isinstance(value, float) and value != number):  # noqa: PLR0124
            bounds = {"wanted": wanted, "low": f"{self.minimum:g}", "high": f"{self.maximum:g}"}
            raise self._refusal(value, Sentence("{wanted} from {low} to {high}", **bounds))
        return number

    def _refusal(self, value: object, allowed: Sentence) -> InputError:
        # Only numbers are repeated: a text may be a key or a password that was put in the wrong place.
        shown = str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else ""
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < _LARGEST_SHOWN:
            shown = str(value)
        but = Sentence(", not {shown}", shown=shown) if shown else ""
        return InputError(
            Sentence("'{name}' must be {allowed}{but}.", name=self.name, allowed=allowed, but=but),
            setting=self.name,
            allowed=str(allowed),
        )


def switch(name: str, default: bool, about: str, *, restart: bool = False, critical: bool = False) -> Setting:
    """Declare a setting that is on or off."""
    return Setting(name, "bool", default, about, restart=restart, critical=critical)


def whole(
    name: str, default: int, low: int, high: int, about: str, *, restart: bool = False, critical: bool = False
) -> Setting:
    """Declare a whole number from ``low`` to ``high``."""
    return Setting(name, "int", default, about, low, high, restart=restart, critical=critical)


def fraction(
    name: str,
    default: float,
    low: float,
    high: float,
    about: str,
    *,
    restart: bool = False,
    old_names: tuple[str, ...] = (),
) -> Setting:
    """Declare a number from ``low`` to ``high``."""
    return Setting(name, "float", default, about, low, high, restart=restart, old_names=old_names)


def time_of_day(name: str, default: str, about: str) -> Setting:
    """Declare a time of day, in the zone of the machine."""
    return Setting(name, "str", default, about, pattern=r"([01]\d|2[0-3]):[0-5]\d", form="a time such as 03:00")


def planned(*settings: Setting) -> tuple[Setting, ...]:
    """Mark settings that no part of Keepsake reads yet."""
    return tuple(replace(item, is_planned=True) for item in settings)
