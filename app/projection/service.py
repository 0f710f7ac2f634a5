"""Projection of the shared memories into a database, and the proposals of agents there.

All of it is plain text on the server, as the person chose: only what lies in the store ``shared`` and is live goes
there, and only what agents may see of that store comes back in answers.
"""

import asyncio
import logging
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from typing import Any, Final, Protocol

import apsw

from app.core.clock import DAY_MS, Clock, optional_datetime
from app.core.ids import new_vault_id
from app.core.item_batches import batched
from app.core.process.daemon_thread import Calls, in_daemon_thread, stoppable
from app.erasure import erasures
from app.errors import CallStoppedError, InputError, KeepsakeError, MachineError
from app.projection import shared_memory_rows
from app.projection.model import DatabaseProposal, ProjectionState, SharedRow
from app.projection.shared_tables import SharedTables
from app.store import meta
from app.store.store import Store
from app.sync.exchanges.exchange_places import without_password
from app.sync.exchanges.postgresql_exchange import SCHEMES, database_at
from app.sync.sealing.key_store import KeyStore

_log = logging.getLogger(__name__)

_ID, _SCHEMA, _PLACE = "projection.id", "projection.schema", "projection.place"
_FORMER: Final = "projection.former"
"""The id of the projection that was ended."""
_BATCH: Final = 200
_SHORT_S: Final = 10.0
"""So long the person waits for a server that says nothing."""
_BATCH_CHARACTERS: Final = 4_000_000


class ProposalCalls(Protocol):
    """Calls of operations as the agents that proposed them."""

    def may_begin_again(self, proposal: DatabaseProposal) -> bool:
        """Return whether a proposal that may be done already can be called once more."""

    async def call(self, proposal: DatabaseProposal) -> dict[str, Any]:
        """Carry a proposal out and return its answer, also where it is refused."""

    async def decision(self, agent: str, number: int) -> dict[str, Any] | None:
        """Return what became of an agent's proposal in the inbox, ``None`` while it waits."""


class ProjectionService:
    """Keeps the tables of a database as the store ``shared`` is, and answers proposals there.

    Args:
        store: The vault's database.
        clock: The source of the time.
        key_store: Keeps the address with its password, outside the vault.
    """

    def __init__(self, store: Store, clock: Clock, key_store: KeyStore) -> None:
        self._store = store
        self._clock = clock
        self._key_store = key_store
        self.calls = Calls()
        """Calls to the server; none of those that wait keeps the vault from being closed."""
        self._one_at_a_time = asyncio.Lock()
        self._has_begun = asyncio.Event()
        self._tables: SharedTables | None = None
        self._proposal_calls: ProposalCalls | None = None
        self._problem: str = ""
        self._projected_ms: int | None = None
        self._compared_ms: int | None = None
        self._entry = 0
        self._erasures = 0

    def answer_by(self, calls: ProposalCalls) -> None:
        """Have proposals answered from now on."""
        self._proposal_calls = calls

    async def state(self) -> ProjectionState:
        """Return what is projected, and where."""
        settings = await self._settings()
        if settings is None:
            return ProjectionState()
        _, schema, place = settings
        return ProjectionState(place, schema, optional_datetime(self._projected_ms), self._problem)

    @stoppable
    async def begin(self, address: str, schema: str) -> ProjectionState:
        """Make the tables at an address, and fill them from now on.

        Raises:
            InputError: The vault is projected already, or another one there.
            MachineError: The server cannot be reached, or refuses it.
        """
        if not address.startswith(SCHEMES):
            raise InputError(
                "This is no address of a database. It looks like postgresql://name@server/database.", field="place"
            )
        async with self._one_at_a_time:
            if await self._settings() is not None:
                raise InputError("The shared store is projected already. End that first.")
            # Tables that could not be given back are its own still.
            former = await self._store.read(partial(meta.read, key=_FORMER))
            tables = SharedTables(database_at(address), schema, former or new_vault_id())
            try:
                await in_daemon_thread(tables.make)
            finally:
                await asyncio.to_thread(tables.close)
            await asyncio.to_thread(self._key_store.keep_address, _name(tables.projector), address)
            values = {_ID: tables.projector, _SCHEMA: schema, _PLACE: without_password(address)}
            await self._store.write(partial(_write, values))
            self._problem, self._projected_ms, self._compared_ms = "", None, None
        self._has_begun.set()
        return await self.state()

    async def end(self, *, keeps_rows: bool) -> ProjectionState:
        """Project nothing more.

        Args:
            keeps_rows: Whether what is in the database stays there, also where it cannot be reached.

        Raises:
            InputError: Nothing is projected.
            MachineError: The tables cannot be emptied.
        """
        self.calls.give_up()
        async with self._one_at_a_time:
            if (settings := await self._settings()) is None:
                raise InputError("The shared store is not projected.")
            if keeps_rows:
                await self._give_back()
            else:
                await self._empty()
            self._has_begun.clear()
            await self.close()
            await self._store.write(partial(_write, {_ID: None, _SCHEMA: None, _PLACE: None, _FORMER: settings[0]}))
            await asyncio.to_thread(self._key_store.remove, _name(settings[0]))
            self._problem = ""
        return await self.state()

    @stoppable
    async def _empty(self) -> None:
        tables = await self._reached()
        await in_daemon_thread(tables.require_own)
        await in_daemon_thread(tables.empty)

    @stoppable
    async def _give_back(self) -> None:
        """Let others have the tables, unless they cannot be reached."""
        try:
            async with asyncio.timeout(_SHORT_S):
                tables = await self._reached()
                await in_daemon_thread(tables.give_back)
        except (InputError, MachineError, TimeoutError) as error:
            _log.info("the tables of the shared store were not given back: %s", type(error).__name__)

    async def until_begun(self) -> None:
        """Wait until the person wants the projection."""
        while True:
            self._has_begun.clear()
            if await self._settings() is not None:
                return
            await self._has_begun.wait()

    @stoppable
    async def hear(self, seconds: float) -> bool | None:
        """Wait some seconds for a proposal, and return whether there is one.

        ``None`` where the server does not tell of them.
        """
        tables = self._tables
        if tables is None or not tables.hears:
            await asyncio.sleep(seconds)
            return None
        return await in_daemon_thread(tables.wait, seconds)

    @stoppable
    async def project(self, changed: Collection[str] | None) -> bool:
        """Bring the tables up to date, and answer proposals.

        Args:
            changed: The memories that changed, as far as is known; ``None`` to compare all.

        Raises:
            MachineError: The server cannot be reached, or the tables are gone.

        Returns:
            Whether more proposals may be there.
        """
        async with self._one_at_a_time:
            if await self._settings() is None:
                return False
            try:
                tables = await self._reached()
                await in_daemon_thread(tables.require_own)
                now_ms = self._clock.now_ms()
                is_old = self._compared_ms is None or now_ms - self._compared_ms >= DAY_MS
                await self._bring_up_to_date(tables, None if is_old else changed, now_ms)
                self._projected_ms = now_ms
                has_more = await self._answer(tables)
            except CallStoppedError:
                raise
            except KeepsakeError as error:
                self._problem, self._compared_ms = error.sentence, None
                raise
            self._problem = ""
            return has_more

    async def close(self) -> None:
        """End the connections to the database."""
        tables, self._tables = self._tables, None
        if tables is not None:
            await asyncio.to_thread(tables.close)  # which waits for no server

    async def _settings(self) -> tuple[str, str, str] | None:
        def work(connection: apsw.Connection) -> list[str | None]:
            return [meta.read(connection, key) for key in (_ID, _SCHEMA, _PLACE)]

        projector, schema, place = await self._store.read(work)
        return None if projector is None or schema is None else (projector, schema, place or "")

    async def _reached(self) -> SharedTables:
        settings = await self._settings()
        if settings is None:
            raise InputError("The shared store is not projected.")
        projector, schema, _ = settings
        if self._tables is None:
            address = await asyncio.to_thread(self._key_store.address, _name(projector))
            if not address:
                raise InputError(
                    "The address of the database is not on this machine. End the projection here with 'keep_rows', and"
                    " begin it again where it is wanted."
                )
            self._tables = SharedTables(database_at(address), schema, projector)
        return self._tables

    async def _bring_up_to_date(self, tables: SharedTables, changed: Collection[str] | None, now_ms: int) -> None:
        since_ms, entry = self._projected_ms or 0, self._entry

        def news(connection: apsw.Connection) -> tuple[int, set[str], set[str]]:
            erased = {target.id for target in erasures.all_targets(connection)}
            targets = shared_memory_rows.changed_since(connection, entry, since_ms, now_ms)
            return shared_memory_rows.last_entry(connection), targets, erased

        def those_of(ids: list[str], connection: apsw.Connection) -> list[SharedRow]:
            return shared_memory_rows.rows_of(connection, ids, now_ms)

        last, targets, erased = await self._store.read(news)
        if changed is None:
            there = await in_daemon_thread(tables.versions)
            versions = await self._store.read(partial(_versions, now_ms))
            known = there.keys() | versions.keys()
            ids = {identity for identity in known if there.get(identity) != versions.get(identity)} | erased
        else:
            ids = {*changed, *targets} | (erased if len(erased) != self._erasures else set())
        for batch in batched(sorted(ids), _BATCH):
            rows = await self._store.read(partial(those_of, batch))
            for few in _few(rows):
                await in_daemon_thread(tables.put, few)
            live = {row.id for row in rows}
            await in_daemon_thread(tables.remove, [identity for identity in batch if identity not in live], erased)
        self._entry, self._erasures = last, len(erased)
        if changed is None:
            await in_daemon_thread(tables.prune)
            self._compared_ms = now_ms

    async def _answer(self, tables: SharedTables) -> bool:
        """Answer the proposals that are there; return whether there may be more."""
        if (calls := self._proposal_calls) is None:
            return False
        for proposal, agent, number in await in_daemon_thread(tables.waiting):
            decision = await calls.decision(agent, number)
            if decision is not None:
                await in_daemon_thread(tables.answer, proposal, decision)
        proposals = await in_daemon_thread(tables.open_proposals)
        for request in proposals:
            if not calls.may_begin_again(request):
                if request.has_begun:
                    await in_daemon_thread(tables.answer, request.id, _UNKNOWN)
                    continue
                await in_daemon_thread(tables.answer, request.id, {"outcome": "begun"})
            await in_daemon_thread(tables.answer, request.id, await calls.call(request))
        return bool(proposals)


_UNKNOWN: Final = {
    "outcome": "unknown",
    "message": "Keepsake was cut off while it did this. Look whether it is done before you propose it again.",
}


def _versions(now_ms: int, connection: apsw.Connection) -> dict[str, str]:
    return {row.id: row.version for row in shared_memory_rows.all_rows(connection, now_ms)}


def _few(rows: list[SharedRow]) -> Iterator[list[SharedRow]]:
    """Yield rows in lists of a bounded length of text."""
    few, length = list[SharedRow](), 0
    for row in rows:
        size = len(row.values["content"])
        if few and length + size > _BATCH_CHARACTERS:
            yield few
            few, length = [], 0
        few.append(row)
        length += size
    yield few


def _write(values: Mapping[str, str | None], connection: apsw.Connection) -> None:
    for key, value in values.items():
        if value is None:
            meta.remove(connection, key)
        else:
            meta.write(connection, key, value)


def _name(projector: str) -> str:
    return f"projection-{projector}"
