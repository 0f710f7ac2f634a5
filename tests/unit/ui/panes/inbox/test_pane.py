"""The Inbox pane over a real vault: proposals, decisions, contradictions and the latest runs."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from app.api.caller import Caller
from app.host import Host
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.test_every_pane import _nameless
from ui.actions import Actions
from ui.bridge import Bridge
from ui.panes.inbox.change_view import ChangeView
from ui.panes.inbox.pane import InboxPane
from ui.panes.inbox.proposal_list import NIGHT
from ui.widgets.empty_state import EmptyState

if TYPE_CHECKING:
    from ui.notice import Notice

SCOUT = Caller("scout", "full", review=True)


def _propose(host: Host, operation: str, /, **arguments: Any) -> str:
    return str(host.call(operation, arguments, SCOUT).result().value.proposed)


def _texts(root: QWidget) -> str:
    return "\n".join(
        label.text() for label in root.findChildren(QWidget) if hasattr(label, "text") and label.isVisibleTo(root)
    )


@pytest.fixture
def notices() -> "list[Notice]":
    """Return what collects the notices of the pane."""
    return []


@pytest.fixture
def pane(
    qtbot: QtBot, host: Host, bridge: Bridge, look: object, rest: Rest, notices: "list[Notice]"
) -> Iterator[InboxPane]:
    """Return the pane, in front and empty."""
    rest(lambda: host.ask("schedule.count") > 0)
    host.ask("agent.add", name=SCOUT.name, trust=SCOUT.trust, review=True)
    actions = Actions()
    pane = InboxPane(bridge, actions)
    actions.setParent(pane)
    actions.register(*pane.commands())
    actions.set_pane("inbox")
    pane.notice.connect(notices.append)
    bridge.changed.connect(pane.refresh)
    qtbot.addWidget(pane)
    pane.resize(1200, 800)
    pane.show()
    pane.shown()
    rest(lambda: not bridge.is_busy)
    yield pane
    rest(lambda: not bridge.is_busy)


def _wait_for(pane: InboxPane, identity: str, bridge: Bridge, rest: Rest) -> None:
    rest(lambda: identity in pane.listing.model.ids and not bridge.is_busy)
    pane.listing.list.chosen.emit(identity)


def test_an_empty_inbox_explains_itself(pane: InboxPane) -> None:
    assert "review" in _texts(pane.findChild(EmptyState))
    assert pane.findChild(EmptyState).isVisible()


def test_a_proposal_is_shown_and_accepted(
    pane: InboxPane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot, notices: "list[Notice]"
) -> None:
    identity = _propose(host, "note.save", title="Garden plan", content="Plant the roses.\n\n<b>now</b>")
    _wait_for(pane, identity, bridge, rest)
    QAbstractItemModelTester(pane.listing.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    assert "New: Garden plan" in _texts(pane.page)
    assert "&lt;b&gt;now" in _texts(pane.page), "the text of agents is never markup"
    (card,) = pane.page.findChildren(ChangeView)
    assert card._left.width() > card.width() * 3 // 4, "one text has the whole card"
    qtbot.mouseClick(pane.page.accept, Qt.MouseButton.LeftButton)
    rest(lambda: host.ask("inbox.count") == 0 and not bridge.is_busy)
    assert [note.title for note in host.ask("note.rows", ids=host.ask("note.ids"))] == ["Garden plan"]
    assert [(notice.text, notice.can_undo) for notice in notices] == [("Accepted", True)]


def test_a_proposal_is_edited_before_it_is_accepted(
    pane: InboxPane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot
) -> None:
    identity = _propose(host, "note.save", title="Plan", content="Plant the roses.")
    _wait_for(pane, identity, bridge, rest)
    qtbot.mouseClick(pane.page.edit, Qt.MouseButton.LeftButton)
    field = pane.page.form.fields["content"]
    assert isinstance(field, QPlainTextEdit)
    field.setPlainText("Plant tulips.")
    qtbot.mouseClick(pane.page.accept, Qt.MouseButton.LeftButton)
    rest(lambda: host.ask("inbox.count") == 0 and not bridge.is_busy)
    (row,) = host.ask("note.rows", ids=host.ask("note.ids"))
    assert row.preview == "Plant tulips."


def test_what_is_typed_into_a_proposal_outlives_the_next_one(
    pane: InboxPane, host: Host, bridge: Bridge, rest: Rest
) -> None:
    identity = _propose(host, "note.save", title="Plan", content="Plant the roses.")
    _wait_for(pane, identity, bridge, rest)
    pane.page.edit.click()
    field = pane.page.form.fields["content"]
    assert isinstance(field, QPlainTextEdit)
    field.setPlainText("Plant tulips.")
    other = _propose(host, "note.save", title="Another", content="Water them.")
    rest(lambda: other in pane.listing.model.ids and not bridge.is_busy)
    assert pane.page.form.fields["content"] is field, "the keyboard stays where it was"
    assert field.toPlainText() == "Plant tulips."
    pane.listing.list.chosen.emit(other)
    assert pane.page.arguments is None
    pane.listing.list.chosen.emit(identity)
    assert pane.page.form.texts["content"] == "Plant tulips."
    rest(lambda: host.ask("inbox.get", id=int(identity)).draft.get("content") == "Plant tulips.")


def test_what_was_typed_into_a_proposal_is_there_after_a_start(
    pane: InboxPane, host: Host, bridge: Bridge, rest: Rest, notices: "list[Notice]"
) -> None:
    identity = _propose(host, "note.save", title="Plan", content="Plant the roses.")
    host.ask("inbox.draft", id=int(identity), texts={"title": "Plan", "content": "Plant tul"})
    _wait_for(pane, identity, bridge, rest)
    assert pane.page.form.texts["content"] == "Plant tul"
    pane.page.cancel.click()
    assert not pane.page.form.fields, "leaving the fields is up to the person"
    pane.page.edit.click()
    assert pane.page.form.texts["content"] == "Plant tul"
    pane.page.accept.click()
    rest(lambda: bool(notices) and not bridge.is_busy)
    (row,) = host.ask("note.rows", ids=host.ask("note.ids"))
    assert row.preview == "Plant tul"


def test_escape_leaves_the_editing_of_a_proposal(
    pane: InboxPane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot
) -> None:
    _wait_for(pane, _propose(host, "note.save", title="Plan", content="Plant the roses."), bridge, rest)
    pane.activateWindow()
    pane.page.edit.click()
    first, *_, last = pane.page.form.fields.values()
    assert first.hasFocus()
    assert not pane.page.edit.isVisibleTo(pane.page)
    last.setFocus()
    qtbot.keyClick(last, Qt.Key.Key_Tab)
    assert pane.page.accept.hasFocus(), "the fields come before the buttons below them"
    qtbot.keyClick(last, Qt.Key.Key_Escape)
    assert pane.page.edit.hasFocus()
    assert pane.page.arguments is None


def test_a_proposal_is_rejected_and_the_next_one_comes(
    pane: InboxPane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot
) -> None:
    first = _propose(host, "note.save", title="One", content="1")
    second = _propose(host, "note.save", title="Two", content="2")
    _wait_for(pane, second, bridge, rest)
    qtbot.mouseClick(pane.page.reject, Qt.MouseButton.LeftButton)
    rest(lambda: host.ask("inbox.count") == 1 and pane.listing.list.current_id() == first and not bridge.is_busy)
    pane.listing.states.setCurrentIndex(2)
    rest(lambda: list(pane.listing.model.ids) == [second] and not bridge.is_busy)
    assert not pane.page.accept.isVisibleTo(pane.page)
    assert "Rejected" in _texts(pane.page)


def test_a_contradiction_stands_beside_what_is_known(
    pane: InboxPane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot
) -> None:
    known = host.ask("fact.remember", content="Anna lives in Basel.")
    old = getattr(known, "memory", known).id
    host.ask("fact.confirm", id=old)
    identity = _propose(host, "fact.correct", id=old, content="Anna lives in Zurich.")
    _wait_for(pane, identity, bridge, rest)
    shown = _texts(pane.page)
    assert "You know" in shown
    assert "Anna lives in Basel." in shown
    assert "Anna lives in Zurich." in shown
    qtbot.mouseClick(pane.page.keep_both, Qt.MouseButton.LeftButton)
    rest(lambda: host.ask("inbox.count") == 0 and not bridge.is_busy)
    facts = {row.preview for row in host.ask("note.rows", ids=host.ask("note.ids"))}
    assert facts == {"Anna lives in Basel.", "Anna lives in Zurich."}


def test_a_rule_decides_once_for_all(pane: InboxPane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot) -> None:
    identity = _propose(host, "note.save", title="One", content="1")
    _wait_for(pane, identity, bridge, rest)
    qtbot.mouseClick(pane.page.always, Qt.MouseButton.LeftButton)
    rest(lambda: bool(host.ask("inbox.rules")) and not bridge.is_busy)
    (rule,) = host.ask("inbox.rules")
    assert (rule.agent, rule.kind, rule.action) == ("scout", "note", "accept")


def test_an_accepted_proposal_is_undone(pane: InboxPane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot) -> None:
    identity = _propose(host, "note.save", title="One", content="1")
    host.ask("inbox.accept", id=int(identity))
    pane.listing.states.setCurrentIndex(1)
    _wait_for(pane, identity, bridge, rest)
    qtbot.mouseClick(pane.page.undo, Qt.MouseButton.LeftButton)
    rest(lambda: not host.ask("note.ids") and not bridge.is_busy)


def test_runs_of_the_night_are_listed_with_their_undo(
    pane: InboxPane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot
) -> None:
    host.ask("upkeep.run", job="enrichment")
    host.ask("upkeep.run", job="housekeeping")
    _wait_for(pane, NIGHT, bridge, rest)
    assert pane.night.isVisible()
    words = _texts(pane.night)
    assert "Undo" in words
    assert "optimized" not in words, "housekeeping changes nothing that one would undo"
    with qtbot.waitSignal(pane.navigate) as went:
        pane.night.schedule_opened.emit("sch-enrichment")
    assert went.args[0].pane == "schedule"


def test_the_night_is_undone_as_one_act(
    pane: InboxPane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot, notices: "list[Notice]"
) -> None:
    for job in ("enrichment", "consolidation"):
        host.ask("upkeep.run", job=job)
    _wait_for(pane, NIGHT, bridge, rest)
    qtbot.mouseClick(pane.night.undo_all, Qt.MouseButton.LeftButton)
    rest(lambda: bool(notices) and not bridge.is_busy)
    assert notices[-1].text == "There is nothing left to undo."  # those two found nothing to change


def test_everything_that_takes_the_keyboard_has_a_name(pane: InboxPane, host: Host, bridge: Bridge, rest: Rest) -> None:
    identity = _propose(host, "note.save", title="One", content="1")
    _wait_for(pane, identity, bridge, rest)
    pane.page.edit.click()
    assert _nameless(pane) == []
