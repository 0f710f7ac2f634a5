"""Isolated vaults: one for each isolated agent, opened at its first call.

Each is opened once, and closed with the person's vault.
"""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import apsw

from app.agents import vault_folders
from app.agents.model import IsolatedVault
from app.agents.service import AREA
from app.changes import ChangeSet
from app.errors import MachineError, NotFoundError
from app.part import Part
from app.sentence import Sentence
from app.store.store import Store


class AgentVault(Protocol):
    """An open vault."""

    async def start(self) -> None:
        """Begin its background work."""

    def interrupt(self) -> None:
        """Tell its long work to stop."""

    async def stop(self) -> None:
        """Finish what is written and close it."""


V = TypeVar("V", bound=AgentVault)


class IsolatedVaults(Part, Generic[V]):
    """The vaults of isolated agents below ``<vault>/agents``. Belongs to one event loop.

    An agent is isolated when the setting ``agents.isolated`` names it or its registration says so. Then whatever it
    calls works on its own vault, which the person's vault knows nothing of, and the reverse. Who calls decides, not
    whom a call names: what the person or another agent stores *about* an isolated agent stays where they store it.

    Args:
        store: The person's vault.
        named: Gives the names in the setting.
        build: Opens the vault in a folder.
    """

    def __init__(self, store: Store, named: Callable[[], str], build: Callable[[Path], V]) -> None:
        self._store = store
        self._named = named
        self._build = build
        self._open: dict[Path, asyncio.Task[V]] = {}
        self._is_closed = False
        # Asked for with every call; reading it from the database took a third of a small call.
        self._registered: dict[str, bool] = {}

    async def of_caller(self, name: str) -> V | None:
        """Return the vault that an agent works on, ``None`` when that is the person's."""
        return await self.vault(name) if await self.is_isolated(name) else None

    async def is_isolated(self, name: str) -> bool:
        """Return whether an agent has a vault of its own now."""
        clean = vault_folders.cleaned(name)
        if clean in self._in_setting():
            return True
        registered = self._registered
        if name not in registered:
            registered[name] = await self._store.read(lambda connection: _is_registered(connection, name))
        return registered[name]

    def on_change(self, changes: ChangeSet) -> None:
        """Look at the registrations again after one of them has changed."""
        if AREA in changes.areas:
            # A new one: what is being read now may be out of date, and goes into the old one.
            self._registered = {}

    async def existing(self, name: str) -> V:
        """Return the vault of an agent that has one, isolated now or not.

        Raises:
            NotFoundError: It has none.
        """
        folder = vault_folders.folder_of(self._store.vault, name)
        if folder not in self._open and not (folder / vault_folders.DATABASE).exists():
            raise NotFoundError(
                Sentence("No agent named '{name}' has a vault of its own. See 'agent.vaults'.", name=name), agent=name
            )
        return await self.vault(name)

    async def vault(self, name: str) -> V:
        """Return an agent's vault, opened at the first call.

        Calls that come while it opens wait for the same vault.

        Raises:
            MachineError: It cannot be opened; the next call tries again.
        """
        folder = vault_folders.folder_of(self._store.vault, name)
        if folder not in self._open:
            vault_folders.prepare(folder, name)
        return await self.at(folder)

    async def at(self, folder: Path) -> V:
        """Return the vault in one of the agents' folders; see ``vault``."""
        opening = self._open.get(folder)
        if opening is None:
            if self._is_closed:
                raise MachineError("The vault is closing.")
            opening = asyncio.create_task(self._opened(folder), name="isolated-vault")
            # Where it fails and every caller has given up, nobody is left to hear of it.
            opening.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
            self._open[folder] = opening
        try:
            return await asyncio.shield(opening)
        except BaseException:
            if opening.done() and (opening.cancelled() or opening.exception() is not None):
                self._open.pop(folder, None)
            raise

    def paths(self) -> list[Path]:
        """Return the folders of all agents' vaults, open or not."""
        return [folder for _, folder in vault_folders.existing(self._store.vault)]

    async def all(self) -> list[V]:
        """Return the vaults of all agents that have one, opened."""
        return [await self.at(folder) for folder in self.paths()]

    def opened(self) -> tuple[str, ...]:
        """Return the names of the agents whose vaults are open."""
        return tuple(name for name, folder in vault_folders.existing(self._store.vault) if self._is_open(folder))

    async def listed(self) -> list[IsolatedVault]:
        """Return every agent's vault there is, by name."""
        return [
            IsolatedVault(
                name, str(folder), vault_folders.size_of(folder), self._is_open(folder), await self.is_isolated(name)
            )
            for name, folder in vault_folders.existing(self._store.vault)
        ]

    def interrupt(self) -> None:
        """Tell the long work of all of them to stop."""
        for vault in self._vaults():
            vault.interrupt()

    async def close(self) -> None:
        """Close all of them and open no more."""
        self._is_closed = True
        # One that is being opened must be closed too.
        await asyncio.gather(*self._open.values(), return_exceptions=True)
        await asyncio.gather(*(vault.stop() for vault in self._vaults()), return_exceptions=True)
        self._open.clear()

    async def _opened(self, folder: Path) -> V:
        vault = self._build(folder)
        await vault.start()
        return vault

    def _in_setting(self) -> set[str]:
        return {clean for part in self._named().split(",") if (clean := vault_folders.cleaned(part))}

    def _is_open(self, folder: Path) -> bool:
        opening = self._open.get(folder)
        return opening is not None and _has_result(opening)

    def _vaults(self) -> Iterator[V]:
        return (opening.result() for opening in self._open.values() if _has_result(opening))


def _has_result(task: "asyncio.Task[V]") -> bool:
    return task.done() and not task.cancelled() and task.exception() is None


def _is_registered(connection: apsw.Connection, name: str) -> bool:
    row = connection.execute("SELECT isolated FROM agents WHERE name = ? AND revoked_at IS NULL", (name,)).fetchone()
    return row is not None and bool(row[0])
