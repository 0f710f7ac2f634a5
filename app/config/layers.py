"""Where settings come from, the file and the environment: each read on its own, its faults told and not lost."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import tomlkit
from tomlkit.exceptions import ParseError, TOMLKitError

from app.config.schema import BY_NAME, SETTINGS, Setting, Value
from app.core.files import from_os
from app.core.regular_files import open_for_reading
from app.errors import InputError

MAX_BYTES: Final = 1 << 20
_PREFIX: Final = "KEEPSAKE_"


@dataclass(frozen=True, slots=True)
class Fault:
    """A value that is not allowed, and is left out.

    Args:
        item: The setting.
        source: Where the value stands.
        error: What is allowed.
    """

    item: Setting
    source: Literal["file", "environment"]
    error: InputError

    @property
    def sentence(self) -> str:
        """What is wrong, and where."""
        where = "config.toml" if self.source == "file" else f"the variable {variable(self.item)}"
        return f"In {where}: {self.error.message}"


def variable(item: Setting) -> str:
    """Return the environment variable of a setting: ``KEEPSAKE_SEARCH_RECIPE``."""
    return _PREFIX + item.name.replace(".", "_").upper()


def read_document(path: Path) -> tomlkit.TOMLDocument:
    """Return the file at ``path`` as it is written, an empty document when there is none.

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
        raise _refusal(path, "is larger than 1 MiB, which no settings are", error="size")
    try:
        document = tomlkit.parse(data.decode("utf-8-sig"))
        document.unwrap()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _refusal(path, f"is not valid TOML: line {line} is not UTF-8 text", line=line) from None
    except ParseError as error:
        where = f"line {error.line}, column {error.col}"
        raise _refusal(path, f"is not valid TOML: something is wrong at {where}", line=error.line) from None
    except TOMLKitError:
        raise _refusal(path, "is not valid TOML: a key or section is there twice") from None
    except RecursionError:
        raise _refusal(path, "is not valid TOML: it is nested too deeply") from None
    return document


def _refusal(path: Path, what: str, **data: Any) -> InputError:
    return InputError(f"{path} {what}. Correct it or move it away.", path=str(path), **data)


def from_document(document: tomlkit.TOMLDocument) -> tuple[dict[str, Value], list[Fault]]:
    """Return the settings in ``document`` and what is wrong with others.

    Keys this version does not know stay in the file: another version may.
    """
    values: dict[str, Value] = {}
    faults: list[Fault] = []
    for section, table in document.unwrap().items():
        for key, value in (table if isinstance(table, dict) else {}).items():
            if (item := BY_NAME.get(f"{section}.{key}")) is not None:
                _take(item, value, "file", values, faults)
    return values, faults


def from_environment(environment: Mapping[str, str]) -> tuple[dict[str, Value], list[Fault]]:
    """Return the settings in ``environment`` and what is wrong with others."""
    values: dict[str, Value] = {}
    faults: list[Fault] = []
    for item in SETTINGS:
        if (given := environment.get(variable(item))) is not None:
            _take(item, given, "environment", values, faults)
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
