"""One registry for everything that can be done."""

from pytestqt.qtbot import QtBot

from ui.actions import RECENT_LIMIT, Action, Actions


def _action(identity: str, done: list[str], **more: object) -> Action:
    return Action(identity, identity.title(), lambda: done.append(identity), **more)  # type: ignore[arg-type]


def test_triggering_runs_and_is_remembered(qtbot: QtBot) -> None:
    done: list[str] = []
    actions = Actions()
    actions.register(_action("file.import", done, shortcut="Ctrl+I"), _action("file.quit", done))
    with qtbot.waitSignal(actions.ran) as ran:
        actions.qaction("file.import").trigger()
    assert ran.args == ["file.import"]
    actions.run("file.quit")
    assert done == ["file.import", "file.quit"]
    assert actions.recents == ["file.quit", "file.import"]


def test_unknown_and_disabled_do_nothing() -> None:
    done: list[str] = []
    actions = Actions()
    actions.register(_action("edit.undo", done, enabled=lambda: False))
    assert not actions.run("edit.undo")
    assert not actions.run("no.such")
    assert not actions.qaction("edit.undo").isEnabled()
    assert done == []


def test_pane_actions_sleep_elsewhere() -> None:
    done: list[str] = []
    actions = Actions()
    actions.register(_action("notes.new", done, pane="notes", group="notes"))
    actions.set_pane("graph")
    assert not actions.run("notes.new")
    actions.set_pane("notes")
    assert actions.run("notes.new")
    assert actions.qaction("notes.new").isEnabled()


def test_an_action_of_another_pane_is_offered_last_and_brings_its_pane_to_the_front() -> None:
    done: list[str] = []
    actions = Actions()
    actions.register(_action("notes.tag", done, pane="notes"), _action("edit.undo", done))
    actions.set_pane("graph")
    actions.pane_requested.connect(actions.set_pane)
    assert [action.id for action in actions.offered()] == ["edit.undo", "notes.tag"]
    assert actions.run_anywhere("notes.tag")
    assert done == ["notes.tag"]
    assert actions.qaction("notes.tag").isEnabled()


def test_an_action_that_cannot_run_in_its_pane_is_refused(qtbot: QtBot) -> None:
    done: list[str] = []
    actions = Actions()
    actions.register(_action("notes.tag", done, pane="notes", enabled=lambda: False))
    actions.set_pane("graph")
    actions.pane_requested.connect(actions.set_pane)
    with qtbot.waitSignal(actions.refused) as refused:
        assert not actions.run_anywhere("notes.tag")
    assert (refused.args, done) == (["notes.tag"], [])


def test_registering_again_replaces_and_keeps_the_qaction() -> None:
    done: list[str] = []
    actions = Actions()
    actions.register(_action("edit.undo", done))
    kept = actions.qaction("edit.undo")
    actions.retitle("edit.undo", "Undo delete R&D")
    assert actions.qaction("edit.undo") is kept
    assert kept.text() == "Undo delete R&&D"


def test_checked_follows() -> None:
    state = {"on": False}
    actions = Actions()
    actions.register(Action("view.dark", "Dark", lambda: state.update(on=True), checked=lambda: state["on"]))
    assert not actions.qaction("view.dark").isChecked()
    actions.run("view.dark")
    assert actions.qaction("view.dark").isChecked()


def test_a_mark_that_was_refused_is_put_back() -> None:
    actions = Actions()
    actions.register(Action("work.private", "Incognito", lambda: None, checked=lambda: False))
    mark = actions.qaction("work.private")
    mark.trigger()
    assert not mark.isChecked()


def test_recents_are_bounded() -> None:
    actions = Actions()
    for number in range(RECENT_LIMIT + 5):
        actions.register(_action(f"a.{number}", []))
        actions.run(f"a.{number}")
    assert len(actions.recents) == RECENT_LIMIT


def test_several_shortcuts_the_first_is_shown() -> None:
    action = _action("edit.redo", [], shortcut="Ctrl+Shift+Z; Ctrl+Y")
    actions = Actions()
    actions.register(action)
    assert action.keys == "Ctrl+Shift+Z"
    assert len(actions.qaction("edit.redo").shortcuts()) == 2


def test_own_keys_take_the_place_of_the_usual_ones_and_go_again() -> None:
    actions = Actions()
    actions.set_own_keys({"notes.new": "Ctrl+Alt+N"})  # a pane that is built later
    actions.register(_action("notes.new", [], shortcut="Ctrl+N"), _action("edit.undo", [], shortcut="Ctrl+Z"))
    assert actions.find("notes.new").keys == "Ctrl+Alt+N"
    assert actions.usual_keys("notes.new") == "Ctrl+N"
    actions.retitle("notes.new", "New")
    actions.set_own_keys({"edit.undo": ""})
    assert actions.find("notes.new").keys == "Ctrl+N"
    assert actions.find("notes.new").title == "New"
    assert actions.qaction("edit.undo").shortcuts() == []


def test_only_actions_awake_at_the_same_time_share_keys() -> None:
    actions = Actions()
    actions.register(
        _action("notes.delete", [], shortcut="Delete", pane="notes"),
        _action("graph.hide", [], shortcut="Delete", pane="graph"),
        _action("edit.redo", [], shortcut="Ctrl+Shift+Z; Ctrl+Y"),
    )
    assert actions.sharing("notes.delete", "Delete") == []
    assert [one.id for one in actions.sharing("notes.delete", "Ctrl+Y")] == ["edit.redo"]
    assert actions.sharing("edit.redo", "") == []
