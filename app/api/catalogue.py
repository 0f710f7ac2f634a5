"""All operations of a vault: importing the subjects declares them."""

from collections.abc import Iterable

from app.api import (
    archive,
    backups,
    context,
    embeddings,
    entities,
    exchange,
    explain,
    facts,
    forever,
    isolation,
    memories,
    notes,
    reconciling,
    scratchpads,
    secrets,
    sessions,
    settings,
    summaries,
    tags,
    trials,
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
    reconciling,
    facts,
    tags,
    entities,
    embeddings,
    exchange,
    forever,
    isolation,
    settings,
    secrets,
    vault,
    backups,
    context,
    explain,
    trials,
)


def declared() -> Iterable[Operation]:
    """Return every operation, by name."""
    return REGISTRY.all()


def build_catalogue(engine: Engine) -> Catalogue:
    """Return the catalogue that works on ``engine``."""
    return Catalogue(engine, declared(), engine, engine.trace, engine.elsewhere)
