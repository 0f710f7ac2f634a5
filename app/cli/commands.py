"""Commands of ``keepsake``: each calls operations of a vault and prints the answer."""

import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import typer

from app import __version__
from app.cli import (
    agent_commands,
    config_commands,
    hit_lines,
    maintenance,
    mcp_command,
    reports,
    secret_commands,
    terminal,
)
from app.cli.connect import open_connection
from app.core.paths import default_vault, resources, user_path
from app.errors import InputError

_LOSSES = 1
_WORDS = re.compile(r"[^\W_]|[^\x00-\x7f]")

application = typer.Typer(
    name="keepsake",
    no_args_is_help=False,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
application.add_typer(agent_commands.application)
application.add_typer(config_commands.application)
application.add_typer(secret_commands.application)

Text = Annotated[str, typer.Argument(show_default=False)]


def _on_version(wanted: bool) -> None:
    if wanted:
        terminal.say(f"keepsake {__version__}")
        raise typer.Exit


@application.callback(invoke_without_command=True)
def window(
    context: typer.Context,
    vault: Annotated[str | None, typer.Option(metavar="FOLDER", help="The vault's folder.", show_default=False)] = None,
    hidden: Annotated[bool, typer.Option("--hidden", help="Start the window in the tray.")] = False,
    link: Annotated[str, typer.Option("--open", metavar="LINK", help="Open the window at a keepsake:// link.")] = "",
    debug: Annotated[bool, typer.Option("--debug", help="Say more, with the traceback of a failure.")] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_on_version)
    ] = False,
) -> None:
    """Keep one person's long-term memory. Without a command, open the window.

    The vault is --vault, else the variable KEEPSAKE_VAULT, else the platform's data folder. If Keepsake has the vault
    open, commands go through it; otherwise they open the vault themselves. Exit statuses: 0 done, 1 something was left
    out or is wrong, 2 wrong usage, 65 wrong input, 69 not running, 74 a failure of the machine, 75 the vault is in use,
    77 not allowed, 130 interrupted.
    """
    context.obj = _path(vault) if vault is not None else default_vault().absolute()
    if context.invoked_subcommand is None:
        from app.cli.entry_points import open_window  # noqa: PLC0415

        arguments = ["--hidden"] * hidden + (["--open", link] if link else [])
        raise typer.Exit(open_window(context.obj, arguments))


@application.command()
def serve(context: typer.Context) -> None:
    """Run without a window until stopped, so that other programs can connect."""
    from app.cli.serve import serve_until_signal  # noqa: PLC0415

    serve_until_signal(context.obj)


@application.command()
def demo(
    context: typer.Context,
    out: Annotated[Path, typer.Option(help="Folder for pictures when there is no screen.")] = Path("demo-out"),
) -> None:
    """Show a sample vault; a temporary one, unless --vault names an empty folder."""
    from app.cli.demo import run_demo  # noqa: PLC0415

    named = context.parent is not None and context.parent.params.get("vault") is not None
    run_demo(context.obj if named else None, out.absolute(), terminal.say)


@application.command(name="import")
def import_(
    context: typer.Context,
    path: Text,
    form: Annotated[
        Literal["auto", "chatgpt", "claude", "markdown", "keepsake", "mcp-memory"],
        typer.Option("--format", help="The format of the file; auto detects it."),
    ] = "auto",
    store: Annotated[str, typer.Option(help="Who may see imported notes: private, shared or social.")] = "private",
    wait: Annotated[
        bool,
        typer.Option(
            "--wait/--no-wait",
            help="Wait until search by meaning is ready, which may take longer than the import.",
        ),
    ] = True,
) -> None:
    """Import conversations and notes from ChatGPT, Claude, Markdown or Keepsake.

    A second import adds nothing twice. The exit status is 1 when a conversation, message or note had to be left out;
    pictures and other files among notes are only counted.
    """
    from app.exchange.model import ImportReport  # noqa: PLC0415

    with open_connection(context.obj) as connection:
        raw = connection.work("exchange.import", _show, path=str(_path(path)), format=form, store=store)
        report = msgspec.convert(raw, ImportReport)
        _say_all(reports.import_lines(report))
        if not connection.is_remote and wait and not report.cancelled:
            _settle(connection)
        elif not connection.is_remote:
            terminal.say("Search by meaning will be prepared while the window is open or 'keepsake serve' runs.")
    if report.cancelled:
        raise KeyboardInterrupt
    raise typer.Exit(_LOSSES if reports.has_losses(report) else 0)


@application.command()
def export(
    context: typer.Context,
    path: Text,
    form: Annotated[
        Literal["jsonl", "markdown", "mcp-memory"],
        typer.Option(
            "--format",
            help="jsonl is complete and can be imported; markdown is for reading; mcp-memory is the knowledge graph.",
        ),
    ] = "jsonl",
    removed: Annotated[
        bool, typer.Option(help="Include what was deleted, superseded or archived, marked as such; only in jsonl.")
    ] = True,
    history: Annotated[
        bool, typer.Option("--history", help="Include who changed what and when; only in jsonl.")
    ] = False,
) -> None:
    """Export all conversations and memories to a file or folder.

    Use a file for jsonl, and a new or empty folder for markdown.

    The path '-' writes jsonl to standard output.
    """
    from app.exchange.model import ExportReport  # noqa: PLC0415

    if path == "-":
        _export_to_output(context.obj, form, removed=removed, history=history)
        return
    with open_connection(context.obj) as connection:
        raw = connection.work(
            "exchange.export", _show, path=str(_path(path)), format=form, removed=removed, history=history
        )
        _say_all(reports.export_lines(msgspec.convert(raw, ExportReport)))


def _export_to_output(vault: Path, form: str, *, removed: bool, history: bool) -> None:
    if form != "jsonl":
        raise InputError("Only jsonl can be written to standard output. Name a folder for Markdown.")
    with tempfile.TemporaryDirectory(prefix="keepsake-export-") as folder, open_connection(vault) as connection:
        file = Path(folder) / "export.jsonl"
        connection.work("exchange.export", _show, path=str(file), format=form, removed=removed, history=history)
        with file.open(encoding="utf-8", newline="\n") as lines:
            for line in lines:
                terminal.say_encoded(line.rstrip("\n"))


@application.command()
def search(
    context: typer.Context,
    query: Annotated[list[str], typer.Argument(help='Words, a "phrase", tag:garden, after:2026-05 and so on.')],
    limit: Annotated[int, typer.Option(help="Maximum number of hits.", min=1, max=500)] = 10,
    recipe: Annotated[
        str | None, typer.Option(help="The ranking recipe, such as learned or rrf.", show_default=False)
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the whole answer as JSON.")] = False,
) -> None:
    """Search messages, notes and facts, each with the reason for its rank.

    The exit status is 0 also when nothing is found; the first line then says so.
    """
    from app.retrieval.model import Found  # noqa: PLC0415

    text = terminal.given(" ".join(query))
    if text.strip() and not _WORDS.search(text):
        raise InputError("There is no word to search for. Type one, or an operator such as kind:note.")
    with open_connection(context.obj) as connection:
        raw = connection.call("memory.search", query=text, limit=limit, recipe=recipe)
    if json:
        terminal.say_json(raw)
    else:
        _say_all(hit_lines.found_lines(msgspec.convert(raw, Found), 1, styled=terminal.is_styled()))


@application.command()
def capture(
    context: typer.Context,
    text: Annotated[str | None, typer.Argument(help="The note; read from standard input when left out or '-'.")] = None,
    title: Annotated[str, typer.Option(help="Its title.")] = "",
    tag: Annotated[list[str], typer.Option(help="A tag; may be given several times.")] = [],  # noqa: B006
    store: Annotated[str, typer.Option(help="Who may see it: private, shared or social.")] = "private",
) -> None:
    """Save a note and print its id."""
    content = terminal.given(text) if text not in {None, "-"} else _standard_input(is_requested=text == "-")
    if not content.strip():
        raise InputError("The note is empty. Give its text as an argument or on standard input.")
    tags = [terminal.given(item) for item in tag]
    with open_connection(context.obj) as connection:
        note = connection.call("note.save", content=content, title=terminal.given(title), tags=tags, store=store)
    terminal.say(note["id"])


@application.command()
def call(
    context: typer.Context,
    operation: Annotated[
        str, typer.Argument(help="The name of the operation, such as note.get.", show_default=False)
    ] = "",
    arguments: Annotated[str, typer.Argument(help="A JSON object; '-' reads standard input.")] = "{}",
    listing: Annotated[bool, typer.Option("--list", help="Explain the operation, or list all operations.")] = False,
) -> None:
    """Call any operation and print its answer as JSON."""
    if listing or not operation:
        from app.cli.reference import operation_lines  # noqa: PLC0415

        _say_all(operation_lines(operation))
        return
    if operation == "secret.set" and arguments != "-":
        raise InputError("A key is not given as an argument, where others could see it. Use 'keepsake secret set'.")
    given = _arguments(_standard_input(is_requested=True) if arguments == "-" else terminal.given(arguments))
    with open_connection(context.obj) as connection:
        terminal.say_json(connection.call(operation, **given))


application.command()(mcp_command.mcp)
application.command()(maintenance.check)
application.add_typer(maintenance.backups)
application.command()(maintenance.restore)
application.command()(maintenance.salvage)


@application.command()
def docs(
    folder: Annotated[Path | None, typer.Argument(help="Target folder; the help of the program when left out.")] = None,
) -> None:
    """Write the reference of operations, settings and commands as Markdown."""
    from app.cli.reference import write_reference  # noqa: PLC0415

    for path in write_reference(folder.absolute() if folder is not None else resources() / "help", application):
        terminal.say(str(path))


def _show(progress: Any) -> None:
    terminal.show_line(reports.progress_words(progress))


def _settle(connection: Any) -> None:
    """Wait until search by meaning is ready, and report it."""
    begun = time.monotonic()
    if count := connection.call("vault.status")["pending_vectors"]:
        terminal.tell(
            f"Imported and ready for search by words. Preparing search by meaning for {count} texts; press Ctrl-C,"
            " or use --no-wait, to leave that for later."
        )
    try:
        status = connection.call("vault.settle")
    except KeyboardInterrupt:
        status = {"pending_vectors": 1}
    terminal.show_line("")
    if not status["pending_vectors"]:
        if count:
            terminal.tell(f"Search by meaning is ready ({time.monotonic() - begun:.1f} s).")
    else:
        terminal.say("Search by meaning will be prepared while the window is open or 'keepsake serve' runs.")


def _path(text: str) -> Path:
    """Return a path that the person wrote.

    An empty one is refused: it comes from a variable that was not set, and must not mean the current folder.
    """
    if not text.strip():
        raise InputError("The path is empty. Name a file or folder; '.' is the current folder.")
    return user_path(text)


def _standard_input(*, is_requested: bool) -> str:
    """Return the text piped in; from a terminal only on request."""
    if sys.stdin is None or (sys.stdin.isatty() and not is_requested):
        return ""
    return sys.stdin.buffer.read().decode("utf-8", "replace")


def _arguments(text: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(f"The arguments must be one JSON object such as '{{\"limit\": 5}}': {error}.") from error


def _say_all(lines: list[str]) -> None:
    for line in lines:
        terminal.say(line)
