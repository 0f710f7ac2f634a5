"""Values of the vault's care: status, statistics, findings of a check."""

from dataclasses import dataclass
from typing import Literal

from app.changes import Progress
from app.memories.model import Facet

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class VaultStats:
    """What a vault holds; ``pending`` chunks lack their vector, ``disk_bytes`` counts database and log."""

    sessions: int
    messages: int
    memories: int
    kinds: tuple[Facet, ...]
    chunks: int
    embedded: int
    pending: int
    disk_bytes: int


@dataclass(frozen=True, slots=True)
class VaultStatus:
    """How the vault stands right now.

    Args:
        vault: Its folder.
        version: Keepsake's version.
        schema: The number of the vault's schema.
        embedder: What makes its vectors.
        notes: Sentences about what does not work at the moment.
    """

    vault: str
    version: str
    schema: int
    embedder: str
    sessions: int
    memories: int
    total_chunks: int
    pending_vectors: int
    jobs: tuple[Progress, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a check found.

    Args:
        area: Where: ``database``, ``references``, ``words``, ``vectors``, ``files``.
        what: What is wrong, in a sentence.
        remedy: What to do about it.
    """

    area: str
    severity: Severity
    what: str
    remedy: str


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a check of the vault found; ``ok`` when nothing is an error."""

    ok: bool
    findings: tuple[Finding, ...]
    seconds: float
