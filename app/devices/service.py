"""Devices that share the memory: invitations, requests, names and removals.

Invitations are kept in this process only and end with it. Owns the vault's ``sync.invitations`` value: the ids of those
whose messages may still lie at the place.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

import apsw

from app.changes import ChangeSet
from app.core.clock import Clock, optional_datetime, to_datetime
from app.core.process.daemon_thread import in_daemon_thread, stoppable
from app.devices import join_messages, sealed_address
from app.devices.invitation_words import new_secret, secret_of, words_of
from app.devices.join_attempt import VALID_S, JoinAttempt, withdrawing
from app.devices.join_messages import APPROVED, EXPIRED, REFUSED, USED, JoinMessages
from app.devices.model import Device, Invitation, JoinRequest
from app.erasure import erasures
from app.erasure.model import ErasureReceipt
from app.errors import ExchangeError, InputError, KeepsakeError, MachineError, NotFoundError
from app.sentence import Sentence
from app.store import meta
from app.store.store import Store
from app.sync.device_states import DeviceStates
from app.sync.exchanges.exchange_places import place_of
from app.sync.exchanges.exchange_point import ExchangePoint
from app.sync.exchanges.server_refusals import NotKeptError
from app.sync.joined_place import JoinedPlace
from app.sync.membership import Membership, checked_name
from app.sync.model import SyncState
from app.sync.sealing import device_state, member_list
from app.sync.sealing.device_state import DeviceState
from app.sync.sealing.member_list import Member, MemberList
from app.sync.service import ACTOR, OPERATION, SyncService

_log = logging.getLogger(__name__)

LOOK_S: Final = 1.0
ASK_S: Final = 3.0
"""Longest wait for what the other machines tell of themselves."""
_INVITATIONS: Final = "sync.invitations"
_ANSWERS_UNKNOWN: Final = Sentence("Whether your other machines have forgotten it is not known here.")
_LOOKS: Final = 2
"""Looks for an answer in the time of one look for a request."""


@dataclass(slots=True)
class _OpenInvitation:
    """Invitation that this process made.

    Args:
        messages: Its messages.
        expires_at_ms: Until when it counts.
        seen: When each device's request was first seen, with the request, by the device's id.
        answered: Devices that have an answer.
    """

    messages: JoinMessages
    expires_at_ms: int
    seen: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    answered: set[str] = field(default_factory=set)
    is_used: bool = False


class DeviceService:
    """Invites devices, lets them in, names and removes them. Belongs to one event loop.

    Args:
        store: The vault's database.
        clock: The source of the time.
        membership: The standing of this device among the machines.
        states: Keeps what the other devices tell of themselves.
        sync: Keeps the vault the same as those of the others.
        publish: Tells everyone who listens that other machines wait.
        look_s: Seconds between two looks for an answer.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        membership: Membership,
        states: DeviceStates,
        sync: SyncService,
        publish: Callable[[ChangeSet], None],
        look_s: float = LOOK_S,
    ) -> None:
        self._store = store
        self._clock = clock
        self._membership = membership
        self._states = states
        self._sync = sync
        self._publish = publish
        self.calls = sync.calls
        self.look_s = look_s
        self._invitations: list[_OpenInvitation] = []
        self._made: set[str] = set()
        self._waiting_now: tuple[JoinRequest, ...] = ()
        self._one_at_a_time = asyncio.Lock()
        self._is_invited = asyncio.Event()

    async def watch(self) -> None:
        """Look who asks to come in while an invitation counts, until the vault is closed.

        Messages of invitations that ended with another process are removed.
        """
        while True:
            self._is_invited.clear()
            is_clean = False
            try:
                is_clean = await self._cleaned()
                if self._invitations:
                    await self.requests()
            except InputError:  # the vault is shared nowhere any more
                self._tell(())
            except KeepsakeError as error:
                _log.info("the place cannot be asked for machines that wait: %s", error.code)
            pause_s = _LOOKS * self.look_s if self._invitations else None if is_clean else VALID_S
            with suppress(TimeoutError):
                await asyncio.wait_for(self._is_invited.wait(), pause_s)

    @property
    def known_requests(self) -> Sequence[JoinRequest]:
        """The machines that waited at the last look."""
        return list(self._waiting_now)

    @stoppable
    async def invite(self) -> Invitation:
        """Invite one more machine.

        Raises:
            InputError: The vault is shared nowhere.
            MachineError: The place cannot be reached.
        """
        joined = await self._joined()
        await self._membership.refreshed(joined.point, joined.vault)
        secret = new_secret()
        messages = JoinMessages(joined.vault, secret)
        expires_at_ms = self._clock.now_ms() + VALID_S * 1000
        self._made.add(messages.id)
        await self._store.write(partial(_noted, messages.id, expires_at_ms))
        await in_daemon_thread(joined.point.put_new, messages.invitation_name, messages.invitation())
        self._invitations.append(_OpenInvitation(messages, expires_at_ms))
        self._is_invited.set()
        address = "" if joined.point.is_near else await self._membership.address(joined.address)
        place = sealed_address.sealed(secret, address) if address else ""
        return Invitation(words_of(secret), joined.address, _moment(expires_at_ms), place)

    @stoppable
    async def requests(self) -> Sequence[JoinRequest]:
        """Return the machines that were given words and wait for an answer.

        Raises:
            InputError: The vault is shared nowhere.
            MachineError: The place cannot be reached.
        """
        joined = await self._joined()
        async with self._one_at_a_time:
            await self._looked(joined)
        return self.known_requests

    @stoppable
    async def approve(self, request: str) -> Device:
        """Let a machine in that waits.

        Args:
            request: The id of its request.

        Raises:
            NotFoundError: It waits no longer.
            MachineError: The place cannot be reached.
        """
        joined = await self._joined()
        async with self._one_at_a_time:
            invitation, device, name = await self._request(joined, request)
            standing = await self._membership.change(joined.point, joined.vault, self._membership.admit(device, name))
            invitation.is_used = True
            keys = {
                "shared": standing.keys.shared.hex(),
                "epoch": standing.members.epoch,
                "key": standing.keys.epochs[standing.members.epoch].hex(),
                "anchor": standing.keys.anchor,
            }
            await self._answer(joined.point, invitation, device, APPROVED, keys)
            await self._looked(joined)  # who else has the same words learns that they were used
        return _device(standing.members.devices[device.id], name, is_this=False)

    @stoppable
    async def refuse(self, request: str) -> None:
        """Turn a machine away that waits; its words count no longer. Raises like ``approve``."""
        joined = await self._joined()
        async with self._one_at_a_time:
            invitation, device, _ = await self._request(joined, request)
            invitation.is_used = True
            await self._answer(joined.point, invitation, device, REFUSED)
            await self._looked(joined)

    @stoppable
    async def join(self, words: str, address: str, name: str) -> SyncState:
        """Ask to be let in where other machines share, and wait for the answer.

        Args:
            words: The words of an invitation.
            address: The address of the place, plain or as an invitation has it sealed.
            name: The name that this machine is to have there.

        Raises:
            InputError: The words are not those of an invitation there, the other machine refused, or nobody answered.
            MachineError: The place cannot be reached.
        """
        name, secret = checked_name(name), secret_of(words)
        address = sealed_address.opened(secret, address)
        place = place_of(address)
        vault = await in_daemon_thread(place.vault)
        if vault is None:
            raise InputError(
                "Nothing is shared there yet. Look whether it is the address of the invitation.", field="address"
            )
        await self._sync.require_place_of(vault)
        messages, point = JoinMessages(vault, secret), place.point(vault)
        attempt = JoinAttempt(point, messages, self._clock, self.look_s)
        async with withdrawing(point) as leftovers:
            if await self._is_member(point, vault):
                raise InputError("This machine shares its memory there already.", field="address")
            keys, entries = await attempt.let_in(name, leftovers)
        await self._membership.take_up(keys, entries)
        return await self._sync.join(address, fills_anew=False)

    @stoppable
    async def devices(self) -> Sequence[Device]:
        """Return all machines that share the memory or did; none where it is shared nowhere.

        Raises:
            ExchangeError: The keys are not on this machine.
        """
        joined = await self._sync.joined()
        if joined is None:
            return []
        standing = await self._membership.standing(joined.vault)
        try:
            async with asyncio.timeout(ASK_S):
                states = await self._states.collect(joined.point, standing)
        except (MachineError, TimeoutError) as error:
            _log.info("the place cannot be asked for the other machines: %s", type(error).__name__)
            states = await self._states.known()
        names, here = standing.names, await self._store.read(_marks)
        erased = await self._store.read(erasures.places_by_target)
        is_by_all, own = await self._states.is_forgotten_by_all(standing), await self._states.own()
        devices = []
        for member in sorted(standing.members.devices.values(), key=lambda device: (device.added_at_ms, device.id)):
            is_this, state = member.id == standing.keys.id, states.get(member.id)
            orders = erased if member.removed_at_ms is None else {}
            newest = own if is_this else state
            waiting = [] if is_by_all else [places for places in orders.values() if not _has_erased(newest, places)]
            devices.append(
                replace(
                    _device(member, names.get(member.id, ""), is_this=is_this),
                    last_seen_at=None if state is None else to_datetime(state.at_ms),
                    behind=_behind(member.id, standing.keys.id, here, states),
                    erased=len(orders) - len(waiting),
                    unerased=len(waiting),
                )
            )
        return devices

    async def with_answers(self, receipts: Sequence[ErasureReceipt]) -> list[ErasureReceipt]:
        """Return receipts of what was forgotten for ever, with the machines that still have it."""
        joined = await self._sync.joined()
        if joined is None or not receipts:
            return list(receipts)
        try:
            standing, states = await self._membership.standing(joined.vault), await self._states.known()
        except ExchangeError as error:
            _log.info("nothing is known of the other machines: %s", error.code)
            return [replace(receipt, notes=(*receipt.notes, _ANSWERS_UNKNOWN)) for receipt in receipts]
        is_by_all = await self._states.is_forgotten_by_all(standing)
        answered: list[ErasureReceipt] = []
        for receipt in receipts:
            places = await self._store.read(partial(erasures.places_of, targets=_targets_of(receipt)))
            waiting = [
                standing.names.get(device, device)
                for device in standing.members.members
                if device != standing.keys.id and not is_by_all and not _has_erased(states.get(device), places)
            ]
            note = _answer_note(waiting) if places else None
            answered.append(receipt if note is None else replace(receipt, notes=(*receipt.notes, note)))
        return answered

    @stoppable
    async def rename(self, device: str, name: str) -> Device:
        """Give a machine another name, on all of them.

        Raises:
            InputError: The name cannot be one, or there is no such machine.
            MachineError: The place cannot be reached.
        """
        joined, name = await self._joined(), checked_name(name)

        def change(members: MemberList, names: dict[str, str]) -> MemberList:
            _require(members, device)
            names[device] = name
            return members

        standing = await self._membership.change(joined.point, joined.vault, change)
        return _device(standing.members.devices[device], name, is_this=device == standing.keys.id)

    @stoppable
    async def remove(self, device: str) -> Device:
        """Remove a machine, which can read nothing that the others write from then on.

        What it has it keeps.

        Raises:
            InputError: There is no such machine, or it is this one.
            MachineError: The place cannot be reached.
        """
        joined = await self._joined()
        if device == await self._membership.device():
            raise InputError(
                "This machine cannot remove itself. Leave here, and remove it on another one.", field="device"
            )
        await self._sync.sync()  # what it wrote until now stays

        def change(members: MemberList, _names: dict[str, str]) -> MemberList:
            member = _require(members, device)
            removed = replace(member, receiving=b"", removed_at_ms=self._clock.now_ms())
            return member_list.with_device(members, removed)

        standing = await self._membership.change(joined.point, joined.vault, change, begins_epoch=True)
        await in_daemon_thread(device_state.remove, joined.point, device)
        return _device(standing.members.devices[device], standing.names.get(device, ""), is_this=False)

    async def _is_member(self, point: ExchangePoint, vault: str) -> bool:
        """Return whether this machine shares there, with keys and a list that are good."""
        if not await self._membership.is_member(vault):
            return False
        try:
            await self._membership.refreshed(point, vault)
        except ExchangeError:
            return False
        return True

    async def _joined(self) -> JoinedPlace:
        joined = await self._sync.joined()
        if joined is None:
            raise InputError("This vault is shared nowhere yet. Name a place first.")
        return joined

    def _tell(self, waiting: Iterable[JoinRequest]) -> None:
        """Tell everyone who listens where other machines wait than before."""
        before, self._waiting_now = self._waiting_now, tuple(waiting)
        if self._waiting_now != before:
            self._publish(ChangeSet(frozenset({"devices"}), (), ACTOR, OPERATION))

    async def _looked(self, joined: JoinedPlace) -> list[tuple[_OpenInvitation, Member, str]]:
        """Return who waits for an answer, and answer those whose words count no longer.

        One caller at a time.
        """
        waiting: list[tuple[_OpenInvitation, Member, str]] = []
        now_ms = self._clock.now_ms()
        for invitation in [invitation for invitation in self._invitations if invitation.messages.vault == joined.vault]:
            is_expired = now_ms >= invitation.expires_at_ms
            for device, name in await in_daemon_thread(_asking, joined.point, invitation, now_ms):
                if is_expired or invitation.is_used:
                    await self._answer(joined.point, invitation, device, EXPIRED if is_expired else USED)
                else:
                    waiting.append((invitation, device, name))
            if is_expired:
                await in_daemon_thread(joined.point.remove, invitation.messages.invitation_name)
                self._invitations.remove(invitation)
        self._tell(
            JoinRequest(device.id, name, _moment(invitation.seen[device.id][0])) for invitation, device, name in waiting
        )
        return waiting

    @stoppable
    async def _cleaned(self) -> bool:
        """Remove messages of invitations that are over; return whether none of any is left."""
        joined = await self._sync.joined()
        noted = await self._store.read(_invitations)
        # A machine that waits reads meanwhile that the words count no longer.
        last_ms = self._clock.now_ms() - VALID_S * 1000
        over = [name for name, until_ms in noted.items() if name not in self._made or until_ms <= last_ms]
        if over and joined is not None:
            await in_daemon_thread(_clear, joined.point, over)
            await self._store.write(partial(_dropped, over))
        return joined is None or len(over) == len(noted)

    async def _request(self, joined: JoinedPlace, request: str) -> tuple[_OpenInvitation, Member, str]:
        for invitation, device, name in await self._looked(joined):
            if device.id == request:
                return invitation, device, name
        raise NotFoundError(
            "This machine waits no longer: its words were used, or ten minutes are over. Make a new invitation."
        )

    async def _answer(
        self,
        point: ExchangePoint,
        invitation: _OpenInvitation,
        device: Member,
        word: str,
        keys: dict[str, Any] | None = None,
    ) -> None:
        _, request = invitation.seen[device.id]
        data = invitation.messages.answer(device, request, word, keys)
        invitation.answered.add(device.id)
        name = invitation.messages.answer_name(device.id)
        with suppress(NotKeptError):  # who asked has read it, and removed it
            if not await in_daemon_thread(point.put_new, name, data):  # what somebody else put there is no answer
                await in_daemon_thread(point.remove, name)
                await in_daemon_thread(point.put_new, name, data)


def _asking(point: ExchangePoint, invitation: _OpenInvitation, now_ms: int) -> list[tuple[Member, str]]:
    """Return who asks with the words of an invitation and has no answer."""
    messages = invitation.messages
    asking: list[tuple[Member, str]] = []
    for name in point.names(join_messages.PREFIX):
        device = name.removeprefix(messages.request_prefix)
        if device == name or device in invitation.answered or (data := point.get(name)) is None:
            continue
        request = messages.requested(device, data)
        if request is not None:
            invitation.seen.setdefault(device, (now_ms, data))
            asking.append(request)
    return asking


def _clear(point: ExchangePoint, invitations: Sequence[str]) -> None:
    for name in point.names(join_messages.PREFIX):
        if any(join_messages.is_of(name, invitation) for invitation in invitations):
            point.remove(name)


def _invitations(connection: apsw.Connection) -> dict[str, int]:
    """Return until when the invitations count whose messages may be at the place, by id."""
    noted: dict[str, int] = json.loads(meta.read(connection, _INVITATIONS) or "{}")
    return noted


def _noted(invitation: str, until_ms: int, connection: apsw.Connection) -> None:
    meta.write(connection, _INVITATIONS, json.dumps({**_invitations(connection), invitation: until_ms}))


def _dropped(over: Sequence[str], connection: apsw.Connection) -> None:
    noted = {name: until_ms for name, until_ms in _invitations(connection).items() if name not in over}
    meta.write(connection, _INVITATIONS, json.dumps(noted))


def _targets_of(receipt: ErasureReceipt) -> Sequence[str]:
    return (*receipt.ids, *receipt.sessions, *receipt.entities)


def _has_erased(state: DeviceState | None, places: Mapping[int, int]) -> bool:
    """Return whether a device carried out the erasures at some places."""
    return state is not None and all(state.erased.get(f"{lane:016x}", 0) >= n for lane, n in places.items())


def _answer_note(waiting: Sequence[str]) -> Sentence:
    if waiting:
        return Sentence(
            "Not forgotten yet on: {machines}. Each forgets it when it next meets the others.",
            machines=", ".join(sorted(waiting)),
        )
    return Sentence("All your machines have forgotten it.")


def _marks(connection: apsw.Connection) -> dict[str, int]:
    rows = connection.execute("SELECT lane, n FROM lanes WHERE n > 0")
    return {f"{int(str(lane)):016x}": int(str(n)) for lane, n in rows}


def _behind(device: str, own: str, here: Mapping[str, int], states: Mapping[str, DeviceState]) -> int:
    """Return how many changes a device lacks that another one has."""
    if device != own:
        marks = states[device].marks if device in states else {}
        return sum(max(0, n - marks.get(lane, 0)) for lane, n in here.items())
    others = [state.marks for identity, state in states.items() if identity != own]
    lanes = {lane for marks in others for lane in marks}
    most = {lane: max(marks.get(lane, 0) for marks in others) for lane in lanes}
    return sum(max(0, n - here.get(lane, 0)) for lane, n in most.items())


def _require(members: MemberList, device: str) -> Member:
    member = members.members.get(device)
    if member is None:
        raise NotFoundError("There is no such machine among those that share the memory.", field="device")
    return member


def _device(member: Member, name: str, *, is_this: bool) -> Device:
    return Device(
        member.id, name, is_this, to_datetime(member.added_at_ms), None, 0, optional_datetime(member.removed_at_ms)
    )


def _moment(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)
