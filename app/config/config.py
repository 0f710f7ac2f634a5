"""The settings of one vault: defaults, then ``config.toml``, then the environment, then overrides."""

import os
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path

import tomlkit

from app.config.layers import Fault, from_document, from_environment, read_document, variable, with_current_names
from app.config.model import SettingValue, Source
from app.config.safe_mode import SAFE_MODE
from app.config.schema import SETTINGS, Setting, Value, setting
from app.core.files import replace_file
from app.errors import InputError
from app.sentence import Sentence

__all__ = ["FILE", "Config", "variable"]

FILE = "config.toml"


class Config:
    """Settings of the vault at ``vault``.

    Where a value is wrong, the next source or the default is used, and ``faults`` says so. A wrong value of a critical
    setting keeps the vault closed, and so does a file that cannot be read, for it may hold one.

    Args:
        vault: The vault's folder.
        overrides: Values that win over all others, by name.
        environment: Where ``KEEPSAKE_SECTION_KEY`` variables are looked up.
        strict: False to ignore wrong values of critical settings too: to show the settings, not to use them.
        safe_mode: True to begin without models, vectors and the person's appearance; what is set is saved all the
            same, and counts from the next start without it.

    Raises:
        InputError: The file is no TOML, or a critical value or an override is not allowed; the sentence says where.
    """

    def __init__(
        self,
        vault: Path,
        overrides: Mapping[str, object] | None = None,
        environment: Mapping[str, str] | None = None,
        *,
        strict: bool = True,
        safe_mode: bool = False,
    ) -> None:
        self.vault = vault
        self.version = 0
        """Number of changes so far, by which values made of settings can be cached."""
        self.is_safe_mode = safe_mode
        self._path = vault / FILE
        self._changing = threading.Lock()
        self.environment = dict(os.environ if environment is None else environment)
        values = ((setting(name), value) for name, value in (overrides or {}).items())
        self.overrides = {item.name: item.parse(value) for item, value in values}
        self._surrounding, self._surrounding_faults = from_environment(self.environment)
        self._saved, self._saved_faults = from_document(read_document(self._path))
        self._is_strict = strict
        if strict:
            _refuse_critical(self.faults, self.overrides)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Return the values that are not allowed and are ignored."""
        return (*self._saved_faults, *self._surrounding_faults)

    def get(self, name: str) -> Value:
        """Return the value of a setting."""
        return self._look_up(setting(name))[0]

    def text(self, name: str) -> str:
        """Return the value of a text or choice."""
        return str(self.get(name))

    def number(self, name: str) -> float:
        """Return the value of a number."""
        return float(self.get(name))

    def whole(self, name: str) -> int:
        """Return the value of a whole number."""
        return int(self.get(name))

    def flag(self, name: str) -> bool:
        """Return the value of a switch."""
        return bool(self.get(name))

    def value(self, name: str) -> SettingValue:
        """Return a setting with its value and where that comes from."""
        item = setting(name)
        value, source = self._look_up(item)
        return SettingValue(
            item.name,
            value,
            item.default,
            source,
            item.type,
            item.description,
            item.choices,
            item.minimum,
            item.maximum,
            item.restart,
        )

    def values(self) -> list[SettingValue]:
        """Return every setting, in the order declared."""
        return [self.value(item.name) for item in SETTINGS]

    def set(self, name: str, value: object) -> SettingValue:
        """Set a value and save the file; a default is taken out of the file.

        Changes that the person made in the file meanwhile are kept and take effect. Old names are replaced.

        Raises:
            InputError: The value is not allowed, the environment decides this setting, or the file cannot be read.
        """
        item = setting(name)
        name, parsed = item.name, item.parse(value)
        if name in self._surrounding or name in self.overrides:
            where = variable(item) if name in self._surrounding else "the command line"
            raise InputError(
                Sentence("'{name}' is set by {where} and cannot be changed here.", name=name, where=where), setting=name
            )
        with self._changing:
            document = self._with(name, parsed, is_default=parsed == item.default)
            saved, faults = from_document(document)
            if self._is_strict:
                _refuse_critical(faults, self.overrides)
            replace_file(self._path, tomlkit.dumps(document).encode("utf-8"))
            # Only what is on disk counts: a full disk leaves everything as it was.
            self._saved, self._saved_faults = saved, faults
            self.version += 1
        return self.value(name)

    def _with(self, name: str, parsed: Value, *, is_default: bool) -> tomlkit.TOMLDocument:
        """Return the file with the value set, or removed when it is the default."""
        document = with_current_names(read_document(self._path))
        section, key = name.split(".", 1)
        if not isinstance(document.get(section, {}), dict):
            raise InputError(
                Sentence(
                    "'{section}' in {path} is not a section. Correct it there, then set '{name}' again.",
                    section=section,
                    path=self._path,
                    name=name,
                ),
                setting=name,
            )
        table = document.setdefault(section, tomlkit.table())
        if is_default:
            table.pop(key, None)
        else:
            table[key] = parsed
        return document

    def _look_up(self, item: Setting) -> tuple[Value, Source]:
        if self.is_safe_mode and item.name in SAFE_MODE:
            return SAFE_MODE[item.name], "override"
        if item.name in self.overrides:
            return self.overrides[item.name], "override"
        if item.name in self._surrounding:
            return self._surrounding[item.name], "environment"
        if item.name in self._saved:
            return self._saved[item.name], "file"
        return item.default, "default"


def _refuse_critical(faults: Iterable[Fault], overrides: Mapping[str, object]) -> None:
    for fault in faults:
        if fault.item.critical and fault.item.name not in overrides:
            raise InputError(
                Sentence("{sentence} 'keepsake config check' says more.", sentence=fault.sentence),
                setting=fault.item.name,
            )
