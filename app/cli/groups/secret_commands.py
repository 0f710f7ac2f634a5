"""``keepsake secret``: keys of remote services in the system's keyring.

A key is never an argument and is never shown.
"""

import getpass
import sys
import warnings
from typing import Annotated, Final

import msgspec
import typer

from app.cli import terminal
from app.cli.connect import open_connection
from app.config.model import SecretStatus
from app.errors import InputError

application = typer.Typer(
    name="secret", help="Keep, list and remove the keys of remote services.", rich_markup_mode=None
)

Name = Annotated[str, typer.Argument(help="The service, such as openai.", show_default=False)]

_MOST: Final = 1 << 16
_LATE: Final = (
    "A key is not given as an argument: other programs can read it there, and the shell remembers it. Nothing was kept;"
    " delete it from the shell's history and pipe it in, or type it when asked."
)


# What stands after the name is refused here and not by the parser, which would repeat it.
@application.command(name="set", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def set_secret(context: typer.Context, name: Name) -> None:
    """Store the key of a service in the system's keyring.

    It is typed unseen, or read from standard input.
    """
    if context.args:
        raise InputError(_LATE)
    value = _given(name)
    with open_connection(context.obj) as connection:
        status = msgspec.convert(connection.call("secret.set", name=terminal.given(name), value=value), SecretStatus)
    terminal.say(f"The key is kept in {status.keyring}.")
    if status.note:
        terminal.tell(status.note)


@application.command(name="list")
def list_secrets(context: typer.Context) -> None:
    """List the services with the source of their keys."""
    with open_connection(context.obj) as connection:
        statuses = msgspec.convert(connection.call("secret.list"), list[SecretStatus])
    for item in statuses:
        terminal.say(f"{item.name:<18} {item.place or 'no key'}{f'. {item.note}' if item.note else ''}")


@application.command(name="remove")
def remove_secret(context: typer.Context, name: Name) -> None:
    """Remove the key of a service from the system's keyring."""
    with open_connection(context.obj) as connection:
        status = msgspec.convert(connection.call("secret.remove", name=terminal.given(name)), SecretStatus)
    terminal.say(f"The keyring holds no key for {status.name}.")
    if status.source == "variable":
        terminal.tell(f"There is still one in {status.place}.")


def _given(name: str) -> str:
    if sys.stdin is None:
        raise InputError("There is no standard input to read the key from.")
    if not sys.stdin.isatty():
        return sys.stdin.buffer.read(_MOST).decode("utf-8", "replace").strip()
    with warnings.catch_warnings():
        # Where typing cannot be hidden it would be shown.
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            return getpass.getpass(f"Key for {terminal.one_line(name)} (not shown): ")
        except getpass.GetPassWarning:
            raise InputError("This terminal cannot hide what is typed; pipe the key in instead.") from None
