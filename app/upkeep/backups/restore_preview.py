"""Restore preview: the difference between the vault and a backup of it."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import apsw

from app.core.stop_signal import StopSignal
from app.core.text import excerpt
from app.errors import InputError
from app.sentence import Sentence
from app.store.interruption import interruptible
from app.store.sqlite_errors import file_problem
from app.store.staged_restore import open_copy
from app.upkeep.model import BackupCheck, ContentDifference, RestorePreview

_TITLES: Final = 8
_LONGEST: Final = 80
_SESSIONS = "SELECT id, message_count, title, preview, updated_at FROM sessions WHERE forgotten_at IS NULL"
_MEMORIES = (
    "SELECT id, updated_at, title, CASE title WHEN '' THEN substr(content, 1, 200) ELSE '' END, updated_at"
    " FROM memories WHERE valid_until IS NULL"
)


@dataclass(frozen=True, slots=True)
class _Item:
    """Conversation or memory: a number that tells versions apart, name and age."""

    version: int
    name: str
    at: int


@dataclass(frozen=True, slots=True)
class VaultContent:
    """Conversations and memories of a database, by id."""

    sessions: Mapping[str, _Item]
    memories: Mapping[str, _Item]


def read_content(connection: apsw.Connection) -> VaultContent:
    """Return what a database holds, without what was forgotten or deleted."""
    return VaultContent(_items(connection, _SESSIONS), _items(connection, _MEMORIES))


def read_backup(path: Path, stop: StopSignal) -> VaultContent:
    """Return the content of a backup.

    Args:
        path: Its database.
        stop: Stops the reading.

    Raises:
        CancelledByPersonError: ``stop`` was set.
        InputError: It cannot be read as one.
    """
    try:
        with closing(open_copy(path)) as connection, interruptible(connection, stop):
            return read_content(connection)
    except apsw.Error as error:
        raise InputError(
            Sentence(
                "{name} cannot be compared with the vault. {problem}", name=path.name, problem=file_problem(error, path)
            )
        ) from error


def compare(check: BackupCheck, vault: VaultContent, backup: VaultContent) -> RestorePreview:
    """Return what a restore would take away, bring back and change."""
    both = vault.memories.keys() & backup.memories.keys()
    changed = [name for name in both if vault.memories[name].version != backup.memories[name].version]
    return RestorePreview(check, _only_in(vault, backup), _only_in(backup, vault), len(changed))


def _only_in(content: VaultContent, other: VaultContent) -> ContentDifference:
    sessions = [item for name, item in content.sessions.items() if name not in other.sessions]
    memories = [item for name, item in content.memories.items() if name not in other.memories]
    messages = sum(
        max(0, item.version - (other.sessions[name].version if name in other.sessions else 0))
        for name, item in content.sessions.items()
    )
    newest = sorted((*sessions, *memories), key=lambda item: (-item.at, item.name))[:_TITLES]
    return ContentDifference(len(sessions), messages, len(memories), tuple(item.name for item in newest))


def _items(connection: apsw.Connection, sql: str) -> dict[str, _Item]:
    return {
        str(identity): _Item(int(version), excerpt(str(title or text), _LONGEST), int(at))
        for identity, version, title, text, at in connection.execute(sql)
    }
