"""The verbs of ``keepsake``; each says what it wants of a vault and how the answer is read."""

import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import typer

from app import __version__
from app.cli import config_commands, hit_lines, maintenance, reports, secret_commands, terminal
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
    debug: Annotated[bool, typer.Option("--debug", help="Say more, and where a failure came from.")] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_on_version)
    ] = False,
) -> None:
    """Keep one person's long-term memory. Without a command, open the window.

    The vault is --vault, else the variable KEEPSAKE_VAULT, else the platform's data folder. Commands go through the
    Keepsake that has the vault open, and open it themselves when none has. Exit statuses: 0 done, 1 something was
    left out or is wrong, 2 wrong usage, 65 wrong input, 69 not running, 74 the machine, 75 the vault is in use, 77 not
    allowed, 130 interrupted.
    """
    context.obj = _path(vault) if vault is not None else default_vault().absolute()
    if context.invoked_subcommand is None:
        from app.cli.entry_points import open_window  # noqa: PLC0415

        arguments = ["--hidden"] * hidden + (["--open", link] if link else [])
        raise typer.Exit(open_window(context.obj, arguments))


@application.command()
def serve(context: typer.Context) -> None:
    """Run without a window until told to stop, for other programs to connect to."""
    from app.cli.serve import serve_until_told  # noqa: PLC0415

    serve_until_told(context.obj)


@application.command()
def demo(
    context: typer.Context,
    out: Annotated[Path, typer.Option(help="Where pictures go when there is no screen.")] = Path("demo-out"),
) -> None:
    """Show a vault with a sample of conversations and notes; a temporary one, unless --vault names an empty folder."""
    from app.cli.demo import run_demo  # noqa: PLC0415

    named = context.parent is not None and context.parent.params.get("vault") is not None
    run_demo(context.obj if named else None, out.absolute(), terminal.say)


@application.command(name="import")
def import_(
    context: typer.Context,
    path: Text,
    form: Annotated[
        Literal["auto", "chatgpt", "claude", "markdown", "keepsake"],
        typer.Option("--format", help="What the file is; auto looks into it."),
    ] = "auto",
    store: Annotated[str, typer.Option(help="Who may see imported notes: private, shared or social.")] = "private",
    wait: Annotated[
        bool,
        typer.Option(
            "--wait/--no-wait",
            help="Wait until everything can be found by meaning, which may take longer than the import.",
        ),
    ] = True,
) -> None:
    """Import an export of ChatGPT or Claude, a folder of Markdown, or Keepsake's own JSON lines.

    What is there already is not added again. The exit status is 1 when a conversation, message or note had to be left
    out; pictures and other files beside notes are only counted.
    """
    from app.exchange.model import ImportReport  # noqa: PLC0415

    with open_connection(context.obj) as door:
        raw = door.work("exchange.import", _show, path=str(_path(path)), format=form, store=store)
        report = msgspec.convert(raw, ImportReport)
        _say_all(reports.import_lines(report))
        if not door.is_remote and wait and not report.cancelled:
            _settle(door)
        elif not door.is_remote:
            terminal.say("Search by meaning follows when the window is open or 'keepsake serve' runs.")
    if report.cancelled:
        raise KeyboardInterrupt
    raise typer.Exit(_LOSSES if reports.has_losses(report) else 0)


@application.command()
def export(
    context: typer.Context,
    path: Text,
    form: Annotated[
        Literal["jsonl", "markdown"],
        typer.Option("--format", help="jsonl is complete and can be imported; markdown is for reading."),
    ] = "jsonl",
    removed: Annotated[
        bool, typer.Option(help="Also what was deleted, superseded, archived or forgotten, marked so; only in jsonl.")
    ] = True,
    history: Annotated[bool, typer.Option("--history", help="Also who changed what and when; only in jsonl.")] = False,
) -> None:
    """Write all conversations and memories to a file (jsonl) or into a new or empty folder (markdown).

    The path '-' writes jsonl to standard output.
    """
    from app.exchange.model import ExportReport  # noqa: PLC0415

    if path == "-":
        _export_to_output(context.obj, form, removed=removed, history=history)
        return
    with open_connection(context.obj) as door:
        raw = door.work("exchange.export", _show, path=str(_path(path)), format=form, removed=removed, history=history)
        _say_all(reports.export_lines(msgspec.convert(raw, ExportReport)))


def _export_to_output(vault: Path, form: str, *, removed: bool, history: bool) -> None:
    if form != "jsonl":
        raise InputError("Only jsonl can be written to standard output. Name a folder for Markdown.")
    with tempfile.TemporaryDirectory(prefix="keepsake-export-") as folder, open_connection(vault) as door:
        file = Path(folder) / "export.jsonl"
        door.work("exchange.export", _show, path=str(file), format=form, removed=removed, history=history)
        with file.open(encoding="utf-8", newline="\n") as lines:
            for line in lines:
                terminal.say_encoded(line.rstrip("\n"))


@application.command()
def search(
    context: typer.Context,
    query: Annotated[list[str], typer.Argument(help='Words, a "phrase", tag:garden, after:2026-05 and so on.')],
    limit: Annotated[int, typer.Option(help="Hits at most.", min=1, max=500)] = 10,
    recipe: Annotated[str | None, typer.Option(help="How words and meaning are weighed.", show_default=False)] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the whole answer as JSON.")] = False,
) -> None:
    """Find turns of conversations, notes and facts, each with the reason for its place.

    The exit status is 0 also when nothing is found; the first line then says so.
    """
    from app.retrieval.model import Found  # noqa: PLC0415

    text = terminal.given(" ".join(query))
    if text.strip() and not _WORDS.search(text):
        raise InputError("There is no word to look for. Name one, or use an operator such as kind:note.")
    with open_connection(context.obj) as door:
        raw = door.call("memory.search", query=text, limit=limit, recipe=recipe)
    if json:
        terminal.say_json(raw)
    else:
        _say_all(hit_lines.found_lines(msgspec.convert(raw, Found), 1, styled=terminal.is_styled()))


@application.command()
def capture(
    context: typer.Context,
    text: Annotated[str | None, typer.Argument(help="The note; standard input when left out or '-'.")] = None,
    title: Annotated[str, typer.Option(help="Its title.")] = "",
    tag: Annotated[list[str], typer.Option(help="A tag; may be given several times.")] = [],  # noqa: B006
    store: Annotated[str, typer.Option(help="Who may see it: private, shared or social.")] = "private",
) -> None:
    """Keep a note, and print its id."""
    content = terminal.given(text) if text not in {None, "-"} else _standard_input(asked=text == "-")
    if not content.strip():
        raise InputError("There is nothing to keep: give the note as an argument or on standard input.")
    tags = [terminal.given(item) for item in tag]
    with open_connection(context.obj) as door:
        note = door.call("note.save", content=content, title=terminal.given(title), tags=tags, store=store)
    terminal.say(note["id"])


@application.command()
def call(
    context: typer.Context,
    operation: Annotated[str, typer.Argument(help="Its name, such as note.get.", show_default=False)] = "",
    arguments: Annotated[str, typer.Argument(help="A JSON object; '-' reads standard input.")] = "{}",
    listing: Annotated[bool, typer.Option("--list", help="Explain the operation, or list all.")] = False,
) -> None:
    """Call any operation and print its answer as JSON."""
    if listing or not operation:
        from app.cli.reference import operation_lines  # noqa: PLC0415

        _say_all(operation_lines(operation))
        return
    if operation == "secret.set" and arguments != "-":
        raise InputError("A key is not given as an argument. Use 'keepsake secret set', which reads it unseen.")
    given = _arguments(_standard_input(asked=True) if arguments == "-" else terminal.given(arguments))
    with open_connection(context.obj) as door:
        terminal.say_json(door.call(operation, **given))


application.command()(maintenance.check)
application.add_typer(maintenance.backups)
application.command()(maintenance.restore)
application.command()(maintenance.salvage)


@application.command()
def docs(
    folder: Annotated[Path | None, typer.Argument(help="Where to; the program's help when left out.")] = None,
) -> None:
    """Write the reference of operations, settings and commands as Markdown."""
    from app.cli.reference import write_reference  # noqa: PLC0415

    for path in write_reference(folder.absolute() if folder is not None else resources() / "help", application):
        terminal.say(str(path))


def _show(progress: Any) -> None:
    terminal.show_line(reports.progress_words(progress))


def _settle(door: Any) -> None:
    """Wait for search by meaning, and say so before and how long it took after."""
    begun = time.monotonic()
    if count := door.call("vault.status")["pending_vectors"]:
        terminal.tell(
            f"Imported; words can be found. Preparing search by meaning, {count} texts so far; Ctrl-C or --no-wait"
            " leaves that for later."
        )
    try:
        status = door.call("vault.settle")
    except KeyboardInterrupt:
        status = {"pending_vectors": 1}
    terminal.show_line("")
    if not status["pending_vectors"]:
        if count:
            terminal.tell(f"Search by meaning is ready ({time.monotonic() - begun:.1f} s).")
    else:
        terminal.say("Search by meaning follows when the window is open or 'keepsake serve' runs.")


def _path(text: str) -> Path:
    """Return the path a person wrote; an empty one is a variable that was not set, never the current folder."""
    if not text.strip():
        raise InputError("A path is empty. Name a file or folder; '.' is the current one.")
    return user_path(text)


def _standard_input(*, asked: bool) -> str:
    """Return what is piped in; nothing from a terminal, where waiting would look like being stuck."""
    if sys.stdin is None or (sys.stdin.isatty() and not asked):
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
