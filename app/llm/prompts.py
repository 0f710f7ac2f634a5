"""Prompts: versioned text files in ``resources/prompts``."""

from dataclasses import dataclass
from functools import lru_cache

from app.core.paths import resources
from app.errors import InternalError
from app.sentence import Sentence


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt.

    Args:
        name: The name of its file, without ending.
        version: Its number, which rises with each change of its text.
        text: Its text.
    """

    name: str
    version: int
    text: str


@lru_cache(maxsize=64)
def load_prompt(name: str) -> Prompt:
    """Return the prompt of ``resources/prompts/<name>.md``.

    The file begins with ``---``, ``version: <number>`` and ``---``, a line each.

    Raises:
        InternalError: There is no such prompt, or it has no version.
    """
    try:
        lines = (resources() / "prompts" / f"{name}.md").read_text("utf-8").split("\n")
    except OSError as error:
        raise InternalError(Sentence("The prompt '{name}' is missing in this installation.", name=name)) from error
    field, _, number = lines[1].partition(":") if len(lines) > 2 else ("", "", "")  # noqa: PLR2004  (its head)
    if lines[0] != "---" or lines[2] != "---" or field != "version" or not number.strip().isdecimal():
        raise InternalError(Sentence("The prompt '{name}' has no version.", name=name))
    return Prompt(name, int(number), "\n".join(lines[3:]).strip())
