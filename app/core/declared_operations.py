"""Declarations of operations that clients need, read from a generated file without loading the engine."""

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from app.core.paths import resources

FILE: Final = "operations.json"


@dataclass(frozen=True, slots=True)
class DeclaredOperations:
    """Properties of operations for clients, by their names.

    Args:
        keys: The argument with which a call may be repeated safely.
        not_for_models: Those that no language model is offered.
        checks_facts: Those whose texts the window compares with stored facts.
        removes: Those that take what they name out of the results of a search.
        replaces: Those whose statement takes the place of a fact, beside which the person may keep it instead.
        erases: Those after which nothing may remember what they name.
        imports: Those after which the window gives advice on the search.
        brings_back: Those after which the window selects what they brought back.
        sentences: What an agent did that called it.
        formats: What people call each format that ``exchange.import`` takes.
    """

    keys: Mapping[str, str] = field(default_factory=dict)
    not_for_models: frozenset[str] = frozenset()
    checks_facts: frozenset[str] = frozenset()
    removes: frozenset[str] = frozenset()
    replaces: frozenset[str] = frozenset()
    erases: frozenset[str] = frozenset()
    imports: frozenset[str] = frozenset()
    brings_back: frozenset[str] = frozenset()
    sentences: Mapping[str, str] = field(default_factory=dict)
    formats: Mapping[str, str] = field(default_factory=dict)


def path() -> Path:
    """Return where the file is."""
    return resources() / FILE


@functools.cache
def declared_operations() -> DeclaredOperations:
    """Return the declarations; none where the file was not generated yet."""
    try:
        raw = json.loads(path().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return DeclaredOperations()
    parts: dict[str, Any] = {name: frozenset(part) if isinstance(part, list) else part for name, part in raw.items()}
    return DeclaredOperations(**parts)
