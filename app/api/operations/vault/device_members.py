"""Operations on the machines themselves: who they are, who comes in, who is removed."""

from collections.abc import Sequence
from functools import partial

from app.api.caller import Caller
from app.api.registry import operation
from app.changes import Changed, ChangeSet
from app.devices.model import Device, Invitation, JoinRequest
from app.devices.service import DeviceService
from app.engine import Engine
from app.errors import AccessDeniedError
from app.sync.model import SyncState

_change = partial(operation, access="write", owner_only=True, review="refused", kind="settings")


@operation("device.list", owner_only=True)
async def list_devices(engine: Engine, caller: Caller) -> Sequence[Device]:
    """Return the machines that share the vault, and those that did."""
    return await _devices(engine).devices()


@_change("device.invite", undo="needless")
async def invite(engine: Engine, caller: Caller) -> Invitation:
    """Make twelve words with which one more machine may ask to come in, within ten minutes."""
    return await _devices(engine).invite()


@operation("device.requests", owner_only=True)
async def requests(engine: Engine, caller: Caller) -> Sequence[JoinRequest]:
    """Return the machines that were given the words and wait to be let in."""
    return await _devices(engine).requests()


@_change("device.approve", undo="operation")
async def approve(engine: Engine, caller: Caller, request: str) -> Changed[Device]:
    """Let a machine in.

    Args:
        request: The id of its request.
    """
    return _changed(await _devices(engine).approve(request), caller)


@_change("device.refuse", undo="needless")
async def refuse(engine: Engine, caller: Caller, request: str) -> Changed[bool]:
    """Turn a machine away.

    Args:
        request: The id of its request.
    """
    await _devices(engine).refuse(request)
    return _changed(True, caller)


@_change("device.rename", undo="operation")
async def rename(engine: Engine, caller: Caller, device: str, name: str) -> Changed[Device]:
    """Give a machine another name.

    Args:
        device: The id of the machine.
        name: The name.
    """
    return _changed(await _devices(engine).rename(device, name), caller)


@_change("device.remove", destructive=True, undo="none")
async def remove(engine: Engine, caller: Caller, device: str) -> Changed[Device]:
    """Remove a machine.

    Args:
        device: The id of the machine.
    """
    return _changed(await _devices(engine).remove(device), caller)


@_change("device.join", undo="operation", positional=("words", "address", "name"))
async def join(engine: Engine, caller: Caller, words: str, address: str, name: str) -> Changed[SyncState]:
    """Ask to come in where the other machines share, and wait until one lets this one in.

    Args:
        words: The twelve words of the invitation.
        address: The place.
        name: The name that this machine is to have.
    """
    return _changed(await _devices(engine).join(words, address, name), caller)


def _devices(engine: Engine) -> DeviceService:
    if engine.isolated is None:
        raise AccessDeniedError("The vault of an isolated agent stays on this machine.")
    return engine.sync.devices


def _changed(value, caller):  # type: ignore
    return Changed(value, ChangeSet(frozenset({"devices"}), (), caller.name))
