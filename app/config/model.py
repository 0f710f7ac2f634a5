"""Values of settings as the catalogue gives them."""

from dataclasses import dataclass
from typing import Literal

from app.config.schema import SettingType, Value

Source = Literal["default", "file", "environment", "override"]


@dataclass(frozen=True, slots=True)
class SettingValue:
    """A setting as it stands.

    Args:
        source: Where the value comes from; one from the environment or an override is never written to the file.
    """

    name: str
    value: Value
    default: Value
    source: Source
    type: SettingType
    help: str
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    restart: bool = False


@dataclass(frozen=True, slots=True)
class ConfigFinding:
    """One thing that is wrong with the settings.

    Args:
        name: The setting, section or variable it is about; ``config.toml`` or ``vault`` for the whole of it.
        severity: ``error`` for what cannot work as it is written; ``warning`` for what can, but is hardly meant.
        what: What is wrong, in a sentence that never repeats a text from the file.
        remedy: What to do about it.
    """

    name: str
    severity: Literal["error", "warning"]
    what: str
    remedy: str
