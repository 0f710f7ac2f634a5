"""All operations of a vault: importing the subjects declares them."""

from collections.abc import Iterable

from app.api import (
    archive,
    backups,
    context,
    embeddings,
    entities,
    erasure,
    evaluation,
    exchange,
    explain,
    facts,
    isolation,
    memories,
    memory_write,
    notes,
    scratchpads,
    secrets,
    sessions,
    settings,
    summaries,
    tags,
    vault,
)
from app.api.declare import REGISTRY
from app.api.registry import Catalogue, Operation
from app.engine import Engine

SUBJECTS = (
    archive,
    sessions,
    summaries,
    scratchpads,
    notes,
    memories,
    memory_write,
    facts,
    tags,
    entities,
    embeddings,
    exchange,
    erasure,
    isolation,
    settings,
    secrets,
    vault,
    backups,
    context,
    explain,
    evaluation,
)


def declared() -> Iterable[Operation]:
    """Return every operation, by name."""
    return REGISTRY.all()


def build_catalogue(engine: Engine) -> Catalogue:
    """Return the catalogue that works on ``engine``."""
    return Catalogue(engine, declared(), engine, engine.trace, engine.engine_for_caller)
