"""Operations on the machines that share the vault: add, name and remove them."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from app.api.caller import Caller
from app.api.registry import operation
from app.changes import Changed, ChangeSet
from app.devices.model import Device, Invitation, JoinRequest
from app.devices.service import DeviceService
from app.engine import Engine
from app.errors import AccessDeniedError
from app.sync.model import SyncState

T = TypeVar("T")

_change = partial(operation, access="write", owner_only=True, review="refused", kind="settings")


@operation("device.list", owner_only=True)
async def list_devices(engine: Engine, caller: Caller) -> Sequence[Device]:
    """Return the machines that share the vault, and those that were removed."""
    devices = await _devices(engine).devices()
    machines = await engine.schedules.runner.machines()
    return [
        replace(device, schedules=tuple(schedule for schedule, machine in machines.items() if machine == device.id))
        for device in devices
    ]


@_change("device.invite", undo="needless")
async def invite(engine: Engine, caller: Caller) -> Invitation:
    """Make the twelve words with which one more machine may ask to come in.

    They count for ten minutes, and once. Type them on that machine, with ``device.join``. Where machines meet at a
    server, its address comes along sealed: it may be sent by any way, and is of no use without the words.
    """
    return await _devices(engine).invite()


@operation("device.requests", owner_only=True)
async def requests(engine: Engine, caller: Caller, *, known: bool = False) -> Sequence[JoinRequest]:
    """Return the machines that were given the words of an invitation and wait.

    Args:
        known: Return those of the last look, without asking the place.
    """
    devices = _devices(engine)
    return devices.known_requests if known else await devices.requests()


@_change("device.approve", undo="operation", positional=("request",))
async def approve(engine: Engine, caller: Caller, request: str) -> Changed[Device]:
    """Let a machine in that waits; it then gets the whole vault.

    Args:
        request: The id of its request, as ``device.requests`` gives it.
    """
    return _changed(await _devices(engine).approve(request), caller)


@_change("device.refuse", undo="needless", positional=("request",))
async def refuse(engine: Engine, caller: Caller, request: str) -> Changed[None]:
    """Turn a machine away that waits; the words that it was given count no longer.

    Args:
        request: The id of its request, as ``device.requests`` gives it.
    """
    await _devices(engine).refuse(request)
    return _changed(None, caller)


@_change("device.join", undo="operation", positional=("words", "place", "name"))
async def join(engine: Engine, caller: Caller, words: str, place: str, name: str) -> Changed[SyncState]:
    """Ask to be let in where other machines share, and wait for the answer.

    It waits ten minutes at the most.

    Args:
        words: The twelve words of ``device.invite`` on one of them, in their order.
        place: The folder where it is on this machine, the address of the server, or that address as ``device.invite``
            has it sealed.
        name: The name that this machine is to have there.
    """
    return _changed(await _devices(engine).join(words, place, name), caller)


@_change("device.rename", undo="operation", positional=("device", "name"))
async def rename(engine: Engine, caller: Caller, device: str, name: str) -> Changed[Device]:
    """Give a machine another name, on all of them.

    Args:
        device: Its id, as ``device.list`` gives it.
        name: The name.
    """
    return _changed(await _devices(engine).rename(device, name), caller)


@_change("device.remove", destructive=True, undo="none", positional=("device",))
async def remove(engine: Engine, caller: Caller, device: str) -> Changed[Device]:
    """Remove a machine, which then reads nothing that the others write from then on.

    What it holds it keeps, as nobody can erase that from afar. To come in again, it needs new words.

    Args:
        device: Its id, as ``device.list`` gives it.
    """
    return _changed(await _devices(engine).remove(device), caller)


def _devices(engine: Engine) -> DeviceService:
    if engine.isolated is None:
        raise AccessDeniedError("The vault of an isolated agent stays on this machine.")
    return engine.sync.devices


def _changed(value: T, caller: Caller) -> Changed[T]:
    return Changed(value, ChangeSet(frozenset({"devices"}), (), caller.name))
