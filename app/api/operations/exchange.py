"""Operations that bring foreign files in and take everything out."""

from dataclasses import replace
from typing import Literal

from app.api.caller import Caller
from app.api.operation import Handler
from app.api.registry import operation
from app.api.session_access import conversation
from app.changes import Changed, ChangeSet
from app.core.paths import whole_path
from app.core.stores import StoreName
from app.encryption.key_file import has_key_file
from app.engine import Engine
from app.errors import InputError
from app.exchange.formats.known_formats import SPECS
from app.exchange.formats.own import capsule, encrypted_export
from app.exchange.model import (
    ExportFormat,
    ExportReport,
    ImportPreview,
    ImportReport,
    NotesFolderStatus,
    UnfinishedImport,
)


def _with_formats(handler: Handler) -> Handler:
    """Put the names of all formats into the documentation of an operation."""
    names = (f"``{spec.name}`` ({spec.title})" for spec in SPECS.values())
    handler.__doc__ = (handler.__doc__ or "").replace("FORMATS", ", ".join(names))
    return handler


@operation("exchange.preview", owner_only=True)
async def preview(engine: Engine, caller: Caller, path: str, passphrase: str = "") -> ImportPreview:
    """Say what a file or folder is and what an import would make of it.

    Nothing is stored. It reads for some seconds at most, and says so when that was not all.

    Args:
        path: The file or folder on this machine.
        passphrase: What opens an encrypted export; without it the answer says that it is locked.
    """
    source = whole_path(path)
    report = await engine.exchange.service.preview(source, passphrase)
    if report.format != capsule.NAME:
        return report
    return replace(report, capsule=await engine.exchange.capsule_keys.origin(source))


@operation("exchange.notes_folder", owner_only=True)
async def notes_folder(engine: Engine, caller: Caller) -> NotesFolderStatus:
    """Return the folder of notes that is followed, with its counts."""
    return engine.note_folder.status()


@operation(
    "exchange.import",
    access="write",
    owner_only=True,
    review="unrehearsed",
    kind="note",
    undo="history",
    imports=True,
)
@_with_formats
async def import_file(
    engine: Engine,
    caller: Caller,
    path: str,
    format: str = "auto",
    job: str = "",
    store: StoreName = "private",
    skip_secrets: bool = False,
    passphrase: str = "",
    leave_out: list[str] | None = None,
) -> Changed[ImportReport]:
    """Import a file or folder; what is there already is not added again.

    Progress is published while it runs, and ``job.cancel`` stops it; what was imported until then stays.

    Args:
        path: A ChatGPT or Claude export (``conversations.json`` or its zip), transcripts of Claude Code, Codex, Gemini
            CLI, Cursor, pi or droid, chats of messengers, an mbox file of mails, notes of Markdown, Joplin, Notion,
            Apple or Evernote, PDF, Word and other documents, memories of other systems
            for agents, or Keepsake JSONL, encrypted or not.
        format: One of FORMATS, or ``auto`` to look.
        job: An id of the caller's own to watch and cancel it by.
        store: Who may see the imported notes.
        skip_secrets: Leave out notes and messages that look as if they held a key or a password.
        passphrase: What opens an encrypted export.
        leave_out: Names of parts of a folder with exports of several kinds that are not imported, as
            ``exchange.preview`` gives them.
    """
    source = whole_path(path)
    try:
        with engine.jobs.running(f"Importing {source.name or source}", "bytes", job) as work:
            if engine.config.flag("backup.before_import"):
                await engine.upkeep.backups.now("before-import")
            with engine.index.worker.delayed(), engine.store.held_open():
                report = await engine.exchange.service.import_path(
                    source,
                    format,
                    store,
                    caller.name,
                    work,
                    skip_secrets=skip_secrets,
                    passphrase=passphrase,
                    leave_out=leave_out or (),
                )
            work.outcome = "cancelled" if report.cancelled else "finished"
            if report.format == capsule.NAME and not report.cancelled:
                await engine.exchange.capsule_keys.remember(source)
    finally:
        # Also after a failure: batches committed before it are there to be shown.
        engine.publish(ChangeSet(frozenset({"sessions", "messages", "memories", "tags", "links"}), (), caller.name))
    return Changed(report, ChangeSet(frozenset({"imports"}), (), caller.name))


@operation("exchange.unfinished", owner_only=True)
async def unfinished(engine: Engine, caller: Caller) -> list[UnfinishedImport]:
    """Return the imports that were cut off, the latest first.

    Importing the same again goes on where it stopped, and adds nothing twice.
    """
    await engine.exchange.unfinished_imports.load()
    return list(engine.exchange.unfinished_imports.cut_off)


@operation("exchange.dismiss", access="write", owner_only=True, review="unrehearsed", kind="note", undo="needless")
async def dismiss(engine: Engine, caller: Caller, run_id: str) -> Changed[bool]:
    """Say nothing more about an import that was cut off.

    Args:
        run_id: The import, as ``exchange.unfinished`` names it.
    """
    await engine.exchange.unfinished_imports.load()
    unfinished = [
        interrupted for interrupted in engine.exchange.unfinished_imports.cut_off if interrupted.run_id == run_id
    ]
    for interrupted in unfinished:
        await engine.exchange.unfinished_imports.end(interrupted.path, interrupted.format)
    return Changed(bool(unfinished), ChangeSet(frozenset({"imports"}), (), caller.name))


@operation("exchange.export", owner_only=True)
async def export(
    engine: Engine,
    caller: Caller,
    path: str,
    format: ExportFormat = "jsonl",
    job: str = "",
    removed: bool = True,
    history: bool = False,
    plain_text: bool = False,
    passphrase: str = "",
) -> ExportReport:
    """Write all conversations and memories to a file or folder.

    Only the format ``encrypted`` is encrypted; the others are not, also where the vault is.

    Args:
        path: Where to; a file for ``jsonl`` and ``encrypted``, a new or empty folder for ``markdown`` and ``folder``.
        format: ``jsonl`` is complete and can be imported again; ``markdown`` is for reading; ``folder`` has both, the
            names as GraphML and a page that reads and searches them in a browser, and is verified by reading it again;
            ``encrypted`` is one complete file with the attachments that only a passphrase opens, verified likewise.
        job: An id of the caller's own to watch and cancel it by.
        removed: Also what was deleted, superseded, archived or forgotten, marked so; in ``jsonl``, ``folder`` and
            ``encrypted``.
        history: Also who changed what and when, with the text before and after; likewise.
        plain_text: Must be true in an encrypted vault, except for ``encrypted``: it says that the person knows that
            the file is not.
        passphrase: What will open an ``encrypted`` file, at least eight characters on one line; nobody can bring it
            back.
    """
    if not plain_text and format != encrypted_export.NAME and has_key_file(engine.vault):
        raise InputError(
            "These memories are encrypted, and this export is not. Use the format 'encrypted', or say that it may be"
            " plain text (--plain-text). A copy of the whole folder stays encrypted, too.",
            field="plain_text",
        )
    target = whole_path(path)
    with engine.jobs.running(f"Exporting to {target.name}", "items", job) as work:
        report = await engine.exchange.service.export_path(
            target, format, work, removed=removed, history=history, passphrase=passphrase
        )
        work.outcome = "finished"  # a cancelled one raises
    return report


@operation("exchange.export_session", owner_only=True)
async def export_session(
    engine: Engine,
    caller: Caller,
    session: str,
    path: str,
    format: Literal["markdown", "jsonl"] = "markdown",
    job: str = "",
) -> ExportReport:
    """Write one conversation to a file.

    Args:
        session: The conversation's id.
        path: The file to write; an earlier export there is replaced, anything else is not.
        format: ``markdown`` is for reading; ``jsonl`` is complete and can be imported again.
        job: An id of the caller's own to watch and cancel it by.
    """
    stored_session = await engine.sessions.service.get(await conversation(engine, caller, session))
    target = whole_path(path)
    with engine.jobs.running(f"Exporting to {target.name}", "items", job) as work:
        return await engine.exchange.service.export_session(stored_session, target, format, work)
