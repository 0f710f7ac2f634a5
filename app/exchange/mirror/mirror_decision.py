"""Decision about one file of a mirrored folder and its note."""

from enum import Enum, auto

from app.exchange.mirror.mirror_repo import Agreement, NoteState


class Step(Enum):
    """Step that makes a file and its note agree again."""

    NOTHING = auto()
    READ = auto()
    """The note takes the file's text."""
    WRITE = auto()
    """The file takes the note's text."""
    KEEP_BOTH = auto()
    """The note takes the file's text, and its own becomes a second note."""
    DELETE_NOTE = auto()
    """The note goes to the trash."""
    DELETE_FILE = auto()
    """The file goes to the folder's trash."""
    ERASE_FILE = auto()
    """The file goes for good, as its note did."""
    FORGET = auto()
    """Both are gone."""


def decide(agreed: Agreement | None, file_hash: str | None, note: NoteState | None) -> Step:
    """Return the step for one file and its note.

    Args:
        agreed: The state in which both agreed last, ``None`` for a file that is new.
        file_hash: The hash of the file's bytes, ``None`` where there is no file.
        note: The note as it is, ``None`` where it was forgotten for ever.
    """
    if agreed is None:
        return Step.READ if file_hash is not None else Step.NOTHING
    if note is None:
        return Step.FORGET if file_hash is None else Step.ERASE_FILE
    if not agreed.file_hash:  # the file is still to be written, or lies in the folder's trash
        return Step.READ if file_hash is not None else Step.NOTHING if note.is_deleted else Step.WRITE
    has_changed = note.is_deleted or note.version != agreed.version
    if file_hash is None:
        return _without_file(note, has_changed=has_changed)
    if file_hash == agreed.file_hash:
        return _without_edit(note, has_changed=has_changed)
    # An edit brings a deleted note back: nothing that was typed is lost.
    return Step.KEEP_BOTH if has_changed and not note.is_deleted else Step.READ


def _without_file(note: NoteState, *, has_changed: bool) -> Step:
    if note.is_deleted:
        return Step.FORGET
    return Step.WRITE if has_changed else Step.DELETE_NOTE


def _without_edit(note: NoteState, *, has_changed: bool) -> Step:
    if note.is_deleted:
        return Step.DELETE_FILE
    return Step.WRITE if has_changed else Step.NOTHING
