"""Operations on the vault itself."""

from app.api.caller import Caller
from app.api.declare import operation
from app.changes import Changed
from app.engine import Engine
from app.upkeep.model import CheckReport, VaultStatus


@operation("vault.status", trust="full")
async def status(engine: Engine, caller: Caller) -> VaultStatus:
    """Return how the vault stands: counts, how far the index is, long work, and what does not work."""
    return await engine.care.status()


@operation("vault.check", trust="full")
async def check(engine: Engine, caller: Caller) -> CheckReport:
    """Check that the vault is sound; reads all of it."""
    return await engine.care.check()


@operation("vault.backup", access="write", trust="full")
async def backup(engine: Engine, caller: Caller) -> str:
    """Copy the database into the vault's ``backups`` folder and return the copy's path."""
    return await engine.care.back_up("manual")


@operation("vault.reindex", access="write", trust="full")
async def reindex(engine: Engine, caller: Caller) -> Changed[int]:
    """Rebuild search entries, words and vectors from what is stored; returns how many items were indexed."""
    done = await engine.care.reindex(caller.name)
    await engine.entity_sync.start_over()
    return done


@operation("vault.settle", trust="full")
async def settle(engine: Engine, caller: Caller, names: bool = False) -> VaultStatus:
    """Wait until the index has caught up, and return how the vault stands.

    Args:
        names: Wait also until everything has been read for the names of people, places and organisations.
    """
    await engine.sync.wait_idle()
    if names:
        await engine.entity_sync.wait_idle()
    return await engine.care.status()
