"""Run now, pause and incognito over a real vault, in the registry and in the tray."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from shiboken6 import delete, isValid

from app.changes import Progress
from app.errors import NotFoundError
from app.host import Host
from tests.unit.ui.conftest import Rest
from ui.actions import Action, Actions
from ui.bridge import Bridge
from ui.notice import Notice
from ui.shell.navigation import Place
from ui.shell.quick_controls import QuickControls
from ui.shell.status.status_line import VaultSummary
from ui.tray import Tray


@pytest.fixture
def notices() -> list[Notice]:
    """Return what collects the notices."""
    return []


@pytest.fixture
def actions(bridge: Bridge) -> Iterator[Actions]:
    actions = Actions()
    for name in ("file.capture", "file.settings", "file.quit"):
        actions.register(Action(name, name, list))
    yield actions
    if isValid(actions):
        actions.deleteLater()


@pytest.fixture
def controls(
    host: Host, bridge: Bridge, look: object, rest: Rest, actions: Actions, notices: list[Notice]
) -> QuickControls:
    rest(lambda: host.ask("schedule.count") > 0)
    controls = QuickControls(bridge, actions, actions)
    controls.notice.connect(notices.append)
    rest(lambda: bool(controls.run_ids) and not bridge.is_busy)
    return controls


def paused(host: Host) -> dict[str, bool]:
    return {agent.name: agent.paused for agent in host.ask("agent.list") if agent.revoked_at is None}


def test_nothing_to_pause_or_resume_at_first(actions: Actions, controls: QuickControls) -> None:
    assert not actions.run("work.resume")
    assert not controls.is_paused
    assert not controls.is_private


def test_a_refused_run_is_told(
    host: Host, actions: Actions, controls: QuickControls, notices: list[Notice], rest: Rest, bridge: Bridge
) -> None:
    controls._start(lambda: controls._run_goal("sch-gone", "Gone"))
    rest(lambda: not bridge.is_busy)
    assert [notice.kind for notice in notices] == ["error"]


def test_jobs_and_goals_can_be_run(host: Host, actions: Actions, controls: QuickControls, rest: Rest) -> None:
    goal = host.ask("schedule.create", goal="Look", cadence={"kind": "interval", "seconds": 3600}, name="My goal")
    identity = f"work.run.{goal.id}"
    rest(lambda: identity in controls.run_ids)
    assert "work.run.decay" in controls.run_ids
    found = actions.find(identity)
    assert found is not None
    assert found.title == "Run now: My goal"
    host.ask("schedule.delete", id=goal.id)
    rest(lambda: identity not in controls.run_ids)
    assert not actions.run(identity)
    assert actions.run("work.run.decay")
    rest(lambda: bool(host.ask("schedule.runs", id="sch-decay")))


@pytest.mark.parametrize("action", ["work.pause_hour", "work.pause_tomorrow", "work.pause"])
def test_pausing_and_resuming(
    host: Host, actions: Actions, controls: QuickControls, rest: Rest, bridge: Bridge, action: str
) -> None:
    assert actions.run(action)
    rest(lambda: controls.is_paused and not bridge.is_busy)
    assert host.ask("schedule.status").paused_until == controls.paused_until
    assert actions.run("work.resume")
    rest(lambda: not controls.is_paused and not bridge.is_busy)
    assert host.ask("schedule.status").paused_until is None


def test_incognito_is_one_switch_that_every_window_knows(
    host: Host, actions: Actions, controls: QuickControls, rest: Rest, bridge: Bridge, notices: list[Notice]
) -> None:
    host.ask("agent.add", name="resting")
    host.ask("agent.trust", name="resting", paused=True)
    assert actions.run("work.private")
    rest(lambda: controls.is_private and not bridge.is_busy)
    assert host.ask("agent.incognito.get").is_on
    assert notices[-1].text == "Incognito is on: no agent can read or record."
    assert paused(host) == {"resting": True}
    other = Actions()
    second = QuickControls(bridge, other, other)
    rest(lambda: second.is_private)
    host.ask("agent.incognito.set", on=False)  # by the command line
    rest(lambda: not controls.is_private and not second.is_private and not bridge.is_busy)
    assert paused(host) == {"resting": True}
    other.deleteLater()


def test_incognito_for_an_hour_ends_by_itself(
    host: Host, actions: Actions, controls: QuickControls, rest: Rest, bridge: Bridge
) -> None:
    assert actions.run("work.private_hour")
    rest(lambda: controls.is_private and not bridge.is_busy)
    until = host.ask("agent.incognito.get").until
    assert until is not None
    assert until == controls.incognito.until
    host.ask("agent.incognito.set", until=datetime.now(UTC) + timedelta(seconds=1))
    rest(lambda: controls.incognito.until != until)
    rest(lambda: not controls.is_private)  # nothing changed but the time


def test_a_window_that_is_closed_while_they_load_leaves_no_error(
    bridge: Bridge, actions: Actions, controls: QuickControls, rest: Rest
) -> None:
    controls.refresh()
    rest(lambda: bool(bridge.is_busy))
    delete(actions)
    rest(lambda: not bridge.is_busy)
    assert not isValid(controls)


def test_what_cannot_be_loaded_is_told_once(
    bridge: Bridge, controls: QuickControls, notices: list[Notice], rest: Rest
) -> None:
    async def gone() -> None:
        raise NotFoundError("This host knows no schedules.")

    controls._load_runs = gone  # type: ignore[method-assign]
    for _ in range(2):
        controls.refresh()
        rest(lambda: not bridge.is_busy)
    assert [notice.kind for notice in notices] == ["error"]
    assert "This host knows no schedules." in notices[0].text


def test_the_tray_offers_all_of_it(
    host: Host, actions: Actions, controls: QuickControls, rest: Rest, bridge: Bridge
) -> None:
    icon = Tray(actions)
    try:
        icon.set_summary(VaultSummary(1, 1))
        icon.set_controls(controls)
        assert {action.data() for action in icon.run_now.actions()} == set(controls.run_ids)
        assert len(icon.pause.actions()) == 4
        assert not icon.cancel.isVisible()
        requested: list[str] = []
        icon.cancel_requested.connect(requested.append)
        icon.set_progress(Progress("j", "Import", 1, 2))
        icon.cancel.trigger()
        assert requested == ["j"]
        icon.set_progress(Progress("j", "Import", 2, 2, state="finished"))
        assert not icon.cancel.isVisible()
        icon.set_places([Place("notes", "note-1", title="Roses & more"), Place("graph")])
        assert [action.text() for action in icon.recent.actions()] == ["Roses && more"]
        host.ask("agent.add", name="claude")
        rest(lambda: bool(controls.agents) and not bridge.is_busy)
        (agent,) = [action for action in icon.agents.actions() if action.menu() is not None]
        assert agent.text() == "claude"
        pause = agent.menu().actions()[1]
        assert pause.text() == "Pause"
        pause.trigger()
        rest(lambda: paused(host) == {"claude": True} and controls.agents[0].paused and not bridge.is_busy)
        (agent,) = [action for action in icon.agents.actions() if action.menu() is not None]
        assert agent.text() == "claude (paused)"
        agent.menu().actions()[1].trigger()
        rest(lambda: paused(host) == {"claude": False} and not controls.agents[0].paused and not bridge.is_busy)
        actions.run("work.private")
        rest(lambda: controls.is_private and not bridge.is_busy)
        assert icon.state == "paused"
        assert icon.line.text().startswith("Incognito")
        actions.run("work.private")
        rest(lambda: not controls.is_private and not bridge.is_busy)
        assert icon.state == "idle"
    finally:
        icon.dispose()
        icon.deleteLater()
