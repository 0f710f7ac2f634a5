"""Commands of ``keepsake``: each calls operations of a vault and prints the answer."""

import re
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import typer

from app.cli import hit_lines, reports, terminal
from app.cli.command_line import help_lines
from app.cli.connect import VaultConnection, open_connection
from app.cli.groups import maintenance, mcp_command
from app.cli.input import PATH, given_path, piped_text
from app.cli.passphrase import export_passphrase, new_passphrase
from app.core.declared_operations import declared_operations
from app.core.paths import runtime_dir
from app.core.regular_files import make_folder
from app.errors import InputError
from app.sentence import Sentence

_LOSSES = 1
_SKIPPED_FILES = 3
_WORDS = re.compile(r"[^\W_]|[^\x00-\x7f]")

application = typer.Typer(rich_markup_mode=None)

if TYPE_CHECKING:
    ImportFormat = str
else:
    ImportFormat = Literal["auto", *declared_operations().formats]


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
    path: Annotated[str, typer.Argument(help="The file or folder to import.", show_default=False)],
    form: Annotated[
        ImportFormat,
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
    preview: Annotated[
        bool, typer.Option("--preview", help="Only say what would be made, what is there already, and problems.")
    ] = False,
    skip_secrets: Annotated[
        bool,
        typer.Option("--skip-secrets", help="Leave out texts that look as if they held a key or a password."),
    ] = False,
    leave_out: Annotated[
        list[str] | None,
        typer.Option("--leave-out", metavar="PART", help="A part of a folder that --preview lists; may be repeated."),
    ] = None,
) -> None:
    """Import conversations and notes from ChatGPT, Claude, coding agents, Markdown or Keepsake.

    A folder may hold exports of all kinds: each is looked at and listed. A second import adds nothing twice. The
    passphrase of an encrypted export is asked for, or read from standard input as one line. The exit status is 1 when
    a conversation, message or note had to be left out, and 3 when only a picture or another file that they show was;
    files that nothing shows are only counted.
    """
    from app.exchange.model import ImportReport  # noqa: PLC0415

    source_text = str(given_path(path))
    source = {"path": source_text, "passphrase": export_passphrase(Path(source_text))}
    with open_connection(context.obj) as connection:
        if preview:
            _say_preview(connection, source)
            return
        if not skip_secrets and terminal.can_ask():
            skip_secrets = _asks_to_skip_secrets(connection, source)
        _tell_cut_off(connection, source_text)
        options = {**source, "format": form, "store": store, "skip_secrets": skip_secrets}
        if leave_out:
            options["leave_out"] = leave_out
        raw = connection.work("exchange.import", _show, **options)
        report = msgspec.convert(raw, ImportReport)
        _say_all(reports.import_lines(report))
        if not connection.is_remote and wait and not report.cancelled:
            _settle(connection)
        elif not connection.is_remote:
            terminal.say("Search by meaning will be prepared while the window is open or 'keepsake serve' runs.")
    if report.cancelled:
        raise KeyboardInterrupt
    raise typer.Exit(_LOSSES if report.lost else _SKIPPED_FILES if report.lost_files else 0)


def _tell_cut_off(connection: VaultConnection, path: str) -> None:
    """Say which imports were cut off, and how to go on."""
    for unfinished in connection.call("exchange.unfinished"):
        shown = terminal.one_line(unfinished["path"])
        if unfinished["path"] == path:
            terminal.tell(f"The last import of {shown} was cut off; this one goes on with it.")
        else:
            terminal.tell(f"An import of {shown} was cut off. Import it again to go on; nothing is added twice.")


def _say_preview(connection: VaultConnection, source: Mapping[str, str]) -> int:
    """Say what an import would make, and return the number of texts with secrets."""
    from app.exchange.model import ImportPreview  # noqa: PLC0415

    preview = msgspec.convert(connection.call("exchange.preview", **source), ImportPreview)
    _say_all(reports.preview_lines(preview))
    return preview.secrets


def _asks_to_skip_secrets(connection: VaultConnection, source: Mapping[str, str]) -> bool:
    return bool(_say_preview(connection, source)) and typer.confirm("Leave these texts out?", err=True)


@application.command()
def export(
    context: typer.Context,
    path: Annotated[
        str, typer.Argument(help="The file or folder to write; '-' is standard output.", show_default=False)
    ],
    form: Annotated[
        Literal["jsonl", "markdown", "folder", "encrypted", "mcp-memory"],
        typer.Option(
            "--format",
            help="jsonl is complete and can be imported; markdown is for reading; folder has both and a page to search "
            "them; encrypted is complete, and only a passphrase opens it; mcp-memory is the knowledge graph.",
        ),
    ] = "jsonl",
    removed: Annotated[
        bool,
        typer.Option(
            help="Include what was deleted, superseded or archived, marked as such; not in markdown and mcp-memory."
        ),
    ] = True,
    history: Annotated[
        bool, typer.Option("--history", help="Include who changed what and when; not in markdown and mcp-memory.")
    ] = False,
    plain_text: Annotated[
        bool, typer.Option("--plain-text", help="Export an encrypted vault, although the export is not encrypted.")
    ] = False,
) -> None:
    """Export all conversations and memories to a file or folder.

    Use a file for jsonl and encrypted, and a new or empty folder for markdown and folder. The passphrase of an
    encrypted export is typed unseen, or read from standard input as one line; nobody can bring a forgotten one back.

    The path '-' writes jsonl to standard output, which has no room for attachments. The exit status is 3 when a picture
    or another attachment was left out; every text is there all the same.
    """
    from app.exchange.model import ExportReport  # noqa: PLC0415

    options: dict[str, Any] = {"format": form, "removed": removed, "history": history, "plain_text": plain_text}
    if path == "-":
        _export_to_output(context.obj, options)
        return
    if form == "encrypted":
        options["passphrase"] = new_passphrase()
    with open_connection(context.obj) as connection:
        raw = connection.work("exchange.export", _show, path=str(given_path(path)), **options)
        report = msgspec.convert(raw, ExportReport)
        _say_all(reports.export_lines(report))
    raise typer.Exit(_SKIPPED_FILES if report.skipped else 0)


def _export_to_output(vault: Path, options: Mapping[str, Any]) -> None:
    from app.encryption.key_file import has_key_file  # noqa: PLC0415

    if options["format"] != "jsonl":
        target = "file" if options["format"] in {"mcp-memory", "encrypted"} else "folder"
        raise InputError(
            Sentence(
                "Only jsonl can be written to standard output. Name a {target} for {format}.",
                target=target,
                format=options["format"],
            )
        )
    # That of an encrypted vault must not lie on the disk; this folder is in memory where the system has such a one.
    place = runtime_dir() if has_key_file(vault) else None
    if place is not None:
        make_folder(place)  # no host may have run since the person signed in
    with (
        tempfile.TemporaryDirectory(prefix="keepsake-export-", dir=place) as folder,
        open_connection(vault) as connection,
    ):
        file = Path(folder) / "export.jsonl"
        connection.work("exchange.export", _show, path=str(file), **options)
        with file.open(encoding="utf-8", newline="\n") as lines:
            for line in lines:
                terminal.say_encoded(line.rstrip("\n"))
        left_out = len(connection.call("attachment.list"))
    if left_out:
        terminal.tell(f"Attachments were left out ({left_out:,}). Export to a file or a folder to have them too.")
        raise typer.Exit(_SKIPPED_FILES)


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
    session: Annotated[str, typer.Option(help="Add it to this conversation, as the person's turn.")] = "",
) -> None:
    """Save a note, or a message of a conversation, and print its id."""
    content = terminal.given(text) if text not in {None, "-"} else piped_text(is_requested=text == "-")
    if not content.strip():
        raise InputError("The note is empty. Give its text as an argument or on standard input.")
    if session:
        _append(context.obj, content, terminal.given(session), terminal.given(title))
        return
    tags = [terminal.given(item) for item in tag]
    with open_connection(context.obj) as connection:
        note = connection.call("note.save", content=content, title=terminal.given(title), tags=tags, store=store)
    terminal.say(note["id"])


def _append(vault: Path, content: str, session: str, title: str) -> None:
    turn = {"role": "user", "content": content}
    with open_connection(vault) as connection:
        done = connection.call("session.append", messages=[turn], session=session, title=title)
    terminal.say(f"{done['session_id']}#{done['seqs'][-1]}" if done["seqs"] else done["session_id"])


@application.command()
def hook(
    context: typer.Context,
    event: Annotated[
        Literal["session-start", "prompt", "stop", "pre-compact"],
        typer.Argument(help="What happens at the agent.", show_default=False),
    ],
    max_tokens: Annotated[
        int | None, typer.Option(min=0, max=200_000, help="Tokens of recalled memories at most.", show_default=False)
    ] = None,
) -> None:
    """Serve a hook of an agent's client, which gives its JSON on standard input.

    At session-start and prompt it prints recalled memories for the agent; at stop and pre-compact it takes in what is
    new in the transcript. It never holds the agent up: the exit status is 0 whatever happens, also when Keepsake does
    not run. KEEPSAKE_TOKEN, or the file that
    KEEPSAKE_TOKEN_FILE names, says which agent it is.
    """
    from app.cli.quick.hook import run  # noqa: PLC0415

    raise typer.Exit(run(event, str(context.obj), max_tokens))


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
        from app.cli.generated.reference import operation_lines  # noqa: PLC0415

        _say_all(operation_lines(operation))
        return
    _refuse_secrets(operation, arguments)
    values = _arguments(piped_text(is_requested=True) if arguments == "-" else terminal.given(arguments))
    if isinstance(path := values.get(PATH), str) and path:
        values[PATH] = str(given_path(path))  # the host works in another folder
    with open_connection(context.obj) as connection:
        terminal.say_json(connection.call(operation, **values))


def _refuse_secrets(operation: str, arguments: str) -> None:
    """Refuse a key or a passphrase as an argument, where other programs can read it."""
    subject = operation.partition(".")[0]
    is_of_export = subject == "exchange" and '"passphrase"' in arguments
    if arguments != "-" and (
        operation == "secret.set" or is_of_export or (subject == "encryption" and arguments != "{}")
    ):
        what = "A key" if subject == "secret" else "A passphrase"
        words = {"secret": "secret set", "exchange": operation.replace(".", " ").removeprefix("exchange ")}
        command = f"keepsake {words.get(subject, 'encryption')}"
        raise InputError(
            Sentence(
                "{what} is not given as an argument, where others could see it. Use '{command}'.",
                what=what,
                command=command,
            )
        )


application.command()(mcp_command.mcp)
application.command()(maintenance.check)
application.command()(maintenance.restore)
application.command()(maintenance.salvage)


@application.command(name="help")
def help_(
    words: Annotated[list[str] | None, typer.Argument(help="A command, such as note save.", show_default=False)] = None,
) -> None:
    """Show the help of a command or subject."""
    terminal.say_all(help_lines(words or []))


@application.command()
def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], typer.Argument(help="bash, zsh or fish.", show_default=False)],
) -> None:
    """Print the script that completes keepsake in a shell.

    For bash and zsh put 'eval "$(keepsake completion bash)"', with the name of the shell, into ~/.bashrc or ~/.zshrc;
    for fish: keepsake completion fish > ~/.config/fish/completions/keepsake.fish
    """
    from app.cli.completion import script  # noqa: PLC0415

    terminal.say(script(shell).rstrip("\n"))


@application.command()
def docs(
    folder: Annotated[Path | None, typer.Argument(help="Target folder; the help of the program when left out.")] = None,
) -> None:
    """Write the reference of operations, settings and commands as Markdown."""
    from app.cli.generated.reference import write_reference  # noqa: PLC0415

    for path in write_reference(folder.absolute() if folder is not None else None):
        terminal.say(str(path))


def _show(progress: Any) -> None:
    terminal.show_line(reports.progress_words(progress))


def _settle(connection: Any) -> None:
    """Wait until search by meaning is ready, and report it."""
    begun = time.monotonic()
    if count := connection.call("vault.status")["pending_vectors"]:
        texts = "1 text" if count == 1 else f"{count:,} texts"
        terminal.tell(
            f"Imported and ready for search by words. Preparing search by meaning for {texts}; press Ctrl-C, or use"
            " --no-wait, to leave that for later."
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


def _arguments(text: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(
            Sentence("The arguments must be one JSON object such as '{{\"limit\": 5}}': {error}.", error=error)
        ) from error


def _say_all(lines: list[str]) -> None:
    for line in lines:
        terminal.say(line)
