"""The generated file of commands, read without loading the engine."""

import functools
import json
from pathlib import Path
from typing import Final

from app.cli.verbs.model import Declarations, Verb, verb_of
from app.core.paths import resources

FILE: Final = "commands.json"


def path() -> Path:
    """Return where the file is."""
    return resources() / FILE


@functools.cache
def declarations() -> Declarations:
    """Return every command; none where the file was not generated yet."""
    try:
        raw = json.loads(path().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Declarations()
    return Declarations(**raw)


def verb(words: str) -> Verb | None:
    """Return the verb of these words, ``None`` where there is none."""
    raw = declarations().verbs.get(words)
    return None if raw is None else verb_of(words, raw)


def names_after(words: str) -> dict[str, str]:
    """Return the names that may follow these words, each with a line about it."""
    known, depth = declarations(), len(words.split())
    start = f"{words} " if words else ""
    names: dict[str, str] = {}
    for full, raw in known.commands.items():
        if full and full.startswith(start) and len(full.split()) == depth + 1 and not raw.get("hidden"):
            names[full.split()[-1]] = raw.get("summary", "")
    for full, raw in known.verbs.items():
        if full.startswith(start):
            name = full.split()[depth]
            is_verb = len(full.split()) == depth + 1
            names.setdefault(name, raw["summary"] if is_verb else known.subjects.get(start + name, ""))
    return names
