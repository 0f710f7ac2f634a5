"""Values of the projection of shared memories."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class ProjectionState:
    """State of the projection of shared memories.

    Args:
        place: The address of the database without its password, ``""`` where nothing is projected.
        schema: The schema there.
        projected_at: When the tables last held what the vault holds, ``None`` before the first time.
        problem: Why they do not, ``""`` where they do.
    """

    place: str = ""
    schema: str = ""
    projected_at: datetime | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class SharedRow:
    """Shared memory as the database has it.

    Args:
        id: The memory's id.
        version: A digest of all that the database is told of it.
        values: The row's columns by their names, as JSON values.
    """

    id: str
    version: str
    values: dict[str, Any]


@dataclass(frozen=True, slots=True)
class DatabaseProposal:
    """Write that an agent proposed in the database.

    Args:
        id: The row's id.
        agent: The database role that inserted it, with the database: ``reader@memory``.
        operation: The operation that it names.
        arguments: Its arguments as JSON, ``None`` where they are too long to be read.
        has_begun: Whether it was begun earlier, and perhaps done.
    """

    id: str
    agent: str
    operation: str
    arguments: str | None
    has_begun: bool
