"""Commands that start at once, without the library of the command line."""

import io
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.cli.quick.quick_client import QuickClient

_SECONDS = 30.0
_NOT_KEPT = "Nothing was kept. If Keepsake does not answer, end its process, and try again."
_UNAVAILABLE = 69
_VALUED = {"--title": "title", "--store": "store", "--session": "session"}


def run_quickly(arguments: list[str]) -> int | None:
    """Run ``hook`` or ``capture`` against a running host and return the exit status.

    ``None`` leaves the arguments to the full command line: another command, help, an option that is wrong, or no host.
    """
    vault, rest = _vault_of(arguments)
    if not rest:
        return None
    if rest[0] == "hook":
        return _hook(rest[1:], vault)
    if rest[0] == "capture":
        return _capture(rest[1:], vault)
    return None


def _vault_of(arguments: list[str]) -> tuple[str | None, list[str]]:
    """Return the vault that is named before the command, and what follows."""
    if len(arguments) > 1 and arguments[0] == "--vault":
        return arguments[1], arguments[2:] if arguments[1].strip() else []
    if arguments and arguments[0].startswith("--vault="):
        named = arguments[0].removeprefix("--vault=")
        return named, arguments[1:] if named.strip() else []
    return None, arguments


def _hook(arguments: list[str], vault: str | None) -> int | None:
    from app.cli.quick import hook  # noqa: PLC0415

    max_tokens = None
    if len(arguments) == 3 and arguments[1] == "--max-tokens" and arguments[2].isdecimal():  # noqa: PLR2004
        max_tokens = int(arguments[2])
        arguments = arguments[:1]
    if len(arguments) != 1 or arguments[0] not in hook.EVENTS:
        return None
    return hook.run(arguments[0], vault, max_tokens)


def _capture(arguments: list[str], vault: str | None) -> int | None:
    capture = _capture_arguments(arguments)
    if capture is None or any(_has_stray_bytes(argument) for argument in arguments):
        return None
    text, options, tags = capture
    data = None
    if text is None or text == "-":
        if sys.stdin is None or sys.stdin.isatty():
            return None
        data = sys.stdin.buffer.read()
        text = data.decode("utf-8", "replace")
    from app.cli.quick.quick_client import NoHostError, QuickClient, QuickError, RefusedError, vault_folder  # noqa: PLC0415

    was_sent = False
    try:
        with QuickClient(vault_folder(vault), "keepsake capture", _SECONDS) as client:
            was_sent = True
            answer = _store(client, text, options, tags) if text.strip() else None
    except (NoHostError, RefusedError):
        answer = None
    except QuickError as error:
        # Once it was sent, whether it was stored is not known, so it is not tried again.
        after = "It may or may not be kept; look before you repeat it." if was_sent else _NOT_KEPT
        sys.stderr.write(f"keepsake: {error}. {after}\n")
        return _UNAVAILABLE
    if answer is None:
        if data is not None:
            sys.stdin = io.TextIOWrapper(io.BytesIO(data))  # for the full command line, which says what is wrong
        return None
    sys.stdout.write(f"{answer}\n")
    sys.stdout.flush()
    if data is not None and text.encode() != data:
        from app.cli import terminal  # noqa: PLC0415

        terminal.tell(terminal.REPLACED)
    return 0


def _store(client: "QuickClient", text: str, options: dict[str, str], tags: list[str]) -> str:
    """Store a note, or a message of a conversation, and return its id."""
    session = options.pop("session", "")
    if not session:
        return str(client.call("note.save", content=text, **options, **({"tags": tags} if tags else {}))["id"])
    turn = {"role": "user", "content": text}
    done = client.call("session.append", messages=[turn], session=session, title=options.get("title", ""))
    return f"{done['session_id']}#{done['seqs'][-1]}" if done["seqs"] else done["session_id"]


def _has_stray_bytes(argument: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in argument)


def _capture_arguments(arguments: list[str]) -> tuple[str | None, dict[str, str], list[str]] | None:
    text: str | None = None
    options: dict[str, str] = {}
    tags: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        name, has_value, value = argument.partition("=")
        if name in _VALUED or name == "--tag":
            option_value = value if has_value else next(rest, None)
            if option_value is None:
                return None
            if name == "--tag":
                tags.append(option_value)
            else:
                options[_VALUED[name]] = option_value
        elif (argument.startswith("-") and argument != "-") or text is not None:
            return None
        else:
            text = argument
    return text, options, tags
