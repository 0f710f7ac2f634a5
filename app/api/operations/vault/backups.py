"""Operations on the backups of the vault."""

from app.api.caller import Caller
from app.api.operations.agents.isolation import back_up_isolated
from app.api.registry import operation
from app.changes import Changed, ChangeSet
from app.engine import Engine
from app.upkeep.model import BackupCheck, BackupInfo, BackupStatus, RestorePlan, RestorePreview


@operation("backup.now", access="write", owner_only=True, review="free", kind="vault", undo="needless")
async def now(engine: Engine, caller: Caller) -> Changed[BackupInfo]:
    """Copy the database, and the settings, into the vault's ``backups`` folder while everything goes on.

    The vaults of isolated agents are copied too, each into its own ``backups``. The answer is the person's.
    """
    backup = await engine.upkeep.backups.now("manual")
    await back_up_isolated(engine.isolated)
    return Changed(backup, ChangeSet(frozenset({"backups"}), (backup.name,), caller.name))


@operation("backup.list", owner_only=True)
async def list_backups(engine: Engine, caller: Caller) -> list[BackupInfo]:
    """Return the vault's backups, newest first."""
    return await engine.upkeep.backups.all()


@operation("backup.status", owner_only=True)
async def status(engine: Engine, caller: Caller) -> BackupStatus:
    """Return the folder of the backups, a waiting restore, and the last failure."""
    return await engine.upkeep.backups.status()


@operation("backup.verify", owner_only=True)
async def verify(engine: Engine, caller: Caller, name: str) -> BackupCheck:
    """Verify a backup by reading all of it, and return its vault and content.

    Args:
        name: Its name as ``backup.list`` gives it, or a path to a database of Keepsake.
    """
    result = await engine.upkeep.backups.verify(name)
    await engine.safety.keep_verification(result)
    engine.feed.publish(ChangeSet(frozenset({"backups"}), (), caller.name))
    return result


@operation("backup.preview", owner_only=True)
async def preview(engine: Engine, caller: Caller, name: str) -> RestorePreview:
    """Return what the restore of a backup would change; changes nothing.

    Args:
        name: Its name as ``backup.list`` gives it, or a path to a database of Keepsake.
    """
    return await engine.upkeep.backups.preview(name)


@operation(
    "backup.restore", access="write", owner_only=True, destructive=True, review="unrehearsed", kind="vault", undo="none"
)
async def restore(engine: Engine, caller: Caller, name: str) -> Changed[RestorePlan]:
    """Verify a backup and let it take the vault's place when Keepsake is started again.

    What the vault holds by then becomes a backup itself, so that this can be taken back. Settings stay as they are.

    Args:
        name: Its name as ``backup.list`` gives it, or a path to a database of Keepsake.
    """
    return await engine.upkeep.backups.restore(name, caller.name)


@operation("backup.cancel_restore", access="write", owner_only=True, review="free", kind="vault", undo="operation")
async def cancel_restore(engine: Engine, caller: Caller) -> Changed[bool]:
    """Call off a restore that waits for the next start; false when none does."""
    return await engine.upkeep.backups.cancel_restore(caller.name)
