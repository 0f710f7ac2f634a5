"""Notices: what a pane tells the person in passing."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Notice:
    """Something to tell in passing.

    Args:
        text: One sentence, such as ``Deleted ‘Rose list’``.
        history_ids: Entries of the history that undo it; with them the toast offers Undo and Ctrl+Z does too.
        seconds: How long it stays.
        undo_text: What Ctrl+Z is called then, such as ``delete ‘Rose list’``; ``text`` when empty.
        kind: ``info`` or ``error``; an error stays until dismissed.
    """

    text: str
    history_ids: tuple[int, ...] = ()
    seconds: float = 8.0
    undo_text: str = ""
    kind: str = "info"
