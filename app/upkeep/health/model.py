"""Values of the vault's health: findings, growth and fixes."""

from dataclasses import dataclass
from typing import Final, Literal

FindingId = Literal["duplicates", "contradictions", "stale", "orphans", "sources", "echoes", "secrets", "growth"]
HealthSeverity = Literal["info", "warning", "error"]

FIXABLE: Final[tuple[FindingId, ...]] = ("duplicates", "contradictions", "stale", "orphans", "secrets")


@dataclass(frozen=True, slots=True)
class HealthExample:
    """An example of a finding.

    Args:
        id: What it is about: a memory, a message (``<session>#<seq>``), an entity or an agent.
        title: Its title or first words, without secrets.
        detail: What was found of it, in a few words.
    """

    id: str
    title: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """A finding about the vault.

    Args:
        id: Its name, such as ``duplicates``, by which it is planned and fixed.
        title: What was found, in a sentence.
        severity: ``info``, ``warning`` or ``error``.
        count: How many items it is about.
        fixable: How many of them its fix would change.
        examples: The first of them, at most ten.
        why: Why it matters.
        fix: What the fix does, or what helps where there is none.
        notes: What was left out, and why.
    """

    id: FindingId
    title: str
    severity: HealthSeverity
    count: int
    fixable: int = 0
    examples: tuple[HealthExample, ...] = ()
    why: str = ""
    fix: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MonthGrowth:
    """New memories and messages of a month, and about how many bytes they take.

    Args:
        month: The month in UTC, such as ``2026-03``.
        memories: New memories.
        messages: New messages.
        bytes: Their share of the database's size.
    """

    month: str
    memories: int
    messages: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Growth:
    """Growth of the vault.

    Args:
        months: The last twelve months that had any, the latest first.
        rows_per_month: Memories and messages a month, as in the last three whole months.
        bytes_per_month: Bytes a month.
        bytes_now: Size of the database.
        bytes_in_a_year: Size of the database in twelve months, should it go on like that.
    """

    months: tuple[MonthGrowth, ...] = ()
    rows_per_month: int = 0
    bytes_per_month: int = 0
    bytes_now: int = 0
    bytes_in_a_year: int = 0


@dataclass(frozen=True, slots=True)
class HealthReport:
    """The health of the vault.

    Args:
        findings: One for each kind, the most severe first; those with nothing found are left out.
        memories: Active memories that were looked at.
        messages: Messages that have been searched for secrets so far.
        unsearched: About how many are still to be searched; another report goes on with them.
        growth: How it grows.
    """

    findings: tuple[HealthFinding, ...]
    memories: int
    messages: int
    growth: Growth
    unsearched: int = 0


@dataclass(frozen=True, slots=True)
class FixStep:
    """A change that a fix makes.

    Args:
        action: A verb, such as ``merge``.
        id: What is changed.
        into: What takes its place, ``""`` for nothing.
        detail: What becomes of it, in a few words.
    """

    action: str
    id: str
    into: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class HealthFix:
    """Outcome of a fix.

    Args:
        finding: The finding.
        run_id: The run, for ``memory.undo``; ``""`` where nothing had to be changed.
        changed: How many items were changed.
        summary: A sentence for a person.
    """

    finding: FindingId
    run_id: str
    changed: int
    summary: str
