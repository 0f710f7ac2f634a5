"""Values of settings as the catalogue gives them."""

from dataclasses import dataclass
from typing import Final, Literal

from app.config.schema import SettingType, Value

Source = Literal["default", "file", "environment", "override"]

SERVICES: Final = ("openai", "voyage", "cohere", "openai-compatible")
"""The remote embedding services that are asked with a key."""

LANGUAGE_MODEL: Final = "llm"
"""The language model's service, as its key is called."""


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


@dataclass(frozen=True, slots=True)
class SecretStatus:
    """Source of a service's key; never the key.

    Args:
        name: The service, as in ``embedding.model``, or ``llm``.
        source: Where its key is taken from; ``none`` where there is none, or it cannot be asked for.
        place: That place in words; empty for ``none``.
        keyring: What this machine's keyring is called; empty where it has none or does not answer.
        is_kept: Whether the keyring has a key for the service, also where another place counts.
        note: What to do where something is missing or in the way; empty where nothing is.
    """

    name: str
    source: Literal["variable", "keyring", "none"]
    place: str = ""
    keyring: str = ""
    is_kept: bool = False
    note: str = ""
