"""Operation on the overview of the vault's privacy and safety."""

import asyncio
import shutil
from pathlib import Path

from app.api.caller import Caller
from app.api.registry import operation
from app.core.network.network_log import NETWORK
from app.embed.embedder_source import EmbedderSource
from app.engine import Engine
from app.llm.parts import model_options
from app.schedule.model import Schedule, ScheduleFilter
from app.upkeep.overview.model import ScheduledWork, VaultOverview

_MOST = 200  # schedules that are looked at


@operation("vault.overview", owner_only=True, sentence="Asked how the vault stands")
async def overview(engine: Engine, caller: Caller) -> VaultOverview:
    """Return an overview of the vault's privacy and safety at this moment.

    Requests over a network since the start, connected agents, backups and checks, the index, spending, the last and
    next run of each job, and the space on disk.
    """
    index = await engine.index.worker.state()
    stats = await engine.upkeep.service.stats()
    backups = await engine.upkeep.backups.all()
    status = await engine.upkeep.service.status()
    model = model_options(engine.config)
    if model.is_configured:
        await engine.spending.load()
    disk = await asyncio.to_thread(shutil.disk_usage, Path(engine.vault))
    return VaultOverview(
        since=NETWORK.since,
        network=NETWORK.uses(),
        services=_services(engine),
        agents=engine.presence.connected(),
        waiting=len(await engine.agents.requests()),
        backups=len(backups),
        last_backup=next((backup for backup in backups if not backup.is_damaged_original), None),
        verified=await engine.safety.last_verification(),
        check=await engine.safety.last_check(),
        embedder=status.embedder,
        chunks=index.chunks,
        pending=index.pending,
        withheld=index.withheld,
        names=await engine.entities.worker.left(),
        has_model=model.is_configured,
        spent=engine.spending.spent_this_month,
        cap=model.monthly_cap,
        work=await _work(engine),
        paused_until=await engine.schedules.service.paused_until(),
        vault=str(engine.vault),
        vault_bytes=sum(file.bytes for file in stats.files),
        free_bytes=disk.free,
        disk_bytes=disk.total,
        read_only=status.read_only,
        notes=status.notes,
    )


def _services(engine: Engine) -> tuple[str, ...]:
    """Return the remote services that the settings name."""
    model = model_options(engine.config)
    hosts = [model.host] if model.is_configured and not model.is_local else []
    source = EmbedderSource(engine.config.text("embedding.model"))
    return tuple([*hosts, source.provider] if source.is_remote else hosts)


async def _work(engine: Engine) -> tuple[ScheduledWork, ...]:
    page = await engine.schedules.service.search(ScheduleFilter(), _MOST, 0)
    shown = [schedule for schedule in page.schedules if schedule.status == "active" or schedule.last_run_at is not None]
    return tuple([await _scheduled(engine, schedule) for schedule in shown])


async def _scheduled(engine: Engine, schedule: Schedule) -> ScheduledWork:
    summary = ""
    if schedule.last_run_at is not None:
        runs = await engine.schedules.service.runs(schedule.id, 1)
        summary = runs[0].output_summary if runs else ""
    is_on = schedule.status == "active"
    return ScheduledWork(
        schedule.id,
        schedule.name,
        is_on,
        schedule.last_run_at,
        schedule.last_run_status or "",
        summary,
        schedule.next_run_at if is_on else None,
    )
