"""Answers as tables, records and sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.cli.verbs.answers import answer_lines
from app.cli.verbs.change_messages import change_lines, changed_ids
from app.cli.verbs.declarations import verb
from app.cli.verbs.tables import Screen, cell_width, cut, table_lines
from app.core.text import has_controls

ID = "note-01a20565-2b70-7000-ab0d-93399d56fa48"
ROW = {
    "id": ID, "kind": "note", "title": "", "preview": "A long preview " * 9,
    "store": "private", "source": "person", "tags": ["a", "b"], "updated_at": "2026-10-28T09:10:00Z",
}  # fmt: skip
AGENT_RUN = {
    **dict.fromkeys(("memories", "sessions", "entities", "schedules", "searches", "left"), 0),
    "agent": "bob",
    "run_id": "run-1",
    "skipped": [],
    "state": "finished",
}
TERMINAL = Screen(100)


def test_a_table_fits_the_terminal_and_keeps_ids_whole() -> None:
    lines = answer_lines([ROW, {**ROW, "title": "流氷 " * 40}], "list MemoryRow", TERMINAL)
    assert lines[0].split() == ["ID", "KIND", "UPDATED", "TITLE", "TAGS"]
    assert all(cell_width(line) <= TERMINAL.width for line in lines)
    assert all(ID in line for line in lines[1:])
    assert "A long preview" in lines[1]
    assert answer_lines([ROW], "list MemoryRow", Screen(30))[1] == ID


def test_a_narrow_terminal_keeps_the_title_longest() -> None:
    names = ["id", "kind", "updated", "title", "tags"]
    rows = [["note-" + "0" * 36, "note", "2026-10-12 14:30", "Kenji arrives on the 14th of May", "garden"]]
    wide, narrow = (table_lines(names, rows, Screen(width)) for width in (80, 60))
    assert wide[0].split() == ["ID", "KIND", "TITLE"]
    assert "Kenji arrives on the 14th" in wide[1]
    assert narrow[0].split() == ["ID", "TITLE"]
    assert "Kenji arrives" in narrow[1]


def test_a_pipe_gets_cells_between_tabs_without_a_head() -> None:
    lines = answer_lines([{**ROW, "title": "with\ttab\nand line"}], "list MemoryRow", Screen())
    assert [line.split("\t") for line in lines] == [[ID, "note", "2026-10-28T09:10:00Z", "with tab and line", "a, b"]]


@given(st.lists(st.lists(st.text(max_size=40), min_size=3, max_size=3), max_size=4), st.integers(20, 120))
def test_nothing_stored_steers_the_terminal(rows: list[list[str]], width: int) -> None:
    for screen in (Screen(width), Screen()):
        for line in table_lines(["a", "b", "c"], rows, screen):
            assert not has_controls(line.replace("\t", ""))


@given(st.text(max_size=30), st.integers(1, 20))
def test_a_cut_text_is_no_wider(text: str, width: int) -> None:
    assert cell_width(cut(text, width)) <= max(width, 1)


def test_a_record_shows_its_long_text_last() -> None:
    lines = answer_lines({"id": "x", "content": "one\n\x1b[31mtwo", "tags": [], "pinned": True}, "Memory", TERMINAL)
    assert lines == ["id      x", "pinned  yes", "", "one", "[31mtwo"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [([], ["There are none."]), (None, ["Nothing found."]), (3, ["3"]), ("x", ["x"]), (True, ["yes"])],
)
def test_a_small_answer_is_a_line(value: object, shown: list[str]) -> None:
    assert answer_lines(value, "", TERMINAL) == shown
    if not value:
        assert answer_lines(value, "", Screen()) == []


@pytest.mark.parametrize(
    ("command", "value", "sentence", "ids"),
    [
        ("note save", {"id": "note-1", "title": "Roses"}, "Saved note-1 (Roses).", ["note-1"]),
        ("note delete-many", ["a", "b"], "Deleted 2.", ["a", "b"]),
        ("note delete-many", [], "Nothing was changed.", []),
        ("session scratchpad clear", True, "Done.", []),
        ("fact set", {"fact": {"id": "fact-1"}, "superseded": None}, "Set fact-1.", ["fact-1"]),
        ("memory write", {"outcome": "NONE", "memory": {"id": "obs-1"}}, "Already known: obs-1.", ["obs-1"]),
        ("agent revoke", {"id": "agt-1", "name": "bob"}, "Ended the access of agt-1 (bob).", ["agt-1"]),
        (
            "agent undo",
            {**AGENT_RUN, "memories": 1, "schedules": 2},
            "Undid of bob: 1 memory, 2 schedules. 'keepsake memory undo --run-id run-1' brings it back.",
            ["run-1"],
        ),
        (
            "agent quarantine",
            {**AGENT_RUN, "searches": 1},
            "Hidden of bob: 1 saved search. 'keepsake agent release bob' brings it back.",
            ["run-1"],
        ),
        ("agent release", {**AGENT_RUN, "entities": 3}, "Released of bob: 3 names.", ["run-1"]),
        ("agent undo", AGENT_RUN, "Nothing of bob was to be changed.", ["run-1"]),
    ],
)
def test_a_change_is_a_sentence(command: str, value: object, sentence: str, ids: list[str]) -> None:
    found = verb(command)
    assert found is not None
    assert change_lines(found, value, TERMINAL) == [sentence]
    assert changed_ids(value) == ids
