"""Operations on the health of the vault: findings, plans and fixes."""

from app.api.caller import Caller
from app.api.registry import operation
from app.changes import Changed
from app.engine import Engine
from app.upkeep.health.model import FindingId, HealthFix, HealthReport
from app.upkeep.upkeep_job import UpkeepPlan


@operation("vault.health", owner_only=True, sentence="Asked how the vault stands")
async def report(engine: Engine, caller: Caller) -> HealthReport:
    """Look for what is wrong with the content of the vault; changes nothing.

    Findings: duplicates, contradictions, stale facts, entities that nothing mentions, sources whose memories were
    mostly deleted, agents that store what they recalled, secrets in clear, and growth.
    """
    return await engine.health.report()


@operation("health.plan", owner_only=True)
async def plan(engine: Engine, caller: Caller, finding: FindingId) -> UpkeepPlan:
    """Return what the fix of a finding would change now; changes nothing.

    Args:
        finding: The finding, as vault.health has it.
    """
    return await engine.health.plan(finding)


@operation(
    "health.fix",
    access="write",
    owner_only=True,
    destructive=True,
    review="unrehearsed",
    kind="vault",
    undo="operation",
)
async def fix(engine: Engine, caller: Caller, finding: FindingId, job: str = "") -> Changed[HealthFix]:
    """Fix a finding as health.plan says; memory.undo with the run's id takes it back.

    Pinned and confirmed memories are neither merged nor superseded nor set aside. In memories a mark takes the place
    of secrets; the history keeps them until memory.forget_forever.

    Args:
        finding: The finding, as vault.health has it.
        job: An id of the caller's own to watch and cancel it by.
    """
    with engine.jobs.running(f"Fixing {finding}", "items", job) as work:
        return await engine.health.fix(finding, work)
