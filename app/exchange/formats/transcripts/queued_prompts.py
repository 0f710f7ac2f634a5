"""Prompts that a person queues in Claude Code while it works.

The program writes a line when a prompt is queued. Most are repeated when their turn comes, as a message or an
attachment; some are not. Those that the person takes back into the input field are said only when they are sent again.
"""

from typing import Any, Final

from app.core.text import content_hash
from app.exchange.parsing.lenient import row, table, text

_MAX_KEPT: Final = 256


def words_of(content: object) -> str:
    """Return the words of a prompt, which is a text or a list of parts."""
    if isinstance(content, str):
        return content
    return "\n\n".join(filter(None, (text(table(part).get("text")) for part in row(content))))


class QueuedPrompts:
    """Prompts in the queue, each read once.

    Args:
        state: Where hashes of prompts are kept, whose copies are passed over; JSON values.
    """

    def __init__(self, state: dict[str, Any]) -> None:
        self._queued: list[str] = state.setdefault("queued", [])
        self._due: list[str] = state.setdefault("due", [])
        self._ahead: list[tuple[int, str]] = []
        self._ahead_number = self._number = 0
        self._taken_back: set[int] = set()
        self._words: dict[str, str] = {}

    def look_ahead(self, event: dict[str, Any]) -> None:
        """Note from a line that is about to be read which prompts are taken back."""
        operation, name = _operation(event)
        if operation == "enqueue":
            self._ahead.append((self._ahead_number, name))
            self._ahead_number += 1
        elif operation == "popAll":
            self._taken_back.update(number for number, _ in self._ahead)
            self._ahead.clear()
        elif operation in ("dequeue", "remove") and self._ahead:
            del self._ahead[next((at for at, (_, queued) in enumerate(self._ahead) if queued == name), 0)]

    def prompt(self, event: dict[str, Any]) -> tuple[str, str]:
        """Return the words that a line queues, and their id; ``""`` for none."""
        operation, name = _operation(event)
        if operation == "popAll":
            self._queued.clear()
        elif operation in ("dequeue", "remove") and self._queued:
            at = self._queued.index(name) if name in self._queued else 0
            self._due.append(self._queued.pop(at))
        if operation != "enqueue":
            return "", ""
        words, number = words_of(event.get("content")), self._number
        self._number += 1
        if not words.strip() or number in self._taken_back:
            return "", ""
        self._queued.append(name)
        self._words[name] = words
        del self._queued[:-_MAX_KEPT], self._due[:-_MAX_KEPT]
        return words, f"queued-{name}-{text(event.get('timestamp'))}"

    def is_copy(self, words: str) -> bool:
        """Return whether a turn repeats a prompt that was read, or all that wait."""
        name = content_hash(words)
        for names in (self._due, self._queued):
            if name in names:
                names.remove(name)
                return True
        waiting = [*self._due, *self._queued]
        is_all = len(waiting) > 1 and name == content_hash(
            " ".join(self._words.get(waiting_name, "") for waiting_name in waiting)
        )
        self._due.clear()  # the turn of what left the queue is over
        if is_all:
            self._queued.clear()
        return is_all


def _operation(event: dict[str, Any]) -> tuple[str, str]:
    words = words_of(event.get("content"))
    return text(event.get("operation")), content_hash(words) if words else ""
