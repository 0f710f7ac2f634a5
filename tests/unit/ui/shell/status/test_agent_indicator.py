"""The indicator of agents at work."""

import pytest
from pytestqt.qtbot import QtBot

from app.changes import ChangeSet
from ui.shell.status.agent_indicator import AgentIndicator


@pytest.fixture
def indicator(qtbot: QtBot, look: object) -> AgentIndicator:
    indicator = AgentIndicator()
    qtbot.addWidget(indicator)
    return indicator


def change_of(operation: str, *areas: str, ids: tuple[str, ...] = ("agt-1",)) -> ChangeSet:
    return ChangeSet(frozenset(areas), ids, "scout", operation)


@pytest.mark.parametrize(
    "change",
    [change_of("note.save", "memories"), change_of("", "presence"), change_of("note.save", "presence", ids=())],
)
def test_other_changes_are_not_shown(indicator: AgentIndicator, change: ChangeSet) -> None:
    indicator.show_change(change)
    assert indicator.isHidden()


def test_a_call_is_told_in_words_leads_to_its_agent_and_goes(indicator: AgentIndicator, qtbot: QtBot) -> None:
    indicator.show_change(change_of("memory.search", "presence"))
    assert not indicator.isHidden()
    assert indicator.accessibleName() == "scout: Searched your memory"
    with qtbot.waitSignal(indicator.agent_requested) as requested:
        indicator.click()
    assert requested.args == ["agt-1"]
    indicator._timer.setInterval(0)
    indicator.show_change(change_of("fact.remember", "presence"))
    qtbot.waitUntil(indicator.isHidden)
