"""``keepsake config``: show, change and check settings, in a running host or in the file."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, Protocol

import msgspec
import typer

from app.cli import terminal
from app.config.model import ConfigFinding, SettingValue
from app.config.schema import BY_NAME, setting
from app.errors import HostUnreachableError, InputError, KeepsakeError
from app.rpc.client import Client
from app.sentence import Sentence

application = typer.Typer(name="config", help="Show, change and check settings.", rich_markup_mode=None)

Name = Annotated[str, typer.Argument(help="The setting, such as search.limit.", show_default=False)]
Value = Annotated[str, typer.Argument(help="Its new value.", show_default=False)]

_SOURCES = {"file": "config.toml", "environment": "environment", "override": "command line"}
_WRONG = 1


class Settings(Protocol):
    """The settings of one vault."""

    def values(self) -> list[SettingValue]:
        """Return every setting."""

    def set(self, name: str, value: str) -> SettingValue:
        """Set a setting and save it."""

    def findings(self) -> list[ConfigFinding]:
        """Return the problems of the settings."""


class _HostSettings:
    """Settings of a vault that a host has open."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def values(self) -> list[SettingValue]:
        return msgspec.convert(self._client.call("settings.list", {}), list[SettingValue])

    def set(self, name: str, value: str) -> SettingValue:
        return msgspec.convert(self._client.call("settings.set", {"name": name, "value": value}), SettingValue)

    def findings(self) -> list[ConfigFinding]:
        return msgspec.convert(self._client.call("settings.check", {}), list[ConfigFinding])


class _FileSettings:
    """Settings of a closed vault, which can be corrected while they keep it from opening.

    The TOML reader is imported in the methods, so that no other command waits for it.
    """

    def __init__(self, vault: Path) -> None:
        self._vault = vault

    def values(self) -> list[SettingValue]:
        from app.config.config import Config  # noqa: PLC0415

        return Config(self._vault, strict=False).values()

    def set(self, name: str, value: str) -> SettingValue:
        from app.config.config import Config  # noqa: PLC0415
        from app.store.store import prepare_folder  # noqa: PLC0415

        settings = Config(self._vault, strict=False)
        setting(name).parse(value)
        prepare_folder(self._vault)
        return settings.set(name, value)

    def findings(self) -> list[ConfigFinding]:
        from app.config.config import Config  # noqa: PLC0415
        from app.config.diagnosis import diagnose  # noqa: PLC0415
        from app.config.keyring import Keyring  # noqa: PLC0415
        from app.embed.remote.api_keys import ApiKeys  # noqa: PLC0415
        from app.index.generations.service_keys import missing_keys  # noqa: PLC0415

        findings = diagnose(self._vault)
        try:
            settings = Config(self._vault, strict=False)
        except KeepsakeError:
            return findings  # of which this is one; a file that cannot be read names no service
        keys = ApiKeys(settings.environment, Keyring())
        try:
            missing = missing_keys(settings, keys)
        finally:
            keys.close()
        return sorted([*missing, *findings], key=lambda finding: finding.severity)


@contextmanager
def _settings_of(vault: Path) -> Iterator[Settings]:
    try:
        client = Client.connect(vault)
    except HostUnreachableError:
        yield _FileSettings(vault)
        return
    try:
        yield _HostSettings(client)
    finally:
        client.close()


@application.callback(invoke_without_command=True)
def config(context: typer.Context) -> None:
    """List, read, change and check settings; without a command, list them."""
    if context.invoked_subcommand is None:
        list_settings(context)


@application.command(name="show", hidden=True)
@application.command(name="list")
def list_settings(
    context: typer.Context,
    section: Annotated[str, typer.Argument(help="Show only this section, such as search.", show_default=False)] = "",
    changed: Annotated[bool, typer.Option("--changed", help="Show only what differs from the default.")] = False,
    about: Annotated[bool, typer.Option("--help-texts", help="Explain each setting.")] = False,
) -> None:
    """List the settings by section with their values; for changed ones also default and source."""
    with _settings_of(context.obj) as settings:
        values = settings.values()
    sections = {item.name.partition(".")[0] for item in values}
    if section and section not in sections:
        raise InputError(Sentence("There is no such section. Sections are {names}.", names=", ".join(sorted(sections))))
    shown = [
        item
        for item in values
        if section in {"", item.name.partition(".")[0]} and not (changed and item.source == "default")
    ]
    for line in _listing(shown, about=about) if shown else ["Every setting has its default value."]:
        terminal.say(line)


@application.command(name="get")
def get_setting(context: typer.Context, name: Name) -> None:
    """Print the value of one setting."""
    current = setting(name).name
    with _settings_of(context.obj) as settings:
        terminal.say(next(_shown(item.value) for item in settings.values() if item.name == current))


@application.command(name="set")
def set_setting(context: typer.Context, name: Name, value: Value) -> None:
    """Change one setting and save it in the vault's config.toml, where your comments stay."""
    with _settings_of(context.obj) as settings:
        changed = settings.set(name, terminal.given(value))
        names = {name, changed.name}
        consequences = [
            item
            for item in settings.findings()
            if item.name in names or any(f"'{each}'" in item.what for each in names)
        ]
    later = "  (from the next start)" if changed.restart else ""
    terminal.say(f"{changed.name} = {_shown(changed.value)}{later}")
    for item in consequences:
        terminal.tell(f"{item.severity}: {item.what} {item.remedy}")


@application.command(name="check")
def check_settings(context: typer.Context) -> None:
    """Report problems of the settings.

    The exit status is 1 when one of them is an error.
    """
    with _settings_of(context.obj) as settings:
        findings = settings.findings()
    for item in findings:
        terminal.say(f"{item.severity}: {terminal.one_line(item.what)}")
        terminal.say(f"    {terminal.one_line(item.remedy)}")
    if not findings:
        terminal.say("The settings are in order.")
    raise typer.Exit(_WRONG if any(item.severity == "error" for item in findings) else 0)


def _listing(values: Iterable[SettingValue], *, about: bool) -> Iterator[str]:
    width = max(len(name.partition(".")[2]) for name in BY_NAME)
    for number, (section, group) in enumerate(groupby(values, lambda item: item.name.partition(".")[0])):
        yield from [""] * bool(number)
        yield f"[{section}]"
        for item in group:
            yield f"  {item.name.partition('.')[2]:<{width}}  {_shown(item.value)}{_origin(item)}"
            yield from [f"      {item.help}"] * about


def _origin(item: SettingValue) -> str:
    if item.source == "default":
        return ""
    return f"  ({_SOURCES[item.source]}; default {_shown(item.default)})"


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else terminal.printable(str(value)) or '""'
