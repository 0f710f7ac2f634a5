"""Settings are made from their declaration and stored when they are changed."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QFrame, QLineEdit, QListWidget, QSpinBox, QStyle
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.config.schema import SETTINGS
from app.errors import InputError
from app.host import Host
from tests.helpers.screen_reader import named, one_shown, shown, words
from tests.helpers.watched_connection import WatchedConnection
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.test_every_pane import _nameless
from ui.bridge import Bridge
from ui.dialogs.settings.sections import HIDDEN, section_of
from ui.dialogs.settings.setting_field import SettingField
from ui.dialogs.settings.setting_section import SettingSection
from ui.dialogs.settings.settings import SettingsDialog
from ui.theme import Theme
from ui.widgets.page_area import PageArea

if TYPE_CHECKING:
    from app.config.model import SettingValue


def stored(host: Host, name: str) -> object:
    """Return the value that the vault has for a setting."""
    return next(setting.value for setting in host.ask("settings.list") if setting.name == name)


def fields(settings: SettingsDialog) -> dict[str, SettingField]:
    return {field.name: field for field in settings.findChildren(SettingField)}


def shown_fields(settings: SettingsDialog) -> list[str]:
    return [field.name for field in shown(settings, SettingField)]


def sections(settings: SettingsDialog) -> list[SettingSection]:
    return settings.findChildren(SettingSection)


def search(settings: SettingsDialog) -> QLineEdit:
    return named(settings, QLineEdit, "Search settings")


def names(settings: SettingsDialog) -> QListWidget:
    return settings.findChild(QListWidget)


@pytest.fixture
def settings(qtbot: QtBot, bridge: Bridge, rest: Rest) -> Iterator[SettingsDialog]:
    dialog = SettingsDialog(bridge)
    qtbot.addWidget(dialog)
    dialog.bring_to_front()
    rest(lambda: dialog.is_built and not bridge.is_busy)
    yield dialog
    if isValid(dialog):
        dialog.hide()


def test_every_setting_has_a_field(settings: SettingsDialog) -> None:
    assert set(fields(settings)) | HIDDEN == {setting.name for setting in SETTINGS}
    kinds = {"bool": QCheckBox, "choice": QComboBox, "int": QSpinBox, "str": QLineEdit}
    for setting in SETTINGS:
        if setting.type in kinds and setting.name not in HIDDEN:
            assert isinstance(fields(settings)[setting.name].editor, kinds[setting.type])


def test_change_is_stored_and_told(settings: SettingsDialog, host: Host, rest: Rest) -> None:
    applied: list[SettingValue] = []
    settings.applied.connect(applied.append)
    editor = fields(settings)["window.theme"].editor
    assert isinstance(editor, QComboBox)
    editor.setCurrentIndex(editor.findData("dark"))
    rest(lambda: bool(applied))
    assert stored(host, "window.theme") == "dark"
    assert applied[0].value == "dark"


@pytest.mark.parametrize(("name", "typed", "value"), [("llm.model", "abcx", "abcx"), ("search.limit", "70", 70)])
def test_what_is_typed_is_stored_when_the_sheet_is_closed_with_escape(
    bridge: Bridge, host: Host, rest: Rest, qtbot: QtBot, name: str, typed: str, value: object
) -> None:
    settings = SettingsDialog(bridge)
    settings.bring_to_front()
    rest(lambda: settings.is_built and not bridge.is_busy)
    settings.open_section(section_of(name).id)
    editor = fields(settings)[name].editor
    assert isinstance(editor, QLineEdit | QSpinBox)
    editor.setFocus()
    rest(editor.hasFocus)
    editor.selectAll()
    qtbot.keyClicks(editor, typed)
    assert stored(host, name) != value
    qtbot.keyClick(editor, Qt.Key.Key_Escape)
    rest(lambda: not isValid(settings))
    rest(lambda: stored(host, name) == value)


def test_refusal_is_shown_and_the_old_value_comes_back(
    settings: SettingsDialog, connection: WatchedConnection, rest: Rest
) -> None:
    connection.refused["settings.set"] = InputError("'search.limit' must be a whole number from 5 to 500, not 3.")
    editor = fields(settings)["search.limit"].editor
    assert isinstance(editor, QSpinBox)
    editor.setValue(70)
    field = fields(settings)["search.limit"]
    rest(lambda: not field.problem.isHidden() and editor.value() == 50)
    assert "from 5 to 500" in field.problem.text()


def test_search_hides_the_rest(settings: SettingsDialog, rest: Rest, qtbot: QtBot) -> None:
    qtbot.keyClicks(search(settings), "colours theme")
    rest(lambda: shown_fields(settings) == ["window.theme"])
    qtbot.keyClicks(search(settings), " zzz")
    rest(lambda: "No setting has these words." in words(settings))


@pytest.fixture
def forced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the environment decide a setting."""
    monkeypatch.setenv("KEEPSAKE_SEARCH_RECIPE", "words")


def test_forced_from_outside_cannot_be_changed(forced: None, settings: SettingsDialog) -> None:
    field = fields(settings)["search.recipe"]
    settings.open_section("search")
    assert not field.editor.isEnabled()
    assert "environment" in words(field)


def test_untouched_line_stores_nothing(settings: SettingsDialog, connection: WatchedConnection) -> None:
    editor = fields(settings)["embedding.model"].editor
    assert isinstance(editor, QLineEdit)
    editor.editingFinished.emit()
    assert connection.requested("settings.set") == []


def test_search_leaves_no_lines_of_hidden_sections(settings: SettingsDialog, rest: Rest) -> None:
    search(settings).setText("embedding model")
    rest(lambda: "embedding.model" in shown_fields(settings))
    found = [section for section in sections(settings) if any(field.isVisibleTo(settings) for field in section.fields)]
    page = one_shown(settings, PageArea).widget()
    lines = [line for line in page.findChildren(QFrame, "hairline") if line.isVisibleTo(page)]
    assert 0 < len(found) < len(sections(settings))
    assert len(lines) == len(found)


def test_fractions_are_shown_as_they_are(settings: SettingsDialog) -> None:
    for setting in SETTINGS:
        if setting.name in HIDDEN:
            continue
        editor = fields(settings)[setting.name].editor
        if isinstance(editor, QDoubleSpinBox):
            assert editor.value() == setting.default


def test_the_mark_of_a_check_box_is_whole_at_every_size_of_text(settings: SettingsDialog, look: Theme) -> None:
    box = fields(settings)["window.close_to_tray"].editor
    for scale in (0.75, 1.0, 1.5, 2.0):
        look.set_scale(scale)
        box.ensurePolished()
        mark = box.style().pixelMetric(QStyle.PixelMetric.PM_IndicatorWidth, None, box)
        assert mark == round(16 * scale) + 2
        assert box.width() >= mark


def test_the_event_loop_gets_turns_while_fields_are_built(
    qtbot: QtBot, bridge: Bridge, rest: Rest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.dialogs.settings.settings.SLICE_S", 0.0)
    made = SettingsDialog(bridge)
    qtbot.addWidget(made)
    made.bring_to_front()
    search(made).setText("colours theme")
    sizes: set[int] = set()

    def is_done() -> bool:
        sizes.add(len(fields(made)))
        return made.is_built

    rest(is_done)
    assert len(sizes) > 3
    rest(lambda: shown_fields(made) == ["window.theme"])
    made.hide()


def test_closing_while_fields_are_built_is_quiet(
    qtbot: QtBot, bridge: Bridge, rest: Rest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.dialogs.settings.settings.SLICE_S", 0.0)
    made = SettingsDialog(bridge)
    qtbot.addWidget(made)
    made.bring_to_front()
    rest(lambda: bool(fields(made)))
    made.reject()
    rest(lambda: not bridge.is_busy)


def test_a_refused_text_stays_with_the_reason_until_it_is_right(
    settings: SettingsDialog, host: Host, rest: Rest
) -> None:
    field = fields(settings)["reflection.time"]
    editor = field.editor
    assert isinstance(editor, QLineEdit)
    editor.setText("noon")
    editor.editingFinished.emit()
    rest(lambda: not field.problem.isHidden())
    assert "must be a time such as 03:00" in field.problem.text()
    assert "reflection.time" not in field.problem.text()
    assert editor.text() == "noon"
    editor.setText("12:00")
    editor.editingFinished.emit()
    rest(field.problem.isHidden)
    assert stored(host, "reflection.time") == "12:00"


def test_a_setting_is_reset_to_its_default(settings: SettingsDialog, host: Host, rest: Rest) -> None:
    field = fields(settings)["search.limit"]
    assert field.reset.isHidden()
    editor = field.editor
    assert isinstance(editor, QSpinBox)
    editor.setValue(70)
    rest(lambda: not field.reset.isHidden())
    field.reset.click()
    rest(lambda: stored(host, "search.limit") == 50)
    rest(field.reset.isHidden)
    assert editor.value() == 50


def test_what_does_not_go_together_is_said_beside_the_field(settings: SettingsDialog, host: Host, rest: Rest) -> None:
    field = fields(settings)["llm.model"]
    host.ask("settings.set", name="llm.provider", value="openai-compatible")
    settings.bring_to_front()
    rest(lambda: field.has_warning)
    assert field.problem.text().startswith("‘Model’ is empty, so no language model is asked. Set ‘Model’")
    host.ask("settings.set", name="llm.model", value="tiny")
    settings.bring_to_front()
    rest(lambda: not field.has_warning)
    assert field.problem.isHidden()


def test_one_section_at_a_time_and_the_rest_folded(settings: SettingsDialog, rest: Rest) -> None:
    settings.open_section("search")
    assert [section.spec.id for section in sections(settings) if section.isVisible()] == ["search"]
    assert fields(settings)["search.limit"].isVisible()
    assert not fields(settings)["search.rrf_k"].isVisible()
    section = next(section for section in sections(settings) if section.isVisible())
    section.more.click()
    assert fields(settings)["search.rrf_k"].isVisible()
    search(settings).setText("rrf constant")
    rest(lambda: not fields(settings)["search.limit"].isVisible())
    assert fields(settings)["search.rrf_k"].isVisible()
    names(settings).setCurrentRow(0)
    assert search(settings).text() == ""
    assert fields(settings)["window.theme"].isVisible()
    assert not fields(settings)["search.limit"].isVisible()


def test_a_search_marks_the_section_it_shows(settings: SettingsDialog, rest: Rest) -> None:
    def marked() -> str:
        return sections(settings)[names(settings).currentRow()].spec.id

    settings.open_section("backups")
    search(settings).setText("rrf constant")
    rest(lambda: marked() == "search")
    search(settings).setText("no such words")
    rest(lambda: names(settings).currentRow() == -1)
    search(settings).clear()
    assert marked() == "backups"


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_settings_are_never_wider_than_the_sheet(
    settings: SettingsDialog, look: Theme, rest: Rest, scale: float
) -> None:
    look.set_scale(scale)
    settings.resize(736, 560)
    rest(lambda: names(settings).isVisible() == (scale == 1.0))
    menu = next(one for one in settings.findChildren(QComboBox) if one.accessibleName() == "Sections")
    assert menu.isVisible() == (scale != 1.0)
    assert one_shown(settings, PageArea).widget().width() == one_shown(settings, PageArea).viewport().width()
    if menu.isVisible():
        menu.activated.emit(2)
        assert sections(settings)[2].isVisible()


def test_every_focusable_part_has_a_name(settings: SettingsDialog, rest: Rest) -> None:
    search(settings).setText("a")
    rest(lambda: len([section for section in sections(settings) if section.isVisible()]) > 1)
    assert _nameless(settings) == []
