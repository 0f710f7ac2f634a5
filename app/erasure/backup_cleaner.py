"""Erasure from backups: finding erased text in copies and removing it.

They are backups, a restore that waits for the next start, and what was set aside because it was damaged or replaced.
"""

import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import apsw

from app.core.files import from_os
from app.core.regular_files import open_replacing, require_folder
from app.erasure import file_residue, fts_vocabulary, older_copies, references
from app.erasure.eraser import EntityNameEraser, Eraser, Names
from app.erasure.model import BackupChoice, BackupFile, BackupOutcome, ErasureTarget
from app.errors import KeepsakeError
from app.store.backup import FOLDER
from app.store.connection import connect, open_writer
from app.store.files.strange_logs import SET_ASIDE
from app.store.sqlite_errors import translate_sqlite_errors
from app.store.staged_restore import ASIDE, DATABASE, STAGED

_WORD_INDEX = "chunks_fts"
_NEW = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE


class BackupCleaner:
    """Looks through backups and what was set aside. Blocks: for a thread of its own.

    Args:
        vault: The vault's folder.
        erasers: Who takes each kind of target away.
        names: Who takes away names that are used no more.
    """

    def __init__(self, vault: Path, erasers: Mapping[str, Eraser], names: EntityNameEraser) -> None:
        self._vault = vault
        self._erasers = erasers
        self._names = names
        self._tables: older_copies.Tables = {}

    def clean(
        self, targets: Sequence[ErasureTarget], samples: Sequence[str], choice: BackupChoice
    ) -> tuple[BackupFile, ...]:
        """Return the backups that hold any of ``targets`` and what became of each.

        Args:
            targets: What is forgotten.
            samples: Strings of it, for files that cannot be opened as databases of ours.
            choice: Keep those files, rewrite each without the targets, or delete it.
        """
        self._tables = self._tables_now()
        held = [path for path in self._copies() if self._holds(path, targets, samples)]
        return tuple(BackupFile(path.name, self._treat(path, targets, samples, choice)) for path in held)

    def _tables_now(self) -> older_copies.Tables:
        with translate_sqlite_errors(), closing(connect(self._vault / DATABASE, apsw.SQLITE_OPEN_READONLY)) as vault:
            return older_copies.tables_of(vault)

    def _copies(self) -> list[Path]:
        """Return what may hold a copy: databases, folders with the files of one, logs."""
        backups = self._vault / FOLDER
        try:
            require_folder(backups)
            copies = [*backups.glob("*.db*"), *(path for path in backups.glob("*Z-*") if path.is_dir())]
            for pattern in (f"{STAGED}*", f"{ASIDE}*", f"{DATABASE}{SET_ASIDE}"):
                copies += self._vault.glob(pattern)
        except OSError as error:
            raise from_os(error, self._vault) from error
        # What a link leads to is no copy of this vault, and not ours to change.
        return sorted(path for path in copies if not path.is_symlink())

    def _holds(self, path: Path, targets: Sequence[ErasureTarget], samples: Sequence[str]) -> bool:
        needles = [*samples, *(target.id for target in targets)]
        if path.is_dir():  # a log may belong to the database in it, and opening both would write beside them
            return bool(file_residue.found_in([file for file in path.rglob("*") if file.is_file()], needles))
        try:
            with closing(_look_into(path)) as copy:
                if older_copies.is_of_a_vault(copy):
                    older_copies.add_missing_tables(copy, self._tables)
                    return any(self._erasers[target.kind].exists(copy, target.id) for target in targets)
        except (apsw.Error, KeepsakeError):
            pass
        # Encrypted, damaged or no database of a vault: its bytes are all there is to go by.
        return bool(file_residue.found_in([path], needles))

    def _treat(
        self, path: Path, targets: Sequence[ErasureTarget], samples: Sequence[str], choice: BackupChoice
    ) -> BackupOutcome:
        if choice == "keep":
            return "kept"
        try:
            if choice == "delete":
                if path.is_dir():
                    shutil.rmtree(path)
                else:
                    path.unlink(missing_ok=True)
                return "deleted"
            if path.is_dir():
                return "unreadable"
            is_gone = self._rewrite(path, targets, samples)
        except OSError as error:
            raise from_os(error, path) from error
        except (apsw.Error, KeepsakeError):
            return "unreadable"
        return "rewritten" if is_gone else "incomplete"

    def _rewrite(self, path: Path, targets: Sequence[ErasureTarget], samples: Sequence[str]) -> bool:
        """Rewrite a backup without the targets; return whether no trace is left.

        It is replaced when the new one is whole.
        """
        partial = path.with_name(path.name + ".partial")
        try:
            os.close(open_replacing(partial))
            with closing(connect(partial, _NEW)) as target, closing(_look_into(path)) as source:
                with target.backup("main", source, "main") as task:
                    task.step(-1)
                target.pragma("journal_mode", "DELETE")
            with translate_sqlite_errors(), closing(open_writer(partial)) as copy:
                older_copies.add_missing_tables(copy, self._tables)
                names = self._erase(copy, targets)
                copy.pragma("journal_mode", "DELETE")
                file_residue.rewrite(copy)
                is_gone = not any(self._names.kept(copy, names)) and (
                    not _ghosts(copy, partial, samples) or _is_gone_without_words(copy, partial, samples)
                )
            partial.replace(path)
            return is_gone
        finally:
            for file in (partial, *file_residue.files_of(partial)):
                file.unlink(missing_ok=True)

    def _erase(self, copy: apsw.Connection, targets: Sequence[ErasureTarget]) -> Names:
        """Remove the targets and return the names they used."""
        with copy:
            names = {name for target in targets for name in self._names.names_in(copy, target.kind, target.id)}
            texts = [text for target in targets for text in self._erasers[target.kind].texts(copy, target.id)]
            names.update(self._names.unmentioned_in(copy, texts))
            for target in targets:
                while self._erasers[target.kind].step(copy, target.id, 1_000):
                    pass
            self._names.drop(copy, names)
            file_residue.forget_statistics(copy)
            file_residue.begin_merging_words(copy, _WORD_INDEX)
            while file_residue.merge_words(copy, _WORD_INDEX):
                pass
        return names


def _ghosts(copy: apsw.Connection, path: Path, samples: Sequence[str]) -> set[str]:
    """Return samples that are in a copy's bytes but in none of its rows."""
    unsaid = {hit for hit in file_residue.found_in([path], samples) if not references.find_quotes(copy, hit)}
    unsaid -= fts_vocabulary.known_substrings(copy, _WORD_INDEX, unsaid)
    return {sample for sample in unsaid if not references.meets_in_a_row(copy, sample)}


def _is_gone_without_words(copy: apsw.Connection, path: Path, samples: Sequence[str]) -> bool:
    """Rebuild the full-text index of a copy; return whether no trace is left."""
    file_residue.rebuild_words(copy, _WORD_INDEX)
    file_residue.rewrite(copy)
    return not _ghosts(copy, path, samples)


def _look_into(path: Path) -> apsw.Connection:
    """Open a backup for reading without writing anything beside it."""
    uri = path.absolute().as_uri() + "?immutable=1"
    return connect(path, apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI, uri)
