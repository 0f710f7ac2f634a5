"""Parts of the health of the vault."""

from functools import partial

from app.agents.service import AgentService
from app.memories.unit_of_work import MemoryUnitOfWork
from app.memories.writer import MemoryIndex
from app.runtime import Runtime
from app.upkeep.health.service import HealthService


def build(runtime: Runtime, index: MemoryIndex, agents: AgentService) -> HealthService:
    """Build the service of the vault's health.

    Args:
        runtime: What all parts share.
        index: Keeps the search index in step.
        agents: The registered agents.
    """
    transactions = MemoryUnitOfWork(runtime.store, index, runtime.clock)
    return HealthService(transactions, agents, partial(runtime.config.number, "memories.duplicate_similarity"))
