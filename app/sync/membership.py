"""Membership of this device: its keys, and the list of all members.

The entries of the list are kept in the vault, so that a place that lost some gets them again, and one that shows others
is noticed. The keys are kept outside it. Owns the vault's ``sync.device``, ``sync.unproven``,
``sync.revision`` and ``sync.member.…`` values.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import apsw

from app.core.clock import Clock
from app.core.process.daemon_thread import in_daemon_thread
from app.errors import ExchangeError, InputError
from app.sentence import Sentence
from app.store import meta
from app.store.store import Store
from app.sync.exchanges.exchange_point import ExchangePoint
from app.sync.sealing import device_state, key_manifest, member_list, primitives
from app.sync.sealing.device_keys import DeviceKeys, new_device_keys
from app.sync.sealing.key_store import KeyStore
from app.sync.sealing.member_list import MOST_MEMBERS, Member, MemberList
from app.sync.sealing.primitives import NotOpenedError
from app.sync.sealing.signed_text import TornError
from app.sync.segments.lane_sealer import LaneSealer

_DEVICE, _ENTRY = "sync.device", "sync.member."
REVISION: Final = "sync.revision"
"""Number of times that this device got other keys.

What it then adds anew has another name, for a folder that lags.
"""
UNPROVEN: Final = "sync.unproven"
"""Set where the keys are others than before, so that some of what was added may open for no machine."""
_TRIES: Final = 5
LONGEST_NAME: Final = 64

Change = Callable[[MemberList, dict[str, str]], MemberList | None]
"""Change of the list of members: returns the new list, or ``None`` to leave it; names are changed in place."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Standing of this device among the members.

    Args:
        keys: Its keys.
        lists: The list as of each entry, the newest last.
    """

    keys: DeviceKeys
    lists: Sequence[MemberList]

    @property
    def members(self) -> MemberList:
        """The list as it is now."""
        return self.lists[-1]

    @property
    def names(self) -> Mapping[str, str]:
        """The names of all devices, by id."""
        return member_list.names_of(self.members, self.keys)


class Membership:
    """Keeps the keys of a vault's device and its list of members.

    Belongs to one event loop.

    Args:
        store: The vault's database.
        clock: The source of the time.
        key_store: Where the keys are.
    """

    def __init__(self, store: Store, clock: Clock, key_store: KeyStore) -> None:
        self._store = store
        self._clock = clock
        self.key_store = key_store
        self._one_at_a_time = asyncio.Lock()
        self._checked: tuple[list[bytes], list[MemberList]] = ([], [])

    async def device(self) -> str:
        """Return the id of the vault's device, ``""`` where it has none."""
        return await self._store.read(partial(meta.read, key=_DEVICE)) or ""

    async def is_member(self, vault: str) -> bool:
        """Return whether this device is a member of a vault, as it is known here."""
        device = await self.device()
        keys = await asyncio.to_thread(self.key_store.keys, device) if device else None
        entries = await self._store.read(_entries)
        if keys is None or not entries or member_list.vault_of(entries[0]) != vault:
            return False
        return keys.id in self._chain(vault, entries)[-1].members

    async def address(self, shown: str) -> str:
        """Return the address of the place with its password.

        Args:
            shown: The address without it.
        """
        device = await self.device()
        return (await asyncio.to_thread(self.key_store.address, device) if device else "") or shown

    async def keep_address(self, address: str, shown: str) -> None:
        """Keep the address of the place where it has a password.

        Args:
            address: The address.
            shown: The same without what must stay secret.
        """
        device = await self.device()
        kept = "" if address == shown else address
        if kept or await asyncio.to_thread(self.key_store.address, device):
            await asyncio.to_thread(self.key_store.keep_address, device, kept)

    async def found(self, vault: str, name: str) -> None:
        """Become the first member of a vault that others may join.

        Args:
            vault: The id of the vault.
            name: The name of this device.
        """
        keys = replace(new_device_keys(), shared=primitives.random_key(), epochs={1: primitives.random_key()})
        before = MemberList(vault)
        first = self._member(keys)
        after = member_list.with_device(replace(before, epoch=1), first)
        data = member_list.entry(before, after, keys, {first.id: checked_name(name)})
        keys = replace(keys, anchor=member_list.following(before, data).digest)
        await self.take_up(keys, [data])

    async def take_up(self, keys: DeviceKeys, entries: Sequence[bytes]) -> None:
        """Become the device that has some keys; those of the one before are destroyed.

        Args:
            keys: The keys.
            entries: The entries of the list of members, in which the device is one.
        """
        await asyncio.to_thread(self.key_store.keep, keys.id, keys)

        def work(connection: apsw.Connection) -> str | None:
            former = meta.read(connection, _DEVICE)
            connection.execute("DELETE FROM meta WHERE key GLOB ?", (f"{_ENTRY}*",))
            meta.write(connection, _DEVICE, keys.id)
            if former is not None:
                meta.write(connection, UNPROVEN, "1")
                meta.write(connection, REVISION, str(int(meta.read(connection, REVISION) or 0) + 1))
            _add_entries(connection, 1, entries)
            return former

        former = await self._store.write(work)
        if former is not None and former != keys.id:
            await asyncio.to_thread(self.key_store.remove, former)

    async def standing(self, vault: str) -> Standing:
        """Return the standing of this device as far as it is known here.

        The place is not looked at.

        Raises:
            ExchangeError: The keys are not on this machine.
        """
        device = await self.device()
        keys = await asyncio.to_thread(self.key_store.keys, device) if device else None
        if keys is None or not keys.shared:
            raise ExchangeError(
                "The keys by which this vault is shared are not on this machine. Make an invitation on another of your"
                " machines, and join with its words."
            )
        lists = self._chain(vault, await self._store.read(_entries))
        if not lists or lists[0].digest != keys.anchor:
            raise ExchangeError("The list of your machines in this vault is not the one that its keys belong to.")
        return Standing(keys, lists)

    async def refreshed(self, point: ExchangePoint, vault: str) -> tuple[Standing, LaneSealer]:
        """Read the list of members at the place, and take up a new epoch.

        Returns where this device stands then, and what seals for it.

        Raises:
            ExchangeError: This device was removed, its keys are gone, or the list at the place is another.
            MachineError: The place or the keyring cannot be reached.
        """
        async with self._one_at_a_time:
            standing = await self._current(point, vault)
            if standing.keys.epochs.keys() != {standing.members.epoch}:
                standing = await self._settled(point, standing)
            return standing, self._sealer(point, standing)

    async def change(self, point: ExchangePoint, vault: str, change: Change, *, begins_epoch: bool = False) -> Standing:
        """Change the list of members, and return where this device stands then.

        Args:
            point: The exchange point.
            vault: The id of the vault.
            change: What becomes of the list, and of the names; called again where another device was faster.
            begins_epoch: Whether a new epoch begins, of which devices that are removed thereby learn nothing.
        """
        async with self._one_at_a_time:
            for _ in range(_TRIES):
                standing = await self._current(point, vault)
                names = dict(standing.names)
                after = change(standing.members, names)
                if after is None:
                    return standing
                if begins_epoch:
                    standing, after = await self._begun(point, standing, after)
                data = member_list.entry(standing.members, after, standing.keys, names)
                name = member_list.entry_name(standing.members.number + 1)
                if await in_daemon_thread(point.put_new, name, data):
                    await self._keep_entries(standing.members.number + 1, [data])
                    standing = replace(standing, lists=[*standing.lists, member_list.following(standing.members, data)])
                    return await self._settled(point, standing) if begins_epoch else standing
        raise ExchangeError("Other machines change the list of your machines at this moment. Try again.")

    def admit(self, device: Member, name: str) -> Change:
        """Return the change that adds a device."""

        def change(members: MemberList, names: dict[str, str]) -> MemberList:
            if device.id in members.devices:
                raise InputError("This machine was added before.")
            if len(members.members) >= MOST_MEMBERS:
                raise InputError(
                    Sentence("At most {most} machines share one memory. Remove one first.", most=MOST_MEMBERS)
                )
            names[device.id] = checked_name(name)
            return member_list.with_device(members, replace(device, added_at_ms=self._clock.now_ms()))

        return change

    def _chain(self, vault: str, entries: Sequence[bytes]) -> list[MemberList]:
        """Return the list as of each entry; each entry is checked once."""
        known, lists = self._checked
        if not lists or lists[0].vault != vault or list(entries[: len(known)]) != known:
            known, lists = [], []
        for data in entries[len(known) :]:
            lists = [*lists, member_list.following(lists[-1] if lists else MemberList(vault), data)]
        self._checked = list(entries), lists
        return lists

    async def _current(self, point: ExchangePoint, vault: str) -> Standing:
        """Return the standing with all entries that are at the place."""
        known = await self.standing(vault)
        entries = await self._store.read(_entries)
        news = await in_daemon_thread(_exchanged, point, entries, known.lists)
        if news:
            await self._keep_entries(len(entries) + 1, [data for data, _ in news])
        standing = Standing(known.keys, [*known.lists, *(members for _, members in news)])
        if known.keys.id not in standing.members.members:
            raise ExchangeError(
                "This machine was removed from those that share the memory. What is here stays here. To share again,"
                " make an invitation on another machine, and join with its words."
            )
        return await self._with_epoch_key(standing)

    async def _with_epoch_key(self, standing: Standing) -> Standing:
        """Take the key of a new epoch, and draw a key to receive the next."""
        begun = max((members for members in standing.lists if members.boxes), key=_number, default=None)
        if begun is None or standing.keys.id not in begun.boxes:
            return standing
        if begun.epoch in standing.keys.epochs and not self._is_pending(standing, begun.epoch):
            return standing
        try:
            key, private = member_list.epoch_key_of(begun, standing.keys)
        except NotOpenedError:
            if begun.epoch in standing.keys.epochs:  # it was taken before
                return standing
            raise ExchangeError(
                "The keys of this machine are too old for what the others share now. Make an invitation on another"
                " of your machines, and join with its words."
            ) from None

        def take(keys: DeviceKeys) -> DeviceKeys:
            keys = keys.with_epoch(begun.epoch, key)
            # The one that was used stays while its epoch lasts, for a device that has not heard of the next one yet.
            following = keys.receiving[-1]
            next_key = primitives.random_key() if following == private else following
            return replace(keys, receiving=(private, next_key))

        keys = await asyncio.to_thread(self.key_store.change, standing.keys.id, take)
        return replace(standing, keys=keys)

    @staticmethod
    def _is_pending(standing: Standing, epoch: int) -> bool:
        """Return whether an epoch's key may be one that was drawn here and not announced."""
        return len(standing.keys.epochs) > 1 and epoch == max(standing.keys.epochs)

    async def _begun(self, point: ExchangePoint, standing: Standing, after: MemberList) -> tuple[Standing, MemberList]:
        """Draw the key of the next epoch, and seal all segments' keys under it."""
        epoch = standing.members.epoch + 1

        def draw(keys: DeviceKeys) -> DeviceKeys:
            return keys if epoch in keys.epochs else keys.with_epoch(epoch, primitives.random_key())

        keys = await asyncio.to_thread(self.key_store.change, standing.keys.id, draw)
        states = await in_daemon_thread(device_state.states_of, point, standing.keys, standing.members)
        for identity, member in after.members.items():
            if identity in states and states[identity].receiving:
                member = replace(member, receiving=bytes.fromhex(states[identity].receiving))  # noqa: PLW2901
                after = member_list.with_device(after, member)
        await in_daemon_thread(key_manifest.pin_segments, point, keys, standing.members, epoch)
        return replace(standing, keys=keys), replace(after, epoch=epoch)

    async def _settled(self, point: ExchangePoint, standing: Standing) -> Standing:
        """Pin own segments that came too late, and destroy keys that are no longer used."""
        members = standing.members
        if min(standing.keys.epochs) < members.epoch:
            own_lanes = await self._store.read(_own_lanes)
            await in_daemon_thread(key_manifest.pin_segments, point, standing.keys, members, members.epoch, own_lanes)
            # Those of the epoch before stay, for devices that have not heard of this one.
            await in_daemon_thread(key_manifest.remove_former, point, members.epoch - 1)
        is_own_epoch = any(
            other.boxes and other.epoch == members.epoch and standing.keys.id not in other.boxes
            for other in standing.lists
        )

        listed = members.members[standing.keys.id].receiving

        def is_kept(keys: DeviceKeys, private: bytes) -> bool:
            return private == keys.receiving[-1] or primitives.public_receiving_key(private) == listed

        def destroy(keys: DeviceKeys) -> DeviceKeys:
            kept = tuple(key for key in keys.receiving if not is_own_epoch or is_kept(keys, key))
            return replace(keys.from_epoch(members.epoch), receiving=kept)

        keys = await asyncio.to_thread(self.key_store.change, standing.keys.id, destroy)
        return replace(standing, keys=keys)

    def _sealer(self, point: ExchangePoint, standing: Standing) -> LaneSealer:
        pinned: dict[str, key_manifest.Pinned] = {}
        keys, members = standing.keys, standing.members

        def pinned_in(prefix: str) -> key_manifest.Pinned:
            if prefix not in pinned:
                pinned[prefix] = key_manifest.pinned_keys(point, keys, members, members.epoch, prefix)
            return pinned[prefix]

        return LaneSealer(keys, members, pinned_in)

    def _member(self, keys: DeviceKeys) -> Member:
        return Member(
            primitives.public_signing_key(keys.signing),
            primitives.public_receiving_key(keys.receiving[-1]),
            self._clock.now_ms(),
        )

    async def _keep_entries(self, first: int, entries: Sequence[bytes]) -> None:
        await self._store.write(partial(_add_entries, first=first, entries=entries))


def checked_name(name: str) -> str:
    """Return the name of a device as it is kept.

    Raises:
        InputError: It is empty, too long, or more than a line.
    """
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise InputError(
            Sentence("The name of a machine is one line of at most {most} characters.", most=LONGEST_NAME), field="name"
        )
    return name


def _exchanged(
    point: ExchangePoint, entries: Sequence[bytes], lists: Sequence[MemberList]
) -> list[tuple[bytes, MemberList]]:
    """Give the place the entries that it lacks; return the new ones with their lists."""
    last = point.get(member_list.entry_name(len(entries)))
    if last is None:
        for number, data in enumerate(entries, 1):
            point.put_new(member_list.entry_name(number), data)
        last = point.get(member_list.entry_name(len(entries)))
    if last != entries[-1]:
        if _has_parted(point, entries, lists):
            raise _parted_list()
        raise _other_list(is_torn=last is None or entries[-1].startswith(last))
    members = lists[-1]
    news: list[tuple[bytes, MemberList]] = []
    while (following := point.get(member_list.entry_name(members.number + 1))) is not None:
        try:
            members = member_list.following(members, following)
        except TornError:
            break
        news.append((following, members))
    return news


def _has_parted(point: ExchangePoint, entries: Sequence[bytes], lists: Sequence[MemberList]) -> bool:
    """Return whether another member changed the list at the same time as this device."""
    for number in range(len(entries) - 1, 0, -1):
        if point.get(member_list.entry_name(number)) == entries[number - 1]:
            other = point.get(member_list.entry_name(number + 1))
            try:
                return other is not None and bool(member_list.following(lists[number - 1], other))
            except (TornError, ExchangeError):
                return False
    return False


def _parted_list() -> ExchangeError:
    # No machine follows the other list by itself: a device that was removed could bring itself back by such a change.
    return ExchangeError(
        "Two of your machines changed the list of your machines at the same time, and the change that was made"
        " elsewhere counts. Make an invitation on another machine, and join here with its words: nothing that was"
        " written here is lost. Then change the list again where it is not as you want it."
    )


def _other_list(*, is_torn: bool) -> ExchangeError:
    if is_torn:
        return ExchangeError("The list of your machines is still being copied. Wait until the place is complete.")
    return ExchangeError(
        "The place shows another list of your machines than this machine knows: somebody changed it, or put back an"
        " older state. Nothing is taken in from there. If your other machines still meet there, make an invitation on"
        " one of them, and join with its words."
    )


def _own_lanes(connection: apsw.Connection) -> list[str]:
    return [f"{int(str(lane)):016x}" for (lane,) in connection.execute("SELECT lane FROM lanes WHERE was_own")]


def _entries(connection: apsw.Connection) -> list[bytes]:
    rows = connection.execute("SELECT value FROM meta WHERE key GLOB ? ORDER BY key", (f"{_ENTRY}*",))
    return [str(value).encode() for (value,) in rows]


def _add_entries(connection: apsw.Connection, first: int, entries: Sequence[bytes]) -> None:
    for number, data in enumerate(entries, first):
        meta.read_or_write(connection, f"{_ENTRY}{number:06d}", data.decode())


def _number(members: MemberList) -> int:
    return members.number
