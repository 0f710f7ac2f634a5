"""Operations on the person's other machines that share the vault."""

from app.api.caller import Caller
from app.api.registry import operation
from app.changes import Changed, ChangeSet
from app.core.paths import user_path
from app.encryption.key_file import has_key_file
from app.engine import Engine
from app.errors import InputError
from app.sync.model import SyncReport, SyncState


@operation(
    "device.folder", access="write", trust="full", owner_only=True, review="free", kind="vault", undo="operation"
)
async def folder(engine: Engine, caller: Caller, path: str, plain_text: bool = False) -> Changed[SyncState]:
    """Share the vault with the person's other machines through a folder.

    The first vault that names a folder begins the exchange there; others join it with what they have, and nothing is
    removed on either side. A program that copies files, a network drive or a stick may carry the folder. What is put
    into it is not encrypted: who reads the folder reads the vault, its private part too. Attached files, settings,
    agents, what waits in the inbox and scratchpads stay on each machine.

    Args:
        path: A folder that is there. Of a vault that is shared already, the place where its folder is now.
        plain_text: Must be true in an encrypted vault: it says that the person knows that the folder is not encrypted.
    """
    if not plain_text and has_key_file(engine.vault):
        raise InputError(
            "This vault is encrypted, and what is put into the folder is not. Say that it may be plain text"
            " (--plain-text), or keep the vault on this machine.",
            field="plain_text",
        )
    state = await engine.sync.service.join(user_path(path))
    return Changed(state, ChangeSet(frozenset({"settings"}), (), caller.name))


@operation("device.sync", access="write", trust="full", owner_only=True, review="free", kind="vault", undo="needless")
async def sync(engine: Engine, caller: Caller) -> Changed[SyncReport]:
    """Take in what other machines changed, and give them what changed here.

    This happens by itself, soon after something is written and once a minute.
    """
    return Changed(await engine.sync.service.sync(), ChangeSet(frozenset(), (), caller.name))


@operation("device.status", trust="full", owner_only=True)
async def status(engine: Engine, caller: Caller) -> SyncState:
    """Return where the vault is shared, and how far each machine's changes are known."""
    return await engine.sync.service.state()


@operation("device.leave", access="write", trust="full", owner_only=True, review="free", kind="vault", undo="operation")
async def leave(engine: Engine, caller: Caller) -> Changed[SyncState]:
    """Stop sharing the vault; what was shared stays on all machines and in the folder.

    ``device.folder`` goes on with the same folder.
    """
    state = await engine.sync.service.leave()
    return Changed(state, ChangeSet(frozenset({"settings"}), (), caller.name))
