"""Performance of a verb: confirm, call the operation, print the answer."""

import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from app.cli import reports, terminal
from app.cli.connect import VaultConnection, open_connection
from app.cli.usage import WrongUsageError
from app.cli.verbs.answers import answer_lines
from app.cli.verbs.change_messages import change_lines, changed_ids
from app.cli.verbs.command_help import verb_help
from app.cli.verbs.model import Verb
from app.cli.verbs.option_parser import parsed
from app.cli.verbs.tables import Screen
from app.cli.verbs.values import arguments_of, standard_input
from app.core.declared_operations import declared_operations
from app.errors import KeepsakeError, NotFoundError

_REFUSED: Final = 1
_YES: Final = frozenset({"y", "yes"})


@dataclass(frozen=True, slots=True)
class VerbCall:
    """A verb as it was called.

    Args:
        verb: The verb.
        arguments: The operation's arguments, as JSON values.
        vault: The vault's folder.
        as_json: Whether to print the answer as JSON.
    """

    verb: Verb
    arguments: dict[str, Any]
    vault: Path
    as_json: bool


def run_verb(verb: Verb, words: Sequence[str], vault: Path) -> int:
    """Call the operation of a verb, print the answer, and return the exit status.

    Args:
        verb: The verb.
        words: What was typed after it.
        vault: The vault's folder.

    Raises:
        WrongUsageError: The words do not fit, or it takes something away for ever and nobody can be asked.
        KeepsakeError: The operation failed.
    """
    try:
        line = parsed(verb, words)
        if line.wants_help:
            terminal.say_all(verb_help(verb))
            return 0
        call = VerbCall(verb, arguments_of(verb, line.values, standard_input), vault, line.as_json)
        if verb.asks and not line.is_sure and not _is_confirmed(call):
            terminal.tell("Nothing was changed.")
            return _REFUSED
    except WrongUsageError as error:
        error.command = " ".join(["keepsake", *verb.words])
        raise
    return _perform(call)


def _perform(call: VerbCall) -> int:
    screen = _screen()
    with open_connection(call.vault) as connection:
        value = _answer(call, connection)
        _require_effect(call, value)
        shows_hint = screen.is_terminal and not call.as_json and call.verb.access == "write"
        hint = _undo_hint(call, value, connection) if shows_hint else ""
    if call.as_json:
        terminal.say_json(value)
    else:
        terminal.say_all([*_lines(call, value, screen), *([hint] if hint else [])])
    is_bad = isinstance(value, dict) and value.get("ok") is False
    return _REFUSED if is_bad else 0


def _require_effect(call: VerbCall, value: Any) -> None:
    """Refuse a deletion that found nothing: the ids are wrong, or were used before.

    Raises:
        NotFoundError: Nothing was deleted.
    """
    if not value and call.verb.operation in declared_operations().removes:
        raise NotFoundError("Nothing was deleted: nothing has any of these ids, or it is gone already.")


def _answer(call: VerbCall, connection: VaultConnection) -> Any:
    operation, arguments = call.verb.operation, dict(call.arguments)
    hidden = {item.name for item in call.verb.parameters if item.place == "hidden"}
    missing = [item.name for item in call.verb.parameters if item.is_filled and item.name not in arguments]
    if missing:
        stored = connection.call(f"{operation.rpartition('.')[0]}.get", id=arguments["id"])
        arguments |= {name: stored[name] for name in missing}
    if "confirm" in hidden:
        arguments["confirm"] = True
    if "job" in hidden:
        return connection.work(operation, lambda done: terminal.show_line(reports.progress_words(done)), **arguments)
    return connection.call(operation, **arguments)


def _lines(call: VerbCall, value: Any, screen: Screen) -> list[str]:
    verb = call.verb
    if verb.answer == "Found":
        return _found_lines(value, call.arguments.get("offset", 0) + 1, screen)
    if verb.answer == "Context":
        return terminal.printable(value["text"]).split("\n")
    if verb.access == "read" or "token" in (value if isinstance(value, dict) else ()):
        return change_lines(verb, value, screen) if verb.access == "write" else answer_lines(value, verb.answer, screen)
    if not screen.is_terminal and (ids := changed_ids(value)):
        return [terminal.one_line(item) for item in ids]
    return change_lines(verb, value, screen)


def _found_lines(value: Any, first: int, screen: Screen) -> list[str]:
    import msgspec  # noqa: PLC0415

    from app.cli.hit_lines import found_lines  # noqa: PLC0415
    from app.retrieval.model import Found  # noqa: PLC0415

    return found_lines(msgspec.convert(value, Found), first, styled=screen.styled)


def _screen() -> Screen:
    if sys.stdout is None or not sys.stdout.isatty():
        return Screen()
    return Screen(shutil.get_terminal_size().columns, terminal.is_styled())


def _is_confirmed(call: VerbCall) -> bool:
    """Ask whether to go on."""
    if sys.stdin is None or not sys.stdin.isatty():
        raise WrongUsageError("This cannot be undone. Add --yes to do it without being asked")
    terminal.tell(f"{call.verb.summary} This cannot be undone.")
    sys.stderr.write(f"Do it ({_named(call.arguments)})? [y/N]: ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in _YES


def _named(arguments: Mapping[str, Any]) -> str:
    words = ", ".join(f"{name} {_shortly(value)}" for name, value in arguments.items())
    return terminal.one_line(words) or "all of it"


def _shortly(value: Any) -> str:
    return f"{len(value):,} of them" if isinstance(value, list) and len(value) > 1 else str(value).strip("[]'")


def _undo_hint(call: VerbCall, value: Any, connection: VaultConnection) -> str:
    """Return how to undo a change, ``""`` where nothing in the history does."""
    ids = changed_ids(value)
    if call.verb.undo != "history" or not ids:
        return ""
    try:
        entries = connection.call("memory.history", target=ids[0], limit=1)
    except KeepsakeError:
        return ""
    if not entries or entries[0]["undone_by"] is not None:
        return ""
    run = entries[0]["run_id"]
    return f"Undo with: keepsake memory undo {f'--run-id {run}' if run else entries[0]['id']}"
