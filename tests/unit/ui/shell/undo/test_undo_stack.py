"""Undo and redo follow the history of the vault, wherever a change was made."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from app.api.caller import Caller
from app.history.acts.model import Act
from app.host import Host
from tests.unit.ui.conftest import Rest
from ui import translation
from ui.bridge import Bridge
from ui.models.dates import format_number
from ui.notice import Notice
from ui.shell.undo.act_sentences import act_text, refusal_text
from ui.shell.undo.undo_stack import MANY, UndoStack


@pytest.fixture
def bridge(host: Host, qt_loop: asyncio.AbstractEventLoop, look: object) -> Iterator[Bridge]:
    bridge = Bridge(host)
    yield bridge
    qt_loop.run_until_complete(bridge.close())
    bridge.deleteLater()


@pytest.fixture
def notices() -> list[Notice]:
    return []


@pytest.fixture
def undo(bridge: Bridge, notices: list[Notice], rest: Rest) -> Iterator[UndoStack]:
    stack = UndoStack()
    stack.notice.connect(notices.append)
    stack.set_bridge(bridge)
    rest(lambda: not stack._is_stale and not bridge.is_busy)
    yield stack
    stack.stop()
    rest(lambda: not bridge.is_busy)


def texts(host: Host) -> list[str]:
    return sorted(row.preview for row in host.ask("note.list"))


def said(notices: list[Notice]) -> list[str]:
    return [notice.text for notice in notices]


def test_the_menu_names_what_is_undone_and_done_again(undo: UndoStack, host: Host, rest: Rest, notices: Any) -> None:
    assert (undo.undo_text, undo.can_undo(), undo.can_redo()) == ("Undo", False, False)
    host.ask("note.save", title="Rose list", content="roses")
    rest(lambda: undo.undo_text == "Undo: Wrote the note ‘Rose list’")
    undo.undo()
    rest(lambda: undo.redo_text == "Redo: Wrote the note ‘Rose list’")
    assert texts(host) == []
    undo.redo()
    rest(lambda: undo.undo_text == "Undo: Did again: Wrote the note ‘Rose list’")
    assert texts(host) == ["roses"]
    assert said(notices) == ["Undone: Wrote the note ‘Rose list’", "Redone: Wrote the note ‘Rose list’"]


def test_an_acceptance_is_undone_and_never_an_older_thing(
    undo: UndoStack, host: Host, rest: Rest, notices: list[Notice]
) -> None:
    host.ask("agent.add", name="scout", trust="full", review=True)
    proposal = host.call("note.save", {"content": "its"}, Caller("scout", "full", review=True)).result().value.proposed
    host.ask("note.save", content="mine")
    host.ask("inbox.accept", id=proposal)
    rest(lambda: "Accepted" in undo.undo_text)
    undo.undo()
    rest(lambda: host.ask("inbox.count") == 1)
    assert texts(host) == ["mine"]
    rest(lambda: bool(notices))
    assert said(notices) == ["Undone: Accepted the proposal ‘its’, proposed by scout"]


def test_an_import_is_undone_as_one(undo: UndoStack, host: Host, rest: Rest, tmp_path: Path) -> None:
    for name in ("Elder", "Birch"):
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\n{name} by the river.\n", encoding="utf-8")
    host.ask("exchange.import", path=str(tmp_path))
    rest(lambda: undo.undo_text == "Undo: Imported 2 notes, from Markdown notes")
    undo.undo()
    rest(undo.can_redo)
    assert texts(host) == []


@pytest.fixture
def blocked(undo: UndoStack) -> list[tuple[Act, Act]]:
    found: list[tuple[Act, Act]] = []
    undo.blocked.connect(lambda act, first: found.append((act, first)))
    return found


def changed_by_an_agent(host: Host) -> str:
    note = host.ask("note.save", title="Rose list", content="roses")
    other = {"id": note.id, "version": note.version, "content": "tulips"}
    host.call("note.update", other, Caller("scout", "full")).result()
    return str(note.id)


def test_what_was_changed_since_is_undone_with_what_is_in_its_way(
    undo: UndoStack, host: Host, rest: Rest, notices: list[Notice], blocked: list[tuple[Act, Act]]
) -> None:
    changed_by_an_agent(host)
    rest(undo.can_undo)
    undo.undo()
    rest(lambda: bool(blocked))
    act, first = blocked[0]
    assert (act_text(act), act_text(first)) == ("Wrote the note ‘Rose list’", "Changed the note ‘Rose list’")
    assert refusal_text(act, first).endswith("since (text). Undo this first: Changed the note ‘Rose list’.")
    assert (notices, texts(host)) == ([], ["tulips"])
    rest(undo.can_undo)
    undo.undo_with_later(act)
    rest(lambda: texts(host) == [])
    rest(lambda: said(notices) == ["Undone: Wrote the note ‘Rose list’"])


def test_a_toast_whose_entry_was_changed_since_offers_the_same(
    undo: UndoStack, host: Host, rest: Rest, blocked: list[tuple[Act, Act]]
) -> None:
    target = changed_by_an_agent(host)
    entry = host.ask("memory.history", target=target)[-1].id
    undo.undo_notice(Notice("Saved", (entry,)))
    rest(lambda: [act_text(act) for pair in blocked for act in pair][-1:] == ["Changed the note ‘Rose list’"])


@pytest.mark.parametrize("language", ["de", "es", "zh_CN"])
def test_a_refusal_is_in_the_language(
    undo: UndoStack, host: Host, rest: Rest, blocked: list[tuple[Act, Act]], qapp: QApplication, language: str
) -> None:
    changed_by_an_agent(host)
    rest(undo.can_undo)
    undo.undo()
    rest(lambda: bool(blocked))
    act, first = blocked[0]
    english = refusal_text(act, first)
    translation.install(qapp, language)
    try:
        words = refusal_text(act, first)
    finally:
        translation.remove(qapp)
    assert "Rose list" in words
    assert not any(word in words for word in ("since", "Undo", "Changed", "memory"))
    assert english == act.refusal


def test_what_was_undone_before_a_refusal_is_told_in_the_language(
    undo: UndoStack, host: Host, rest: Rest, notices: list[Notice], qapp: QApplication
) -> None:
    host.ask("note.save", content="Anna Kovacs met Eve Miller in Graz.")
    host.ask("vault.settle", names=True)
    ids = {row.name: row.id for row in host.ask("entity.list", limit=100)}
    host.ask("entity.rename", id=ids["Anna Kovacs"], name="Anna Lund", type="project")
    first = host.ask("history.list").acts[0]
    host.ask("entity.rename", id=ids["Anna Kovacs"], name="Anna Berg")
    host.ask("entity.rename", id=ids["Eve Miller"], name="Anna Kovacs")
    translation.install(qapp, "de")
    try:
        rest(undo.can_undo)
        undo.undo_with_later(first)
        rest(lambda: bool(notices))
    finally:
        translation.remove(qapp)
    (notice,) = notices
    assert notice.kind == "error"
    before = "Zuvor wurde eine spätere Änderung rückgängig gemacht (Umbenannt: der Name ‚Anna Berg‘)"
    assert before in notice.text
    assert not any(word in notice.text for word in ("undone", "later", "Renamed", "entry:"))


def test_what_no_history_keeps_is_refused_in_the_language(
    undo: UndoStack, host: Host, rest: Rest, notices: list[Notice], qapp: QApplication
) -> None:
    host.ask("agent.add", name="scout", trust="full", review=True)
    tea = {"session": "tea", "agent": "wren", "messages": [{"role": "user", "content": "Two cups."}]}
    proposal = host.call("session.append", tea, Caller("scout", "full", review=True)).result().value.proposed
    host.ask("inbox.accept", id=proposal)
    (act,) = host.ask("history.list").acts
    translation.install(qapp, "de")
    try:
        undo.undo_act(act)
        rest(lambda: bool(notices))
    finally:
        translation.remove(qapp)
    assert notices[0].kind == "error"
    assert "accepted" not in notices[0].text


def test_a_toast_undoes_what_it_tells_of(undo: UndoStack, host: Host, rest: Rest, notices: list[Notice]) -> None:
    older = host.call("note.save", {"content": "older"}, Caller("person", "full")).result()
    host.ask("note.save", content="newer")
    undo.undo_notice(Notice("Saved ‘older’.", older.changes.history_ids))
    rest(lambda: texts(host) == ["newer"])
    rest(lambda: bool(notices))
    assert said(notices) == ["Undone: Saved ‘older’"]
    rest(lambda: undo.undo_text == "Undo: Undid: Wrote the note ‘older’")


def test_a_toast_undoes_an_entry_of_the_history(undo: UndoStack, host: Host, rest: Rest) -> None:
    host.ask("note.save", content="older")
    act = host.ask("history.list").acts[0]
    undo.undo_notice(Notice("Done", act=act.id))
    rest(lambda: texts(host) == [])


def test_undoing_very_many_changes_says_that_it_has_begun(undo: UndoStack, notices: list[Notice]) -> None:
    undo._tell_begun(MANY - 1)
    undo._tell_begun(5 * MANY)
    assert said(notices) == [f"Undoing {format_number(5 * MANY)} changes. This may take some seconds."]
