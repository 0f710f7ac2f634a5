"""Operations on the person's other machines that hold the same vault."""

from functools import partial

from app.api.caller import Caller
from app.api.registry import operation
from app.changes import Changed, ChangeSet
from app.engine import Engine
from app.errors import AccessDeniedError
from app.sync.model import SyncReport, SyncState
from app.sync.service import SyncService

_change = partial(operation, access="write", owner_only=True, review="refused", kind="settings", undo="operation")


@operation("device.state", owner_only=True)
async def state(engine: Engine, caller: Caller) -> SyncState:
    """Return through which place machines share the vault, and how far each is known."""
    return await _sync(engine).state()


@_change("device.share", positional=("place",))
async def share(engine: Engine, caller: Caller, place: str, *, refill: bool = False) -> Changed[SyncState]:
    """Share the vault with the person's other machines through a place.

    What the vault has is added to what is there; nothing is removed on either side.

    Args:
        place: The path of a folder that is there, or the address of a database such as
            ``postgresql://name@server/database``, of a WebDAV folder such as ``https://name@server/folder``, or of S3
            storage such as ``s3://KEY@bucket/prefix``.
        refill: Fill an empty place anew, because the one that the machines used before is lost.
    """
    return _changed(await _sync(engine).join(place, fills_anew=refill), caller)


@_change("device.leave")
async def leave(engine: Engine, caller: Caller) -> Changed[SyncState]:
    """Stop sharing the vault from this machine.

    Both sides keep all that they have. Sharing through the same place goes on where it was.
    """
    return _changed(await _sync(engine).leave(), caller)


@_change("device.pause")
async def pause(engine: Engine, caller: Caller) -> Changed[SyncState]:
    """Exchange nothing with other machines until ``device.resume``."""
    return _changed(await _sync(engine).pause(), caller)


@_change("device.resume")
async def resume(engine: Engine, caller: Caller) -> Changed[SyncState]:
    """Exchange changes with other machines again after ``device.pause``."""
    return _changed(await _sync(engine).go_on(), caller)


@operation("device.sync", access="write", owner_only=True, review="refused", kind="vault", undo="needless")
async def sync(engine: Engine, caller: Caller) -> Changed[SyncReport]:
    """Take in what other machines changed, and add what they lack, at once.

    Keepsake does so by itself soon after each change.
    """
    report = await _sync(engine).sync()
    return Changed(report, ChangeSet(frozenset({"devices"}), (), caller.name))


@operation("device.accept", access="write", owner_only=True, review="refused", kind="vault", undo="needless")
async def accept(engine: Engine, caller: Caller, lane: str, last: int) -> Changed[SyncState]:
    """Let go here too what another machine removed in great number.

    Such changes wait until the person accepts them. ``device.state`` lists them.

    Args:
        lane: The lane that waits.
        last: The number of its last change that waits.
    """
    return _changed(await _sync(engine).accept(lane, last), caller)


def _sync(engine: Engine) -> SyncService:
    if engine.isolated is None:
        raise AccessDeniedError("The vault of an isolated agent stays on this machine.")
    return engine.sync.service


def _changed(state: SyncState, caller: Caller) -> Changed[SyncState]:
    return Changed(state, ChangeSet(frozenset({"devices"}), (), caller.name))
