"""Decision about a file and its note: every case, and no case deletes what was edited."""

from itertools import product

import pytest

from app.exchange.mirror.mirror_decision import Step, decide
from app.exchange.mirror.mirror_repo import Agreement, NoteState

AGREED = Agreement("Rose.md", "note-1", "same", 3)
WAITING = Agreement("Rose.md", "note-1", "", 3)
SAME, EDITED = NoteState(3, False), NoteState(4, False)
DELETED = NoteState(4, True)


@pytest.mark.parametrize(
    ("agreed", "file_hash", "note", "step"),
    [
        (None, "new", None, Step.READ),
        (AGREED, "same", SAME, Step.NOTHING),
        (AGREED, "other", SAME, Step.READ),
        (AGREED, "same", EDITED, Step.WRITE),
        (AGREED, "other", EDITED, Step.KEEP_BOTH),
        (AGREED, None, SAME, Step.DELETE_NOTE),
        (AGREED, None, EDITED, Step.WRITE),
        (AGREED, None, DELETED, Step.FORGET),
        (AGREED, "same", DELETED, Step.DELETE_FILE),
        (AGREED, "other", DELETED, Step.READ),
        (AGREED, "same", None, Step.ERASE_FILE),
        (AGREED, None, None, Step.FORGET),
        (WAITING, None, SAME, Step.WRITE),
        (WAITING, None, EDITED, Step.WRITE),
        (WAITING, None, DELETED, Step.NOTHING),
        (WAITING, "there", SAME, Step.READ),
        (WAITING, "there", DELETED, Step.READ),
        (WAITING, None, None, Step.FORGET),
    ],
)
def test_each_case(agreed: Agreement | None, file_hash: str | None, note: NoteState | None, step: Step) -> None:
    assert decide(agreed, file_hash, note) is step


def test_an_edit_is_never_deleted() -> None:
    for agreed, file_hash, note in product((AGREED, WAITING), (None, "same", "other"), (SAME, EDITED, DELETED)):
        step = decide(agreed, file_hash, note)
        if file_hash == "other":
            assert step in {Step.READ, Step.KEEP_BOTH}
        if note is EDITED:
            assert step in {Step.WRITE, Step.KEEP_BOTH, Step.READ}
        assert step is not Step.ERASE_FILE
