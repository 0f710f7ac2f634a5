"""Catalogue of all operations of a vault. Importing a subject declares its operations."""

from collections.abc import Iterable
from functools import partial

from app.api.ledger_recorder import LedgerRecorder
from app.api.operation import Operation
from app.api.operations import (  # noqa: F401
    agents,
    archive,
    attachments,
    backups,
    bulk_notes,
    capsules,
    capture,
    connections,
    context,
    embeddings,
    encryption,
    entities,
    erasure,
    evaluation,
    exchange,
    explain,
    facts,
    health,
    history,
    inbox,
    isolation,
    knowledge_graph,
    language_model,
    ledger,
    memories,
    memory_write,
    note_templates,
    notes,
    overview,
    quarantine,
    related,
    saved_searches,
    schedule_calendar,
    schedules,
    scratchpads,
    secrets,
    session_memories,
    sessions,
    settings,
    summaries,
    tags,
    unlinked_mentions,
    upkeep,
    vault,
)
from app.api.registry import REGISTRY, Catalogue
from app.api.write_review import AgentWriteReview
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
    return Catalogue(engine, declared(), engine, engine.trace, route, recorder, review, gate, keeps_secrets)
