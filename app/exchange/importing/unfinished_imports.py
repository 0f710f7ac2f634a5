"""Imports under way, kept in the vault to know those that were cut off."""

import json
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final

import apsw

from app.core.clock import Clock, to_datetime
from app.core.text import content_hash, storable
from app.errors import DiskFullError
from app.exchange.importing.import_run import new_import_run
from app.exchange.model import UnfinishedImport
from app.sentence import Sentence
from app.store.store import Store

_KEY: Final = "unfinished_import:"
_LAST: Final = _KEY[:-1] + ";"


class UnfinishedImports:
    """Imports that have begun and not ended.

    Args:
        store: The vault's database.
        clock: The source of the time.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._running: set[str] = set()
        self._found: tuple[UnfinishedImport, ...] = ()

    async def begin(self, path: str, format_name: str) -> str:
        """Keep that an import has begun, and return its run.

        It is the run of the one that was cut off where there is one of the same source.
        """
        key = _key(path, format_name)
        self._running.add(key)
        state = {"path": storable(path)[0], "format": format_name, "run_id": new_import_run()}
        try:
            run_id = await self._store.write(partial(_begin, key=key, state=state | {"begun_ms": self._clock.now_ms()}))
        except DiskFullError:  # what is there already needs no room, and the import itself says when there is none
            return state["run_id"]
        await self.load()
        return run_id

    async def end(self, path: str, format_name: str) -> None:
        """Forget an import, because it has ended or is not wanted any more."""
        key = _key(path, format_name)
        self._running.discard(key)
        with suppress(DiskFullError):  # the next start then offers it once more, which adds nothing twice
            await self._store.write(partial(_drop, key=key))
        await self.load()

    async def load(self) -> None:
        """Look for imports that were cut off."""
        self._found = await self._store.read(partial(_all, is_running=self._running.__contains__))

    @property
    def cut_off(self) -> tuple[UnfinishedImport, ...]:
        """Imports that were cut off, the latest first."""
        return self._found

    @property
    def failures(self) -> tuple[str, ...]:
        """A sentence for each import that was cut off."""
        return tuple(
            Sentence(
                "An import of {path} was cut off. Import it again to go on; nothing is added twice.",
                path=unfinished.path,
            )
            for unfinished in self.cut_off
        )


def _key(path: str, format_name: str) -> str:
    return _KEY + content_hash(f"{format_name}:{path}")


def _begin(connection: apsw.Connection, key: str, state: dict[str, Any]) -> str:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    if row is not None:
        return str(json.loads(str(row[0]))["run_id"])
    connection.execute("INSERT INTO meta (key, value) VALUES (?, ?)", (key, json.dumps(state)))
    return str(state["run_id"])


def _drop(connection: apsw.Connection, key: str) -> None:
    connection.execute("DELETE FROM meta WHERE key = ?", (key,))


def _all(connection: apsw.Connection, is_running: Callable[[object], bool]) -> tuple[UnfinishedImport, ...]:
    rows = connection.execute("SELECT key, value FROM meta WHERE key >= ? AND key < ?", (_KEY, _LAST)).fetchall()
    states = [json.loads(str(value)) for key, value in rows if not is_running(key)]
    imports = (
        UnfinishedImport(state["path"], state["format"], to_datetime(state["begun_ms"]), state["run_id"])
        for state in states
    )
    return tuple(sorted(imports, key=lambda unfinished: unfinished.begun_at, reverse=True))
