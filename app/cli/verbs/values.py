"""Values of parameters, from the texts on a command line."""

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from app.cli import terminal
from app.cli.input import PATH, given_path
from app.cli.usage import WrongUsageError
from app.cli.verbs.model import JSON, MOMENT, NUMBER, WHOLE, YES_NO, Verb, VerbParameter

_NULL: Final = "null"
_WORDS_OF_BOOLS: Final = {"true": True, "false": False, _NULL: None}
_EXACT: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*(?:Z|[+-]\d\d:?\d\d)\Z")
_STANDARD_INPUT: Final = "-"

ReadInput = Callable[[], str]


def arguments_of(verb: Verb, given: Mapping[str, Any], read_input: ReadInput) -> dict[str, Any]:
    """Return the operation's arguments.

    Args:
        verb: The verb that was called.
        given: Its values by identifier as the parser understood them, ``None`` where nothing was given.
        read_input: Returns what stands on standard input.

    Raises:
        WrongUsageError: A value cannot be what it should.
    """
    source = _Source(read_input)
    arguments: dict[str, Any] = {}
    inside: dict[str, dict[str, Any]] = {}
    for parameter in verb.parameters:
        raw = given.get(parameter.identifier)
        if raw is None or (parameter.many and not raw and not isinstance(raw, str)):
            continue
        target = inside.setdefault(parameter.inside, {}) if parameter.inside else arguments
        target[parameter.name] = _value(parameter, raw, source)
    for name, fields in inside.items():
        arguments[name] = {**arguments.get(name, {}), **fields}
    return arguments


class _Source:
    """The places that a text may come from."""

    def __init__(self, read_input: ReadInput) -> None:
        self._read_input = read_input
        self._is_read = False

    def text(self, parameter: VerbParameter, raw: str) -> str:
        """Return the text that is meant: what was written, standard input, or a file's content."""
        if parameter.reads and raw == _STANDARD_INPUT:
            return self.standard_input()
        if parameter.reads == "file" and raw.startswith("@"):
            return raw[1:] if raw.startswith("@@") else _file_text(raw[1:])
        return terminal.given(raw)

    def standard_input(self) -> str:
        """Return what stands on standard input.

        Raises:
            WrongUsageError: It was read already.
        """
        if self._is_read:
            raise WrongUsageError("Standard input can be read for one value only; '-' stands there twice")
        self._is_read = True
        return self._read_input()


def _value(parameter: VerbParameter, raw: Any, source: _Source) -> Any:
    if parameter.kind == JSON:
        return _json_value(parameter, raw, source)
    if parameter.joins:
        parts = [raw] if isinstance(raw, str) else raw
        return " ".join(source.text(parameter, part) for part in parts)
    if parameter.many:
        return [_single(parameter, item) for part in raw for item in _items(parameter, part, source)]
    if parameter.name == PATH and isinstance(raw, str):
        return str(given_path(terminal.given(raw)))  # the host works in another folder
    if isinstance(raw, str):
        return _single(parameter, source.text(parameter, raw))
    return raw


def _items(parameter: VerbParameter, raw: str, source: _Source) -> Sequence[Any]:
    """Return the items in one value of a list: JSON, standard input, or itself."""
    if parameter.reads and raw == _STANDARD_INPUT:
        return piped_items(source.standard_input())
    text = terminal.given(raw)
    if text.startswith("["):
        try:
            items = json.loads(text)
        except ValueError:
            return [text]
        if isinstance(items, list):
            return items
    if parameter.splits:
        return [part.strip() for part in text.split(",") if part.strip()]
    return [text]


def piped_items(text: str) -> list[Any]:
    """Return the ids or texts in JSON, lines of JSON, or lines with columns."""
    stripped = text.strip()
    if stripped[:1] in {"[", "{"}:
        try:
            return _named_items(json.loads(stripped))
        except ValueError:
            pass
        try:
            return [item for line in stripped.splitlines() if line.strip() for item in _named_items(json.loads(line))]
        except ValueError:
            pass
    return [line.split("\t")[0].strip() for line in stripped.splitlines() if line.strip()]


def _named_items(value: Any) -> list[Any]:
    if isinstance(value, dict):
        for name in ("hits", "items"):
            if isinstance(value.get(name), list):
                return _named_items(value[name])
        if "id" not in value:
            raise WrongUsageError("The objects on standard input have no 'id'")
        return [value["id"]]
    if isinstance(value, list):
        return [named_item for item in value for named_item in _named_items(item)]
    return [value]


def _single(parameter: VerbParameter, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if parameter.choices and value not in parameter.choices:
        allowed = ", ".join(f"'{item}'" for item in parameter.choices)
        raise WrongUsageError(f"{_called(parameter)}: '{terminal.one_line(value)}' is not one of {allowed}")
    convert = {WHOLE: _whole, NUMBER: _number, YES_NO: _yes_no, MOMENT: _moment}.get(parameter.kind)
    if convert is None:
        return value
    converted = convert(value)
    if converted is None and value != _NULL:
        raise WrongUsageError(f"{_called(parameter)}: '{terminal.one_line(value)}' is not {_KINDS[parameter.kind]}")
    return converted


_KINDS: Final = {
    WHOLE: "a whole number",
    NUMBER: "a number",
    YES_NO: "true, false or null",
    MOMENT: "a time such as 2026-03-01, 2026-03-01T14:30, yesterday, '3 days ago' or 'last week'",
}


def _whole(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _yes_no(text: str) -> bool | None:
    return _WORDS_OF_BOOLS.get(text)


def _moment(text: str) -> str | None:
    """Return the beginning of a time as the search's operators read it, as ISO 8601."""
    if _EXACT.match(text):
        return text.replace(" ", "T", 1)
    from app.core.clock import SystemClock, to_datetime  # noqa: PLC0415  (few commands name a time)
    from app.core.time_rules.timespans import parse_span  # noqa: PLC0415

    span = parse_span(text, SystemClock().now_ms())
    return None if span is None else to_datetime(span[0]).isoformat()


def _json_value(parameter: VerbParameter, raw: Any, source: _Source) -> Any:
    parts = [raw] if isinstance(raw, str) else raw
    values = [_json(parameter, source.text(parameter, part)) for part in parts]
    if parameter.many:
        return [item for value in values for item in (value if isinstance(value, list) else [value])]
    if not all(isinstance(value, dict) for value in values):
        raise WrongUsageError(f"{_called(parameter)}: give a JSON object, or NAME=VALUE")
    return {key: item for value in values for key, item in value.items()}


def _json(parameter: VerbParameter, text: str) -> Any:
    stripped = text.strip()
    if parameter.name == "cadence" and stripped[:1] != "{":
        return _cadence(stripped)
    name, sign, value = stripped.partition("=")
    if not parameter.many and sign and stripped[:1] not in {"{", "["}:
        return {name: value}
    try:
        return json.loads(stripped)
    except (ValueError, RecursionError):
        pass
    try:
        return [json.loads(line) for line in stripped.splitlines() if line.strip()]
    except (ValueError, RecursionError) as error:
        raise WrongUsageError(f"{_called(parameter)}: this is not JSON: {error}") from error


def _cadence(text: str) -> dict[str, Any]:
    from app.cli.verbs.cadences import cadence_of  # noqa: PLC0415  (for few verbs)

    cadence = cadence_of(text)
    if cadence is None and (at := _moment(text)) is not None:
        cadence = {"kind": "once", "at": at}
    if cadence is None:
        raise WrongUsageError(
            "CADENCE: write '0 9 * * 1 Europe/Berlin', 'every 2h', or a time such as 2026-03-01T14:30"
        )
    return cadence


def _file_text(name: str) -> str:
    try:
        return Path(name).expanduser().read_bytes().decode("utf-8", "replace")
    except (FileNotFoundError, IsADirectoryError, ValueError, RuntimeError) as error:
        shown = terminal.one_line(name)
        raise WrongUsageError(f"There is no file '{shown}'; for a text that begins with '@' write '@@'") from error


def _called(parameter: VerbParameter) -> str:
    return parameter.names[0] if parameter.names else parameter.name.upper()


def standard_input() -> str:
    """Return what was piped in, or typed until the end of input."""
    return "" if sys.stdin is None else terminal.piped(sys.stdin.buffer.read())
