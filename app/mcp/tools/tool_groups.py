"""Groups of the full profile's tools: one for each subject of the catalogue's operations."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from app.errors import InputError
from app.sentence import Sentence

MAX_TOOLS: Final = 128
"""Tools that OpenAI and VS Code take at most."""

DEFAULT_GROUPS: Final = ("memory", "note", "fact", "session", "schedule", "tag", "search", "inbox", "agent")


def subject(operation: str) -> str:
    """Return the subject of an operation: ``session_summary`` of ``session.summary.get``."""
    return operation.rpartition(".")[0].replace(".", "_")


def parse_groups(text: str, operations: Iterable[str]) -> tuple[str, ...]:
    """Return the groups named in a list with commas.

    Args:
        text: The list; singular and plural are taken.
        operations: The names of all operations that agents may call.

    Raises:
        InputError: There is no such group.
    """
    known = sorted(set(map(subject, operations)))
    groups = []
    for word in filter(None, (re.sub(r"[-. ]", "_", part.strip().lower()) for part in text.split(","))):
        group = next((word_form for word_form in _singulars(word) if word_form in known), None)
        if group is None:
            raise InputError(
                Sentence("There is no group of tools '{word}'. There are: {names}.", word=word, names=", ".join(known)),
                field="tools",
            )
        groups.append(group)
    return tuple(dict.fromkeys(groups))


def within_limit(operations: Iterable[str], groups: Sequence[str], room: int) -> tuple[list[str], list[str]]:
    """Return the operations of groups that fit into a list, and the other groups.

    Args:
        operations: Names of operations.
        groups: Names of groups, the most wanted first.
        room: How many operations may be listed.
    """
    names = list(operations)
    sizes = Counter(map(subject, names))
    fitting, left_out = set[str](), []
    for group in groups:
        if sizes[group] <= room:
            fitting.add(group)
            room -= sizes[group]
        else:
            left_out.append(group)
    return [name for name in names if subject(name) in fitting], left_out


def _singulars(word: str) -> list[str]:
    endings = (("", ""), ("ies", "y"), ("es", ""), ("s", ""))
    return [word.removesuffix(plural) + word_form for plural, word_form in endings if word.endswith(plural)]
