"""The settings of one vault: defaults, then ``config.toml``, then the environment, then overrides."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from app.config.model import SettingValue, Source
from app.config.schema import BY_NAME, SETTINGS, Setting, Value, setting
from app.core.disk import from_os, replace_file
from app.errors import InputError

FILE = "config.toml"
_PREFIX = "KEEPSAKE_"


class Config:
    """Settings of the vault at ``vault``.

    Args:
        vault: The vault's folder.
        overrides: Values that win over all others, by name.
        environment: Where ``KEEPSAKE_SECTION_KEY`` variables are looked up.

    Raises:
        InputError: The file is no TOML, or a value is not allowed; the sentence says where.
    """

    def __init__(
        self, vault: Path, overrides: Mapping[str, object] | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        self._path = vault / FILE
        self._document = self._load()
        self._saved = self._read_file(self._document)
        chosen = os.environ if environment is None else environment
        self._environment = {
            item.name: item.parse(chosen[name]) for item in SETTINGS if (name := variable(item)) in chosen
        }
        self._overrides = {name: setting(name).parse(value) for name, value in (overrides or {}).items()}

    def get(self, name: str) -> Value:
        """Return the value of a setting."""
        return self.value(name).value

    def text(self, name: str) -> str:
        """Return the value of a text or choice."""
        return str(self.get(name))

    def number(self, name: str) -> float:
        """Return the value of a number."""
        return float(self.get(name))

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
            item.help,
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

        Raises:
            InputError: The value is not allowed, or the environment decides this setting.
        """
        item = setting(name)
        parsed = item.parse(value)
        if name in self._environment or name in self._overrides:
            where = variable(item) if name in self._environment else "the command line"
            raise InputError(f"'{name}' is set by {where} and cannot be changed here.", setting=name)
        document = self._with(name, parsed, is_default=parsed == item.default)
        replace_file(self._path, tomlkit.dumps(document).encode("utf-8"))
        # Only what is on disk counts: a full disk leaves everything as it was.
        self._document, self._saved = document, self._read_file(document)
        return self.value(name)

    def _with(self, name: str, parsed: Value, *, is_default: bool) -> tomlkit.TOMLDocument:
        """Return the document with a value put in, or taken out when it is the default."""
        document = tomlkit.parse(tomlkit.dumps(self._document))
        section, key = name.split(".", 1)
        if not isinstance(document.get(section, {}), dict):
            raise InputError(
                f"'{section}' in {self._path} is not a section. Correct it there, then set '{name}' again.",
                setting=name,
            )
        table = document.setdefault(section, tomlkit.table())
        if is_default:
            table.pop(key, None)
        else:
            table[key] = parsed
        return document

    def _look_up(self, item: Setting) -> tuple[Value, Source]:
        if item.name in self._overrides:
            return self._overrides[item.name], "override"
        if item.name in self._environment:
            return self._environment[item.name], "environment"
        if item.name in self._saved:
            return self._saved[item.name], "file"
        return item.default, "default"

    def _load(self) -> tomlkit.TOMLDocument:
        try:
            return tomlkit.parse(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return tomlkit.document()
        except OSError as error:
            raise from_os(error, self._path) from error
        except (TOMLKitError, UnicodeDecodeError) as error:
            raise InputError(f"{self._path} is not valid TOML: {error}. Correct it or move it away.") from error

    @staticmethod
    def _read_file(document: tomlkit.TOMLDocument) -> dict[str, Value]:
        saved: dict[str, Value] = {}
        for section, table in document.unwrap().items():
            entries: dict[str, Any] = table if isinstance(table, dict) else {}
            for key, value in entries.items():
                # Keys this version does not know stay in the file: another version may.
                if (name := f"{section}.{key}") in BY_NAME:
                    saved[name] = BY_NAME[name].parse(value)
        return saved


def variable(item: Setting) -> str:
    """Return the environment variable of a setting: ``KEEPSAKE_SEARCH_RECIPE``."""
    return _PREFIX + item.name.replace(".", "_").upper()
