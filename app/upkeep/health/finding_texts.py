"""Sentences of the findings, for a person."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.core.text import counted, excerpt, without_controls
from app.core.text_rules.secret_patterns import without_secrets
from app.sentence import Sentence, counted_sentence
from app.upkeep.health.model import FindingId, Growth, HealthExample, HealthFinding, HealthSeverity

SEVERITIES: Final[tuple[HealthSeverity, ...]] = ("error", "warning", "info")
_TITLE: Final = 120
_READ: Final = 2_000


@dataclass(frozen=True, slots=True)
class _Words:
    """Sentences about one kind of finding; ``done`` follows the number of changed items."""

    severity: HealthSeverity
    title: Callable[[int], Sentence]
    why: str
    fix: str
    done: str = ""


_WORDS: Final[Mapping[FindingId, _Words]] = {
    "duplicates": _Words(
        "warning",
        lambda count: counted_sentence(
            count,
            "1 memory says nothing beyond another one.",
            "{count} memories say nothing beyond another one.",
        ),
        "Searches and contexts show the same thing twice, and leave out something else.",
        "Merges each into the one that says it all: the pinned or confirmed one, else the older one.",
        "merged",
    ),
    "contradictions": _Words(
        "warning",
        lambda count: counted_sentence(
            count,
            "1 fact contradicts others of the same category and key.",
            "{count} facts contradict others of the same category and key.",
        ),
        "An agent may be told the wrong one.",
        "Lets the newest fact supersede the others. Pinned and confirmed facts stay; decide on those yourself.",
        "superseded",
    ),
    "stale": _Words(
        "info",
        lambda count: counted_sentence(count, "1 fact is stale.", "{count} facts are stale."),
        "Plans whose date has passed, and old doubtful facts that nobody used, crowd out what holds.",
        "Puts them into the trash. Pinned and confirmed facts stay.",
        "set aside",
    ),
    "orphans": _Words(
        "info",
        lambda count: counted_sentence(
            count,
            "1 entity is mentioned nowhere.",
            "{count} entities are mentioned nowhere.",
        ),
        "Names may be linked to them by mistake.",
        "Removes entities without mentions, statements and summary; protected ones stay.",
        "removed",
    ),
    "sources": _Words(
        "warning",
        lambda count: counted_sentence(
            count,
            "1 agent or conversation stores mostly what is deleted or rejected.",
            "{count} agents or conversations store mostly what is deleted or rejected.",
        ),
        "What else comes from there is probably of no use either.",
        "Let the agent's writes wait in the inbox (agent.trust), or hide what it stored (agent.quarantine).",
    ),
    "echoes": _Words(
        "warning",
        lambda count: counted_sentence(
            count,
            "1 agent tries to store again what it has just recalled.",
            "{count} agents try to store again what they have just recalled.",
        ),
        "Echoes are kept out, but an agent that sends many stores little of its own.",
        "Tell the agent to store only what is new, or let its writes wait in the inbox (agent.trust).",
    ),
    "secrets": _Words(
        "error",
        lambda count: counted_sentence(
            count,
            "1 memory or message has a password or key in clear.",
            "{count} memories and messages have passwords or keys in clear.",
        ),
        "Every program that may read it can use it. Replace the password or key where it is used.",
        "Puts a mark in place of secrets in memories. Messages, the history and backups keep them:"
        " memory.forget_forever removes those for good.",
        "cleaned",
    ),
}
_ITEMS: Final[Mapping[FindingId, tuple[str, str]]] = {
    "contradictions": ("fact", "facts"),
    "stale": ("fact", "facts"),
    "orphans": ("entity", "entities"),
}


def shown(text: str) -> str:
    """Return the first words of a text in one line, without secrets and control characters."""
    return excerpt(without_controls(without_secrets(text[:_READ])[0].replace("\n", " ")), _TITLE)


def finding(
    name: FindingId, count: int, fixable: int, examples: Sequence[HealthExample], more: Sequence[str] = ()
) -> HealthFinding:
    """Return a finding with its sentences.

    Args:
        name: Its name.
        count: How many items it is about.
        fixable: How many its fix would change.
        examples: Some of them.
        more: Further notes.
    """
    words = _WORDS[name]
    return HealthFinding(
        name,
        words.title(count),
        words.severity,
        count,
        fixable,
        tuple(examples),
        words.why,
        words.fix,
        (*notes(name), *more),
    )


def growth_finding(grown: Growth) -> HealthFinding:
    """Return the finding about growth; nothing for a vault that does not grow."""
    title = (
        f"The vault grows by about {_size(grown.bytes_per_month)} a month, to {_size(grown.bytes_in_a_year)} in a year."
    )
    examples = tuple(
        HealthExample(
            month.month, month.month, f"{counted(month.memories, 'memory')}, {counted(month.messages, 'message')}"
        )
        for month in grown.months[:10]
    )
    return HealthFinding(
        "growth",
        title,
        "info",
        grown.rows_per_month,
        0,
        examples,
        "The vault and its backups need the space.",
        "Nothing has to be done.",
    )


def notes(name: FindingId) -> tuple[str, ...]:
    """Return what a fix leaves."""
    return ("The history still has the secrets, so that the fix can be undone.",) if name == "secrets" else ()


def unread(left: int) -> str:
    """Return the note about messages that were not searched yet."""
    return counted_sentence(
        left,
        "About 1 message is still to be searched. Ask again to go on.",
        "About {count} messages are still to be searched. Ask again to go on.",
    )


def plan(name: FindingId, count: int) -> str:
    """Return the summary of a plan."""
    return f"{_items(name, count)} would be {_WORDS[name].done}." if count else "There is nothing to change."


def done(name: FindingId, count: int) -> str:
    """Return the summary of a fix."""
    if not count:
        return "There was nothing to change."
    return f"{_items(name, count)} {'was' if count == 1 else 'were'} {_WORDS[name].done}."


def _items(name: FindingId, count: int) -> str:
    single, many = _ITEMS.get(name, ("memory", "memories"))
    return f"{count:,} {single if count == 1 else many}"


def _size(count: int) -> str:
    return f"{count / 1_000_000:,.1f} MB"
