"""Operations on settings and on long work."""

import asyncio

from app.api.caller import Caller
from app.api.registry import operation
from app.changes import Changed, ChangeSet, Progress
from app.config.diagnosis import findings
from app.config.model import ConfigFinding, SettingValue
from app.engine import Engine
from app.errors import AccessDeniedError
from app.index.generations.service_keys import missing_keys


@operation("settings.list", trust="full", sentence="Looked at settings")
async def list_settings(engine: Engine, caller: Caller) -> list[SettingValue]:
    """Return every setting with its value, default, bounds and where the value comes from."""
    return engine.config.values()


@operation("settings.set", access="write", owner_only=True, review="unrehearsed", kind="settings", undo="operation")
async def set_value(engine: Engine, caller: Caller, name: str, value: str | float | bool) -> Changed[SettingValue]:
    """Set a setting and save it in the vault's ``config.toml``.

    An isolated agent cannot, even with full trust.

    Args:
        name: ``section.key``.
        value: The new value; the default is taken out of the file.
    """
    if engine.isolated is None:  # its settings are the person's, and say among others that it is isolated
        raise AccessDeniedError("An isolated agent cannot change the settings: they are the person's.", name=name)
    changed = engine.config.set(name, value)
    return Changed(changed, ChangeSet(frozenset({"settings"}), (changed.name,), caller.name))


@operation("settings.check", trust="full", sentence="Looked at settings")
async def check_settings(engine: Engine, caller: Caller) -> list[ConfigFinding]:
    """Return the problems of the settings in file and environment, errors first.

    An error cannot work as it is written; where it is a wrong value, the next source or the default counts instead. A
    warning works, but is hardly meant. Whether the keyring holds the keys of the services in use is looked up for the
    person only.
    """
    missing = await asyncio.to_thread(missing_keys, engine.config, engine.keys) if caller.is_owner else []
    return sorted([*missing, *findings(engine.config)], key=lambda finding: finding.severity)


@operation("job.list", owner_only=True)
async def list_jobs(engine: Engine, caller: Caller) -> list[Progress]:
    """Return how far each long piece of work has come."""
    return engine.jobs.all()


@operation("job.cancel", access="write", owner_only=True, review="free", kind="vault", undo="needless")
async def cancel_job(engine: Engine, caller: Caller, job: str) -> bool:
    """Ask a job to stop at its next safe point; false for an unknown id.

    Args:
        job: Its id.
    """
    return engine.jobs.cancel(job)


@operation("job.pause", access="write", owner_only=True, review="free", kind="vault", undo="needless")
async def pause_job(engine: Engine, caller: Caller, job: str) -> bool:
    """Pause a job until ``job.resume`` or the next start.

    False when it cannot be paused.

    Args:
        job: Its id.
    """
    return engine.jobs.pause(job)


@operation("job.resume", access="write", owner_only=True, review="free", kind="vault", undo="needless")
async def resume_job(engine: Engine, caller: Caller, job: str) -> bool:
    """Resume a paused job; false when none with this id is paused.

    Args:
        job: Its id.
    """
    return engine.jobs.resume(job)
