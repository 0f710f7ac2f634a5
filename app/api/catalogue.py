"""All operations of a vault: importing the subjects declares them."""

from collections.abc import Iterable

from app.api import entities, exchange, memories, notes, scratchpads, sessions, settings, summaries, vault
from app.api.declare import REGISTRY
from app.api.registry import Catalogue, Operation
from app.engine import Engine

SUBJECTS = (sessions, summaries, scratchpads, notes, memories, entities, exchange, settings, vault)


def declared() -> Iterable[Operation]:
    """Return every operation, by name."""
    return REGISTRY.all()


def build_catalogue(engine: Engine) -> Catalogue:
    """Return the catalogue that works on ``engine``."""
    return Catalogue(engine, declared(), engine)
