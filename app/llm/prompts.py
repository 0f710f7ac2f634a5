"""Prompts of language models: files in ``resources/prompts`` with a version."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from app.core.paths import resources
from app.errors import InternalError

_FILE: Final = re.compile(r"---\nversion: (\d+)\n---\n(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Prompt:
    """The instructions of a language model for one purpose.

    Args:
        name: The purpose, which is the name of the file.
        version: Counts changes of the text.
        text: The text.
    """

    name: str
    version: int
    text: str


@cache
def load_prompt(name: str) -> Prompt:
    """Return the prompt of a purpose.

    Raises:
        InternalError: Its file is missing or has no version.
    """
    path = resources() / "prompts" / f"{name}.md"
    found = _FILE.fullmatch(path.read_text(encoding="utf-8")) if path.is_file() else None
    if found is None:
        raise InternalError("A prompt is missing or has no version.", prompt=name)
    return Prompt(name, int(found[1]), found[2].strip())
