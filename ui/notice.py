"""Notices: short messages to the person, shown as toasts."""

from dataclasses import dataclass

from ui.translation import translate

UNDO_SECONDS, INFO_SECONDS = 8.0, 4.0


@dataclass(frozen=True, slots=True)
class Notice:
    """A short message.

    Args:
        text: One sentence, such as ``Deleted ‘Rose list’``.
        history_ids: Changes in the history that are undone; with them the toast offers Undo.
        act: Instead of them, the id of the entry of the history that is undone, such as that of an import.
        seconds: How long it stays; 0 for as long as it takes to read, longer where it offers Undo.
        undo_text: What was done, for “Undo: …”, where ``text`` does not say it, such as ``Captured a note``.
        kind: ``info`` or ``error``; an error stays until dismissed.
        is_quoting: Whether it may quote words of the vault, and has to go when something is erased for ever.
    """

    text: str
    history_ids: tuple[int, ...] = ()
    seconds: float = 0.0
    undo_text: str = ""
    kind: str = "info"
    act: str = ""
    is_quoting: bool = True

    @property
    def can_undo(self) -> bool:
        """Offer of Undo in the toast."""
        return bool(self.history_ids or self.act)

    @property
    def duration_s(self) -> float:
        """Seconds that it stays."""
        return self.seconds or (UNDO_SECONDS if self.can_undo else INFO_SECONDS)


def removed_error_text() -> str:
    """Return the sentence for an error that may have quoted erased words."""
    return translate("Erasure", "An error message was removed, because it may have quoted what was erased for ever.")
