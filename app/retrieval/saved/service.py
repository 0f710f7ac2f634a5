"""Saved-search service: save, rename, delete and order."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import apsw

from app.changes import Changed, ChangeSet
from app.core.clock import Clock, to_datetime, to_ms
from app.core.ids import new_id
from app.core.text import excerpt, storable
from app.errors import InputError, NotFoundError
from app.retrieval.saved import repo
from app.retrieval.saved.model import SavedSearch
from app.retrieval.saved.saved_search_applier import GONE, SavedSearchApplier
from app.retrieval.saved.saved_search_settler import MADE_BY
from app.sentence import Sentence
from app.store import meta
from app.store.store import Store

AREA: Final = "saved_searches"
_PERSON = "person"
_HISTORY: Final = SavedSearchApplier()
MAX_SAVED = 200
MAX_QUERY = 2_000
MAX_NAME = 120


class SavedSearches:
    """Saved searches of a vault.

    Args:
        store: The vault's database.
        clock: Current time.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def all(self) -> list[SavedSearch]:
        """Return every saved search in the person's order."""
        return await self._store.read(repo.all_in_order)

    async def save(self, query: str, name: str, actor: str) -> Changed[SavedSearch]:
        """Save a search; one that is saved already gets the name.

        Raises:
            InputError: The query is empty or too long, or there are too many.
        """
        query, name = _line(query), _line(name)[:MAX_NAME]
        if not 0 < len(query) <= MAX_QUERY:
            raise InputError(
                Sentence("A search to save has 1 to {max_query} characters.", max_query=MAX_QUERY),
                field="query",
                allowed=MAX_QUERY,
            )
        search = SavedSearch(
            new_id("search"), name or excerpt(query, MAX_NAME), query, to_datetime(self._clock.now_ms())
        )
        return await self._store.write(partial(_save, search=search, name=name, actor=actor))

    async def rename(self, identity: str, name: str, actor: str) -> Changed[SavedSearch]:
        """Give a saved search another name; an empty one makes the query its name.

        Raises:
            NotFoundError: There is none with this id.
        """
        at_ms = self._clock.now_ms()

        def work(connection: apsw.Connection) -> Changed[SavedSearch]:
            return _rename(connection, _known(connection, identity), _line(name)[:MAX_NAME], actor, at_ms)

        return await self._store.write(work)

    async def delete(self, identity: str, actor: str) -> Changed[SavedSearch]:
        """Delete a saved search and return it.

        Raises:
            NotFoundError: There is none with this id.
        """
        at_ms = self._clock.now_ms()

        def work(connection: apsw.Connection) -> Changed[SavedSearch]:
            known = _known(connection, identity)
            repo.delete(connection, identity, at_ms)
            return _changed(known, actor, _HISTORY.record(connection, known, None, actor, at_ms))

        return await self._store.write(work)

    async def order(self, ids: Sequence[str], actor: str) -> Changed[list[SavedSearch]]:
        """Put the saved searches into an order; those not named come last, as they were."""

        def work(connection: apsw.Connection) -> list[SavedSearch]:
            known = [search.id for search in repo.all_in_order(connection)]
            first = [identity for identity in dict.fromkeys(ids) if identity in known]
            repo.set_order(connection, [*first, *(identity for identity in known if identity not in first)])
            return repo.all_in_order(connection)

        return Changed(await self._store.write(work), ChangeSet(frozenset({AREA}), (), actor))


def _save(connection: apsw.Connection, search: SavedSearch, name: str, actor: str) -> Changed[SavedSearch]:
    at_ms = to_ms(search.created_at)
    known = repo.all_in_order(connection)
    same = next((other for other in known if other.query == search.query), None)
    if same is not None:
        return _rename(connection, same, name or same.name, actor, at_ms)
    if len(known) >= MAX_SAVED:
        raise InputError(
            Sentence("{max_saved} searches are saved already. Delete one first.", max_saved=MAX_SAVED),
            allowed=MAX_SAVED,
        )
    search = replace(search, id=repo.deleted_id(connection, search.query) or search.id)
    repo.add(connection, search)
    if actor == _PERSON:
        meta.remove(connection, MADE_BY + search.id)
    else:  # so that it can be taken back with what else an agent wrote
        meta.write(connection, MADE_BY + search.id, actor)
    return _changed(search, actor, _HISTORY.record(connection, None, search, actor, at_ms))


def _rename(connection: apsw.Connection, known: SavedSearch, name: str, actor: str, at_ms: int) -> Changed[SavedSearch]:
    renamed = replace(known, name=name or excerpt(known.query, MAX_NAME))
    repo.rename(connection, known.id, renamed.name)
    return _changed(renamed, actor, _HISTORY.record(connection, known, renamed, actor, at_ms))


def _known(connection: apsw.Connection, identity: str) -> SavedSearch:
    search = repo.get(connection, identity)
    if search is None:
        raise NotFoundError(GONE, id=identity)
    return search


def _line(text: str) -> str:
    """Return ``text`` on one line, without what a database cannot keep."""
    return " ".join(storable(text)[0].split())


def _changed(search: SavedSearch, actor: str, entries: tuple[int, ...]) -> Changed[SavedSearch]:
    return Changed(search, ChangeSet(frozenset({AREA}), (search.id,), actor, history_ids=entries))
