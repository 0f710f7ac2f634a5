"""Catalogue of all operations of a vault. Importing a subject declares its operations."""

from collections.abc import Iterable
from functools import partial

from app.api.agent_writes.write_review import AgentWriteReview
from app.api.ledger_recorder import LedgerRecorder
from app.api.operation import Operation
from app.api.operations import capsules, exchange, schedule_calendar, schedules  # noqa: F401
from app.api.operations.agents import agents, connections, inbox, isolation, ledger, quarantine  # noqa: F401
from app.api.operations.memories import (  # noqa: F401
    archive,
    entities,
    erasure,
    explain,
    facts,
    knowledge_graph,
    memories,
    memory_write,
    related,
    saved_searches,
    tags,
)
from app.api.operations.models import embeddings, evaluation, language_model  # noqa: F401
from app.api.operations.notes import attachments, bulk_notes, note_files, note_templates, notes, unlinked_mentions  # noqa: F401
from app.api.operations.sessions import capture, context, scratchpads, session_memories, sessions, summaries  # noqa: F401
from app.api.operations.vault import (  # noqa: F401
    backups,
    device_members,
    devices,
    encryption,
    health,
    history,
    overview,
    projections,
    secrets,
    settings,
    upkeep,
    vault,
)
from app.api.registry import REGISTRY, Catalogue
from app.api.short_id_arguments import with_whole_ids
from app.engine import Engine


def declared() -> Iterable[Operation]:
    """Return every operation, by name."""
    return REGISTRY.all()


def build_catalogue(engine: Engine) -> Catalogue:
    """Return the catalogue that works on ``engine``."""
    recorder = LedgerRecorder(engine.ledger, engine.config, engine.clock, engine.presence)
    review = AgentWriteReview(engine)
    route, gate = engine.engine_for_caller, engine.incognito
    keeps_secrets = partial(engine.config.flag, "capture.secrets")
    return Catalogue(
        engine, declared(), engine, engine.trace, route, recorder, review, gate, keeps_secrets, with_whole_ids
    )
