"""Layers of settings: the file and the environment, each read with its faults."""

from collections.abc import Container, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import tomlkit
from tomlkit.exceptions import ParseError, TOMLKitError

from app.config.schema import BY_NAME, BY_OLD_NAME, SETTINGS, Setting, Value
from app.core.files import from_os
from app.core.regular_files import open_for_reading
from app.errors import InputError
from app.sentence import Sentence

MAX_BYTES: Final = 1 << 20
_PREFIX: Final = "KEEPSAKE_"


@dataclass(frozen=True, slots=True)
class Fault:
    """A value that is not allowed and is therefore ignored.

    Args:
        item: The setting.
        source: The layer that has the value.
        error: Says what is allowed.
    """

    item: Setting
    source: Literal["file", "environment"]
    error: InputError

    @property
    def sentence(self) -> Sentence:
        """Return a sentence that says what is wrong, and where."""
        if self.source == "file":
            return Sentence("In config.toml: {why}", why=self.error.sentence)
        return Sentence("In the variable {name}: {why}", name=variable(self.item), why=self.error.sentence)


def variable(item: Setting) -> str:
    """Return the environment variable of a setting, such as ``KEEPSAKE_SEARCH_RECIPE``."""
    return variable_of(item.name)


def variable_of(name: str) -> str:
    """Return the environment variable of a setting's name, current or old."""
    return _PREFIX + name.replace(".", "_").upper()


def read_document(path: Path) -> tomlkit.TOMLDocument:
    """Return the TOML file at ``path``, an empty document without one.

    Raises:
        InputError: It is no TOML; the sentence says where, and repeats nothing of it.
        KeepsakeError: It cannot be read.
    """
    try:
        with open_for_reading(path) as file:
            data = file.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):  # a vault that cannot be says so where it is opened
        return tomlkit.document()
    except OSError as error:
        raise from_os(error, path) from error
    if len(data) > MAX_BYTES:
        raise _refusal(path, Sentence("is larger than 1 MiB, which no settings are"), error="size")
    try:
        document = tomlkit.parse(data.decode("utf-8-sig"))
        document.unwrap()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _refusal(
            path, Sentence("is not valid TOML: line {line} is not UTF-8 text", line=line), line=line
        ) from None
    except ParseError as error:
        what = Sentence(
            "is not valid TOML: something is wrong at line {line}, column {column}", line=error.line, column=error.col
        )
        raise _refusal(path, what, line=error.line) from None
    except TOMLKitError:
        raise _refusal(path, Sentence("is not valid TOML: a key or section is there twice")) from None
    except RecursionError:
        raise _refusal(path, Sentence("is not valid TOML: it is nested too deeply")) from None
    return document


def _refusal(path: Path, what: Sentence, **data: Any) -> InputError:
    return InputError(
        Sentence("{path} {what}. Correct it or move it away.", path=path, what=what), path=str(path), **data
    )


def from_document(document: tomlkit.TOMLDocument) -> tuple[dict[str, Value], list[Fault]]:
    """Return the settings in ``document`` and what is wrong with others.

    Keys this version does not know stay in the file: another version may.
    """
    values: dict[str, Value] = {}
    faults: list[Fault] = []
    named_values = _named_values(document)
    for name, value in named_values.items():
        if (item := BY_NAME.get(name) or _replaced_by(name, named_values)) is not None:
            _take(item, value, "file", values, faults)
    return values, faults


def with_current_names(document: tomlkit.TOMLDocument) -> tomlkit.TOMLDocument:
    """Return ``document`` with old names of settings replaced, in place."""
    values = _named_values(document)
    for name in values:
        if name in BY_OLD_NAME:
            section, _, key = name.partition(".")
            value = document[section].pop(key)
            if (item := _replaced_by(name, values)) is not None:
                target, _, new_key = item.name.partition(".")
                document.setdefault(target, tomlkit.table())[new_key] = value
    return document


def _named_values(document: tomlkit.TOMLDocument) -> dict[str, object]:
    """Return the values in the sections of ``document`` by ``section.key``."""
    return {
        f"{section}.{key}": value
        for section, table in document.unwrap().items()
        if isinstance(table, dict)
        for key, value in table.items()
    }


def _replaced_by(old: str, present: Container[str]) -> Setting | None:
    """Return the setting once named ``old``, unless a newer name is ``present``."""
    item = BY_OLD_NAME.get(old)
    if item is None:
        return None
    newer = (item.name, *item.old_names[: item.old_names.index(old)])
    return None if any(name in present for name in newer) else item


def from_environment(environment: Mapping[str, str]) -> tuple[dict[str, Value], list[Fault]]:
    """Return the settings in ``environment`` and what is wrong with others."""
    values: dict[str, Value] = {}
    faults: list[Fault] = []
    for item in SETTINGS:
        names = (variable_of(name) for name in (item.name, *item.old_names))
        value = next((environment[name] for name in names if name in environment), None)
        if value is not None:
            _take(item, value, "environment", values, faults)
    return values, faults


def _take(
    item: Setting,
    value: object,
    source: Literal["file", "environment"],
    values: dict[str, Value],
    faults: list[Fault],
) -> None:
    try:
        values[item.name] = item.parse(value)
    except InputError as error:
        faults.append(Fault(item, source, error))
