"""Check of a vault: file, references, derived data, permissions and backups."""

import contextlib
import os
import re
import stat
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path

import apsw

from app.attachments.model import FOLDER as ATTACHMENTS
from app.attachments.stored_files import files_of
from app.core.files import from_os
from app.index import rebuild
from app.index.long_memories import LEAVING_IDS
from app.index.rebuild import REPAIR
from app.index.vectors.vector_repo import HAS_VECTOR
from app.recovery import referential_repair
from app.sentence import Sentence, counted_sentence
from app.store import meta
from app.store.backup import FOLDER
from app.store.encryption.vault_conversion import plain_files
from app.store.files.database_file import read_failure
from app.store.files.strange_logs import DAMAGED_LOG, FOREIGN_LOG
from app.store.staged_restore import ASIDE, DATABASE, REFUSED, is_staged
from app.upkeep.backups import backup_files
from app.upkeep.model import Finding

_RESTORE = Sentence(
    "Restore a backup ('keepsake backup list'), or save what is readable with 'keepsake"
    " salvage'; until then nothing is lost that is readable now."
)
_MAX_LINES = 20
_OLD = timedelta(days=7)
# What SQLite says of an index that does not match its table, which can be made anew from it.
_INDEX_LINE = re.compile(
    r"(?:row \d+ missing|wrong # of entries in|non-unique entry in|rowid \d+ out of order in) index (\w+)"
    r"|row \d+ missing from index (\w+)"
)
# Of Dropbox, Nextcloud, ownCloud, Syncthing, Resilio, Google Drive, and placeholders of iCloud.
_CONFLICT = re.compile(
    r"conflict(?:ed)?[ _-]+cop|\(conflict|\.sync-conflict-|_conflict-|\.conflict\b"
    r"|~syncthing~|^\.syncthing\.|\.icloud$|\.!sync$",
    re.IGNORECASE,
)
# As OneDrive, iCloud and file managers name a second one: with a computer's name or a number.
_COPY_OF_OURS = re.compile(
    r"(?:memory|config|encryption)(?: ?\([^()]+\)|[ _-][^.]+)\.(?:db(?:-wal|-shm)?|toml|json)", re.IGNORECASE
)
_LOOKED_AT = 10_000  # characters of a message looked at for anything but white space


def findings(connection: apsw.Connection, vault: Path) -> list[Finding]:
    """Return the problems of a vault; reading all of it may take minutes.

    Raises:
        MachineError: The disk does not give the database, so nothing can be told of it.
    """
    if failure := read_failure(vault / DATABASE):
        raise from_os(failure, vault / DATABASE) from failure
    parts: list[Callable[[apsw.Connection], Iterator[Finding]]] = [_database, _references, _names]
    # While the index is being made anew there is nothing to compare it with.
    parts += [_rebuilding] if _is_rebuilding(connection) else [_words, _vectors]
    findings = [item for part in parts for item in _readable(part, connection)]
    if any(item.area == "database" and not item.is_mended_by_repair for item in findings):
        # Where a table is broken its indexes differ from it, and nothing derived can be made anew from it.
        findings = [item for item in findings if not item.is_mended_by_repair]
    # Every part stumbles over the same broken page.
    return [*dict.fromkeys(findings), *_attachments(vault), *_accessible(vault)]


def _is_rebuilding(connection: apsw.Connection) -> bool:
    try:
        return rebuild.is_unfinished(connection)
    except apsw.CorruptError:
        return False


def _rebuilding(_connection: apsw.Connection) -> Iterator[Finding]:
    what = Sentence("The search index is being made anew and does not hold everything yet.")
    yield Finding(
        "words", "warning", what, Sentence("It goes on by itself whenever Keepsake runs."), is_mended_by_repair=True
    )


def broken_index(line: str) -> str:
    """Return the index that a line of SQLite's check reports, ``""`` for none.

    Such an index can be rebuilt.
    """
    match = _INDEX_LINE.search(line)
    return "" if match is None else match[1] or match[2]


def _readable(part: Callable[[apsw.Connection], Iterator[Finding]], connection: apsw.Connection) -> list[Finding]:
    """Return what ``part`` finds; damage that keeps it from looking on is a finding too."""
    findings: list[Finding] = []
    try:
        findings.extend(part(connection))
    except apsw.CorruptError as error:
        findings.append(_damage(str(error)))
    return findings


def _damage(what: str) -> Finding:
    if "chunks_fts" in what or "fts5" in what:
        return Finding(
            "words",
            "error",
            Sentence("The word index is damaged: {what}.", what=what),
            REPAIR,
            is_mended_by_repair=True,
        )
    if broken_index(what):
        return Finding(
            "database", "error", Sentence("SQLite reports: {what}.", what=what), REPAIR, is_mended_by_repair=True
        )
    return Finding("database", "error", Sentence("SQLite reports: {what}.", what=what), _RESTORE)


def _database(connection: apsw.Connection) -> Iterator[Finding]:
    # FTS5 looks at the integrity of the index as this connection last saw it, and reports pages gone since as damage;
    # a search makes it look anew (SQLite 3.54.1).
    with contextlib.suppress(apsw.CorruptError):
        connection.execute("SELECT 1 FROM chunks_fts WHERE chunks_fts MATCH 'a' LIMIT 1").fetchall()
    for (line,) in connection.execute(f"PRAGMA integrity_check({_MAX_LINES})"):
        yield from (_damage(part) for part in str(line).splitlines() if part != "ok" and not part.startswith("***"))


def _references(connection: apsw.Connection) -> Iterator[Finding]:
    broken = connection.execute("PRAGMA foreign_key_check")
    for table, rowid, parent, _ in islice(broken, _MAX_LINES):
        yield _mendable(
            "references",
            Sentence("A row of {table} points to nothing in {parent}.", table=table, parent=parent)
            if rowid is None
            else Sentence(
                "Row {row} of {table} points to nothing in {parent}.", row=str(rowid), table=table, parent=parent
            ),
        )
    for what in referential_repair.wrong_counts(connection):
        yield _mendable("references", what)
    if number := referential_repair.stateless_sessions(connection):
        what = counted_sentence(
            number,
            "1 session lacks the note of how far it is.",
            "{count} sessions lack the note of how far they are.",
        )
        yield _mendable("references", what)


def _mendable(area: str, what: str) -> Finding:
    return Finding(area, "error", what, REPAIR, is_mended_by_repair=True)


def _names(connection: apsw.Connection) -> Iterator[Finding]:
    if number := connection.execute(STRAY_MENTIONS.format("SELECT count(*)")).get:
        what = counted_sentence(
            number,
            "1 mention of a person or thing stands in texts that are gone.",
            "{count} mentions of people and things stand in texts that are gone.",
        )
        yield _mendable("names", what)
    if number := connection.execute(STRAY_PENDING.format("SELECT count(*)")).get:
        yield _mendable(
            "names",
            counted_sentence(
                number,
                "1 text that is gone waits to be read for names.",
                "{count} texts that are gone wait to be read for names.",
            ),
        )


# What to do with them goes in front.
STRAY_MENTIONS = (
    "{} FROM mentions WHERE (owner_kind = 'memory' AND owner_id NOT IN (SELECT id FROM memories))"
    " OR (owner_kind = 'message' AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id ="
    " substr(owner_id, 1, length(owner_id) - length(m.seq) - 1) AND m.session_id || '#' || m.seq = owner_id))"
)
STRAY_PENDING = (
    "{} FROM pending_mentions WHERE (owner_kind = 'memory' AND owner_id NOT IN (SELECT id FROM memories))"
    " OR (owner_kind = 'session' AND owner_id NOT IN (SELECT id FROM sessions))"
)


def _words(connection: apsw.Connection) -> Iterator[Finding]:
    orphans = connection.execute(
        "SELECT count(*) FROM chunks c WHERE (c.memory_id IS NOT NULL AND NOT EXISTS"
        " (SELECT 1 FROM memories m WHERE m.id = c.memory_id AND m.valid_until IS NULL)"
        f" AND c.memory_id NOT IN ({LEAVING_IDS}))"
        " OR (c.kind <> 'memory' AND NOT EXISTS"
        " (SELECT 1 FROM sessions s WHERE s.id = c.session_id AND s.forgotten_at IS NULL)"
        " AND c.session_id NOT IN (SELECT session_id FROM session_moves))"
    ).get
    if orphans:
        yield _mendable(
            "words",
            counted_sentence(
                orphans, "1 search entry belongs to nothing.", "{count} search entries belong to nothing."
            ),
        )
    messages = connection.execute(
        "SELECT substr(m.content, 1, ?) FROM messages m JOIN sessions s ON s.id = m.session_id"
        " WHERE s.forgotten_at IS NULL AND s.id NOT IN (SELECT session_id FROM session_moves)"
        " AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.session_id = m.session_id AND c.kind = 'message'"
        " AND c.seq_start = m.seq)",
        (_LOOKED_AT,),
    )
    # What is blank is Python's to say: SQLite knows fewer kinds of white space.
    if missing := sum(1 for (content,) in messages if content.strip()):
        yield _mendable(
            "words",
            counted_sentence(
                missing, "1 message cannot be found by search.", "{count} messages cannot be found by search."
            ),
        )
    lost = connection.execute(
        "SELECT count(*) FROM memories m WHERE m.valid_until IS NULL"
        " AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.memory_id = m.id)"
    ).get
    if lost:
        yield _mendable(
            "words",
            counted_sentence(lost, "1 note cannot be found by search.", "{count} notes cannot be found by search."),
        )
    if unmeasured := connection.execute(
        "SELECT count(*) FROM chunks WHERE id NOT IN (SELECT chunk_id FROM chunk_lengths)"
    ).get:
        yield _mendable(
            "words",
            counted_sentence(
                unmeasured,
                "1 search entry lacks its number of words, which search ranks by.",
                "{count} search entries lack their number of words, which search ranks by.",
            ),
        )


def _vectors(connection: apsw.Connection) -> Iterator[Finding]:
    active = meta.read(connection, "generation")
    if active is None:
        return
    table = f"vectors_{int(active)}"
    if connection.execute("SELECT 1 FROM pragma_table_list WHERE name = ?", (table,)).get is None:
        yield _mendable("vectors", Sentence("The table of vectors is gone."))
        return
    stray = connection.execute(f"SELECT count(*) FROM (SELECT chunk_id FROM {table} EXCEPT SELECT id FROM chunks)").get
    if stray:
        yield _mendable(
            "vectors", counted_sentence(stray, "1 vector belongs to nothing.", "{count} vectors belong to nothing.")
        )
    lost = connection.execute(
        f"SELECT count(*) FROM (SELECT id FROM chunks WHERE {HAS_VECTOR} EXCEPT SELECT chunk_id FROM {table}"
        " EXCEPT SELECT chunk_id FROM pending_vectors)"
    ).get
    if lost:
        what = counted_sentence(
            lost,
            "1 search entry has no vector and waits for none.",
            "{count} search entries have no vector and wait for none.",
        )
        yield _mendable("vectors", what)


def _attachments(vault: Path) -> Iterator[Finding]:
    unreadable: list[str] = []
    attachments = list(files_of(vault / ATTACHMENTS, unreadable))
    unreadable += [attachment.name for attachment in attachments if not os.access(attachment.path, os.R_OK)]
    for name in unreadable[:_MAX_LINES]:
        place = vault / ATTACHMENTS if name == ATTACHMENTS else vault / ATTACHMENTS / name
        yield _refused(place.relative_to(vault))


def _accessible(vault: Path) -> list[Finding]:
    """Return what is wrong with the files, and the first that is refused."""
    findings: list[Finding] = []
    try:
        findings.extend(_files(vault))
    except PermissionError as error:
        findings.append(_refused(Path(str(error.filename or vault))))
    return findings


def _refused(path: Path) -> Finding:
    what = Sentence("The system refuses access to {path}.", path=path)
    return Finding("files", "error", what, Sentence("Check its permissions and those of its folder, then check again."))


def _files(vault: Path) -> Iterator[Finding]:
    yield from _leftovers(vault)
    for path in islice(plain_files(vault), _MAX_LINES):
        what = Sentence(
            "{name} is not encrypted, and these memories are: another program has put it there.",
            name=path.relative_to(vault),
        )
        yield Finding("files", "error", what, Sentence("It is not read. Move it out of the folder."))
    if os.name != "posix":
        return
    for path in private_files(vault):
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            what = Sentence("Others on this machine may read {name}.", name=path.name)
            yield Finding(
                "files", "warning", what, Sentence("Run: chmod go-rwx {path}", path=path), is_mended_by_repair=True
            )


def private_files(vault: Path) -> list[Path]:
    """Return the files that only their owner should read."""
    files = (*vault.glob(f"{DATABASE}*"), *vault.glob("backups/*.db"))
    return [vault, *(path for path in files if not path.is_symlink())]


def conflict_copies(vault: Path) -> list[Path]:
    """Return the copies that a sync program made in a vault.

    It makes one where two computers changed the same file, and names it after the file, with its own words, a
    computer's name or a number in between.
    """
    return sorted(
        path
        for folder in (vault, vault / FOLDER)
        if folder.is_dir()
        for path in folder.iterdir()
        if _CONFLICT.search(path.name) or (folder == vault and _COPY_OF_OURS.fullmatch(path.name))
    )


def _leftovers(vault: Path) -> Iterator[Finding]:
    for path in conflict_copies(vault):
        what = Sentence(
            "{name} looks like a copy that a sync program made. Keepsake does not read it.",
            name=path.relative_to(vault),
        )
        remedy = Sentence(
            "Look into it with 'keepsake --vault' in a folder of its own, then move it away; and"
            " keep the vault out of synchronised folders."
        )
        yield Finding("files", "warning", what, remedy)
    for path in sorted(vault.glob(f"{DATABASE}{FOREIGN_LOG}*")):
        what = Sentence(
            "A log that is not this database's, or an older one of it, lay beside it and was set"
            " aside as {name}. The database is whole without it.",
            name=path.name,
        )
        yield Finding("files", "warning", what, Sentence("Look whether anything is missing, then delete the file."))
    for path in sorted(vault.glob(f"{DATABASE}{DAMAGED_LOG}*")):
        what = Sentence(
            "The database's log was damaged and was set aside as {name}; what was written last may be missing.",
            name=path.name,
        )
        yield Finding("files", "warning", what, Sentence("Look whether anything is missing, then delete the file."))
    if is_staged(vault):
        what = Sentence("A backup waits to take the vault's place at the next start.")
        yield Finding("backups", "warning", what, Sentence("Call it off with 'keepsake call backup.cancel_restore'."))
    for path in sorted(vault.glob(f"{REFUSED}*")):
        what = Sentence("{name} is a backup that could not be restored, so the restore was called off.", name=path.name)
        yield Finding(
            "files", "warning", what, Sentence("Restore another backup; delete this file if it is of no use.")
        )
    for path in sorted(vault.glob(f"{ASIDE}*")):
        what = Sentence("{name} holds a database that a restore replaced.", name=path.name)
        yield Finding(
            "files", "warning", what, Sentence("Delete the folder once you are sure that nothing in it is missed.")
        )


def backup_findings(vault: Path, since: datetime | None, now: datetime) -> Iterator[Finding]:
    """Return what is to be said of the backups of a vault.

    Args:
        vault: Its folder.
        since: When something was first written, ``None`` when nothing was.
        now: The time.
    """
    backups = backup_files.list_backups(vault)
    for item in backups:
        if not item.schema and not item.is_damaged_original:
            remedy = Sentence("Move it away; it cannot be restored.")
            yield Finding(
                "backups", "warning", Sentence("{name} in the backups is no database.", name=item.name), remedy
            )
    last = max((item.created_at for item in backups if item.schema and item.created_at <= now), default=None)
    if since is None or now - (last or since) <= _OLD:
        return
    age = (
        Sentence("The newest backup is {days} days old.", days=(now - last).days)
        if last
        else Sentence("There is no backup.")
    )
    remedy = Sentence("Run 'keepsake backup'; 'keepsake config set backup.daily true' has one made every day.")
    yield Finding("backups", "warning", age, remedy)
