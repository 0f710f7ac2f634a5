"""Wrong usage that the parser cannot see."""

from collections.abc import Iterable


class WrongUsageError(Exception):
    """The command line cannot be meant like this; ends with the exit status 2.

    Args:
        sentence: What is wrong, without a full stop.
        command: The command, as typed.
    """

    def __init__(self, sentence: str, command: str = "keepsake") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.command = command


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return a hint at the name like a mistyped one, ``""`` without one."""
    from difflib import get_close_matches  # noqa: PLC0415  (only for a mistake)

    near = get_close_matches(name, [*known], 1)
    return f" (did you mean {near[0]}?)" if near else ""
