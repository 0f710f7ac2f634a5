"""Attachments of imports, which go and come back with them."""

import json
import re
import uuid
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import apsw

from app.attachments.model import FOLDER, name_of
from app.attachments.service import AttachmentService
from app.changes import Area
from app.history.model import UNDO, RunChanges
from app.store.store import Store

_LINK: Final = re.compile(rf"{FOLDER}/[^\s()<>\[\]\"'\\/]+")
_CLOCK_SLACK_MS: Final = 1000  # file systems round their times down
_MENTIONS: Final = f"instr({{}}, '{FOLDER}/')"
_ADDED: Final = (
    "SELECT target, target_kind, after ->> 'content' FROM (SELECT target, target_kind, state_json(after) AS after"
    " FROM memory_history WHERE run_id = ? AND event = 'ADD')"
    " WHERE target_kind = 'session' OR after ->> 'source' LIKE 'import:%'"
)
_STANDING: Final = (
    "SELECT content, attributes FROM memories"
    " WHERE (valid_until IS NULL OR ? AND id NOT IN (SELECT value FROM json_each(?)))"
    f" AND ({_MENTIONS.format('content')} OR {_MENTIONS.format('attributes')})"
)
_ARCHIVED: Final = (
    f"SELECT payload, '' FROM memory_archive WHERE {_MENTIONS.format('payload')}"
    " AND ? AND id NOT IN (SELECT value FROM json_each(?))"
)
_SAID: Final = (
    "SELECT m.content, '' FROM messages m JOIN sessions s ON s.id = m.session_id"
    f" WHERE {_MENTIONS.format('m.content')}"
    " AND (s.forgotten_at IS NULL OR ? AND s.id NOT IN (SELECT value FROM json_each(?)))"
)


@dataclass(slots=True)
class _Names:
    """Names of attachments that an import brought, and those of them that something still shows."""

    brought: set[str] = field(default_factory=set)
    shown: set[str] = field(default_factory=set)


class ImportedFiles:
    """Undoer of the files that imports brought.

    A file that something else shows stays, and so does one that was there before the import. What is undone is only set
    aside: it comes back with the notes, or when a single one of them is restored.

    Args:
        store: The vault's database.
        attachments: The vault's attachments.
    """

    def __init__(self, store: Store, attachments: AttachmentService) -> None:
        self._store = store
        self._attachments = attachments

    async def changes(self, run_id: str, after: int, limit: int) -> RunChanges:
        """Return nothing: files are not listed one by one."""
        return RunChanges()

    async def undo(self, run_id: str) -> frozenset[Area]:
        """Set aside what nothing shows, or bring back what something shows; see ``RunUndoer``."""
        base = run_id
        while base.startswith(UNDO):
            base = base.removeprefix(UNDO)
        since = _begun_ms(base)
        if since is None:
            return frozenset()
        names = await self._store.read(partial(_names_of_run, run_id=base))
        if not names.brought:
            return frozenset()
        moved = await self._attachments.bring_back(names.brought & names.shown)
        moved += await self._attachments.set_aside(names.brought - names.shown, since - _CLOCK_SLACK_MS)
        return frozenset({"attachments"}) if moved else frozenset()

    async def settle(self) -> None:
        """Bring back what is shown again, because bringing it back was cut off."""
        if names := await self._attachments.aside():
            shown = await self._store.read(_shown)
            await self._attachments.bring_back(shown.intersection(names))


def _names_of_run(connection: apsw.Connection, run_id: str) -> _Names:
    names, memories, sessions = _Names(), list[str](), list[str]()
    for target, kind, content in connection.execute(_ADDED, (run_id,)):
        if kind == "session":
            sessions.append(str(target))
            statement = "SELECT content FROM messages WHERE session_id = ?"
            for row in connection.execute(f"{statement} AND {_MENTIONS.format('content')}", (target,)):
                names.brought |= _in(str(row[0]))
        else:
            memories.append(str(target))
            names.brought |= _in(str(content))
    if names.brought:
        names.shown = _shown(connection, memories, sessions)
    return names


def _shown(
    connection: apsw.Connection, memories: list[str] | None = None, sessions: list[str] | None = None
) -> set[str]:
    """Return the attachments that something shows.

    What is deleted counts as well, without the memories and conversations named; nothing of it where none are.
    """
    shown: set[str] = set()
    named = json.dumps(memories), json.dumps(memories), json.dumps(sessions)
    for query, ids in zip((_STANDING, _ARCHIVED, _SAID), named, strict=True):
        for texts in connection.execute(query, (memories is not None, ids)):
            shown.update(*(_in(str(text)) for text in texts))
    return shown


def _in(text: str) -> set[str]:
    return {name for link_match in _LINK.finditer(text) if (name := name_of(link_match[0]))}


def _begun_ms(run_id: str) -> int | None:
    """Return when a run began, as its id says; ``None`` where it does not."""
    try:
        return uuid.UUID(run_id.partition("-")[2]).int >> 80
    except ValueError:
        return None
