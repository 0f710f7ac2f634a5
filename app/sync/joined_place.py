"""Place where a vault is shared, and the one connection to it."""

import asyncio
from dataclasses import dataclass
from typing import Final

import apsw

from app.core.process.daemon_thread import Calls, in_daemon_thread
from app.store import meta
from app.store.store import Store
from app.sync.exchanges.exchange_places import place_of
from app.sync.exchanges.exchange_point import ExchangePoint
from app.sync.membership import Membership

PLACE_KEY: Final = "sync.place"
VAULT_KEY: Final = "sync.vault"


@dataclass(frozen=True, slots=True)
class JoinedPlace:
    """Place where the vault is shared.

    Args:
        point: The exchange point.
        vault: The id that all machines call the vault by.
        address: The address of the place, without a password.
    """

    point: ExchangePoint
    vault: str
    address: str


class PlaceReach:
    """Connection to the place where a vault is shared, made when it is needed.

    Args:
        store: The vault's database, which knows the place.
        membership: Keeps the password of the place.
    """

    def __init__(self, store: Store, membership: Membership) -> None:
        self._store = store
        self._membership = membership
        self._one_at_a_time = asyncio.Lock()  # or two would make a connection each, and one be forgotten open
        self._reached: JoinedPlace | None = None
        self.calls = Calls()
        """Calls to the place; none of those that wait keeps the vault from being closed."""

    async def joined(self) -> JoinedPlace | None:
        """Return the place where the vault is shared, ``None`` where it is not."""

        def work(connection: apsw.Connection) -> tuple[str | None, str | None]:
            return meta.read(connection, PLACE_KEY), meta.read(connection, VAULT_KEY)

        async with self._one_at_a_time:
            address, vault = await self._store.read(work)
            if address is None or vault is None:
                return None
            if self._reached is None or (self._reached.address, self._reached.vault) != (address, vault):
                if self._reached is not None:
                    self.calls.give_up()
                await self._end()
                full = await self._membership.address(address)
                self._reached = JoinedPlace(place_of(full).point(vault), vault, address)
            return self._reached

    async def hear(self, seconds: float) -> bool | None:
        """Wait until another machine adds something, or some seconds.

        Returns whether it did, ``None`` where the place does not tell, so that one has to look.

        Raises:
            MachineError: The place cannot be reached.
        """
        joined = await self.joined()
        if joined is None or not joined.point.hears:
            await asyncio.sleep(seconds)
            return None
        return await in_daemon_thread(joined.point.wait, seconds)

    async def let_go(self) -> None:
        """End the connections to the place that was used until then."""
        async with self._one_at_a_time:
            await self._end()

    async def _end(self) -> None:
        reached, self._reached = self._reached, None
        if reached is not None:
            await asyncio.to_thread(reached.point.close)  # which waits for no server
