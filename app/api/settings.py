"""Operations on settings and on long work."""

from app.api.caller import Caller
from app.api.registry import operation
from app.changes import Changed, ChangeSet, Progress
from app.config.diagnosis import findings
from app.config.model import ConfigFinding, SettingValue
from app.engine import Engine
from app.errors import AccessDeniedError


@operation("settings.list", trust="full")
async def list_settings(engine: Engine, caller: Caller) -> list[SettingValue]:
    """Return every setting with its value, default, bounds and where the value comes from."""
    return engine.config.values()


@operation("settings.set", access="write", trust="full", owner_only=True)
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


@operation("settings.check", trust="full")
async def check_settings(engine: Engine, caller: Caller) -> list[ConfigFinding]:
    """Return the problems of the settings in file and environment, errors first.

    An error cannot work as it is written; where it is a wrong value, the next source or the default counts instead. A
    warning works, but is hardly meant.
    """
    return findings(engine.config)


@operation("job.list", trust="full")
async def list_jobs(engine: Engine, caller: Caller) -> list[Progress]:
    """Return how far each long piece of work has come.

    An agent sees those that it began.
    """
    return engine.jobs.all(None if caller.is_owner else caller.name)


@operation("job.cancel", access="write", trust="full")
async def cancel_job(engine: Engine, caller: Caller, job: str) -> bool:
    """Ask a job to stop at its next safe point; false for an unknown id.

    Args:
        job: Its id.
    """
    return _is_own(engine, caller, job) and engine.jobs.cancel(job)


@operation("job.pause", access="write", trust="full")
async def pause_job(engine: Engine, caller: Caller, job: str) -> bool:
    """Pause a job until ``job.resume`` or the next start.

    False when it cannot be paused.

    Args:
        job: Its id.
    """
    return _is_own(engine, caller, job) and engine.jobs.pause(job)


@operation("job.resume", access="write", trust="full")
async def resume_job(engine: Engine, caller: Caller, job: str) -> bool:
    """Resume a paused job; false when none with this id is paused.

    Args:
        job: Its id.
    """
    return _is_own(engine, caller, job) and engine.jobs.resume(job)


def _is_own(engine: Engine, caller: Caller, job: str) -> bool:
    """Return whether a running job is the caller's; all of them are the person's."""
    return caller.is_owner or any(one.job == job for one in engine.jobs.all(caller.name))
