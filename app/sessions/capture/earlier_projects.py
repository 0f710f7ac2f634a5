"""Projects of conversations whose transcripts were taken in before projects were known."""

import asyncio
import logging
from collections.abc import Mapping
from functools import partial
from typing import Final

import apsw

from app.core.text_rules.project_name import ATTRIBUTE, project_of, project_sql
from app.errors import KeepsakeError
from app.store import meta
from app.store.store import Store

_log = logging.getLogger(__name__)

_DONE: Final = "earlier_projects"
_AT_ONCE: Final = 200  # folders whose conversations one transaction changes
_WAITING: Final = f"s.attributes ->> '$.cwd' IS NOT NULL AND {project_sql('s')} IS NULL"
_NAMED: Final = "s.attributes ->> '$.cwd' = ?1 AND " + _WAITING


class EarlierProjects:
    """Finds the projects once, by the folders that are still there.

    Args:
        store: The vault's database.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self.failure = ""

    async def run(self) -> None:
        """Name the project of each conversation that has none."""
        try:
            folders = await self._store.read(_folders, is_background=True)
            if not folders:
                return
            names = await asyncio.to_thread(lambda: {folder: project_of(folder) for folder in folders})
            known = [(folder, name) for folder, name in names.items() if name]
            for at in range(0, len(known), _AT_ONCE):
                some = dict(known[at : at + _AT_ONCE])
                await self._store.write(partial(_name, names=some), is_bookkeeping=True)
            await self._store.write(partial(meta.write, key=_DONE, value="1"), is_bookkeeping=True)
        except KeepsakeError as error:
            # A convenience: the failure shows in the status, and the next start tries again.
            self.failure = error.sentence
            _log.info("projects of earlier conversations are not known: %s", error.code)


def _folders(connection: apsw.Connection) -> list[str]:
    if meta.read(connection, _DONE) is not None:
        return []
    rows = connection.execute(f"SELECT DISTINCT s.attributes ->> '$.cwd' FROM sessions s WHERE {_WAITING}")
    return [row[0] for row in rows if isinstance(row[0], str)]


def _name(connection: apsw.Connection, names: Mapping[str, str]) -> None:
    for folder, name in names.items():
        connection.execute(
            f"UPDATE sessions AS s SET attributes = json_set(attributes, '$.{ATTRIBUTE}', ?2) WHERE {_NAMED}",
            (folder, name),
        )
