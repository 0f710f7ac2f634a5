"""Words in files that no reader opens: hidden ones, or of an unknown format."""

import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Any, Final

from app.exchange.importing.source_files import DAMAGE, SourceEntry
from app.exchange.parsing import encoding
from app.exchange.parsing.source_words import Noise, spoken
from app.memories.foreign_record import Problem
from app.sentence import Sentence, counted_sentence

MAX_BYTES: Final = 16 << 20
MAX_NAMED: Final = 1000
_JSON: Final = frozenset({".json", ".jsonl", ".ndjson"})
_TEXT: Final = frozenset(
    {
        *(".md", ".markdown", ".mdx", ".org", ".txt", ".text", ".html", ".htm", ".csv", ".tsv", ".rst", ".tex"),
        *(".adoc", ".asciidoc", ".textile", ".wiki", ".opml", ".eml", ".ics", ".srt", ".vtt"),
    }
)
# Folders in which a program keeps its settings or what was deleted, and files that describe a project.
_OF_PROGRAMS: Final = re.compile(
    r"(?:.*/)?\.(?:git|svn|hg|github|gitlab|obsidian|trash|recycle|vscode|idea|venv|tox|cache|[a-z]+_cache|stversions)/.*"
    r"|(?:.*/)?(?:package|package-lock|composer|tsconfig|jsconfig|manifest|deno|turbo)\.json",
    re.DOTALL | re.IGNORECASE,
)


def hidden_files(root: Path, places: list[str]) -> Iterator[str]:
    """Yield the files that may hold words at hidden places of a folder, without links.

    Args:
        root: The folder.
        places: Hidden files and folders in it.
    """
    return (name for place in places for name in _below(root, place) if may_hold_words(name))


def may_hold_words(name: str) -> bool:
    """Return whether a file may hold words of a person or agent by its name."""
    return PurePosixPath(name).suffix.lower() in _JSON | _TEXT and not _OF_PROGRAMS.fullmatch(name)


def holds_words(name: str, stream: IO[bytes]) -> bool:
    """Return whether a file holds words of a person or agent, and not settings alone."""
    decoded = encoding.decode(stream.read(MAX_BYTES))
    if decoded is None:
        return False
    values = _values(decoded.text) if PurePosixPath(name).suffix.lower() in _JSON else decoded.text
    return next(spoken(values, Noise()), None) is not None


def within(entries: Iterable[SourceEntry]) -> Iterator[Problem]:
    """Yield the problems that name unread files of a zip with words."""
    for entry in filter(lambda entry: may_hold_words(entry.name), entries):
        try:
            with entry.open() as stream:
                has_words = holds_words(entry.name, stream)
        except (*DAMAGE, OSError, NotImplementedError, RuntimeError):
            yield Problem(entry.name, Sentence("It is damaged or cannot be read, and was left out."))
        else:
            if has_words:
                yield Problem(entry.name, Sentence("It holds words and was left out; to have them, unpack the zip."))


@dataclass(slots=True)
class WordFiles:
    """Problems of files with words: the first, and how many more there are.

    Args:
        named: Those of the first ``MAX_NAMED`` files.
        more: How many more files there are.
    """

    named: list[Problem] = field(default_factory=list)
    more: int = 0

    def add(self, problem: Problem) -> None:
        """Take the problem of one more file."""
        if len(self.named) < MAX_NAMED:
            self.named.append(problem)
        else:
            self.more += 1

    def problems(self, place: str) -> list[Problem]:
        """Return the problems of all the files, which lie at ``place``."""
        if not self.more:
            return self.named
        return [
            *self.named,
            Problem(
                place,
                counted_sentence(
                    self.more,
                    "1 more file holds words and was left out.",
                    "{count} more files hold words and were left out.",
                ),
                count=self.more,
            ),
        ]


def hidden_words(place: str) -> Problem:
    """Return the problem that names a hidden file with words."""
    return Problem(place, Sentence("It is hidden, holds words and was left out; to have them, import this file."))


def foreign_words(place: str) -> Problem:
    """Return the problem that names a file with words in an unknown format."""
    return Problem(place, Sentence("It holds words in no format that is known and was left out."))


def _below(root: Path, place: str) -> Iterator[str]:
    if (root / place).is_file():
        yield place
    elif not _OF_PROGRAMS.fullmatch(f"{place}/"):
        for folder, folders, names in os.walk(root / place):
            folders.sort()
            files = (Path(folder, name) for name in sorted(names))
            yield from (file.relative_to(root).as_posix() for file in files if file.is_file() and not file.is_symlink())


def _values(text: str) -> Any:
    """Return the value of JSON text or its lines; damaged ones count as text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return [_value(line) for line in text.splitlines()]


def _value(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return line
