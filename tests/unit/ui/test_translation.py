"""The language of the window: which one is taken, and what it changes."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale, QObject, Qt, QTranslator
from PySide6.QtWidgets import QApplication, QDialogButtonBox

from app.config.schema import setting
from ui import translation
from ui.engine_texts import choice_title, engine_text
from ui.pseudo_locale import CLOSING, OPENING, PSEUDO_LOCALES, lengthen


@pytest.fixture
def application(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[QApplication]:
    for variable in (translation.VARIABLE, translation.PSEUDO_VARIABLE):
        monkeypatch.delenv(variable, raising=False)
    yield qapp
    translation.remove(qapp)


@pytest.mark.parametrize(
    ("wanted", "language"),
    [
        (["de-AT", "en-GB"], "de"),
        (["es_419"], "es"),
        (["zh-Hans-CN"], "zh_CN"),
        (["zh"], "zh_CN"),
        (["zh-Hant-TW", "de"], "de"),
        (["zh-HK"], "en"),
        (["fr-FR", "es"], "es"),
        (["en-GB", "de"], "en"),
        (["del"], "en"),
        (["", "-", "C"], "en"),
        ([], "en"),
    ],
)
def test_language_of_the_system(wanted: list[str], language: str) -> None:
    assert translation.nearest_language(wanted) == language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ('[window]\nlanguage = "de"\n', "de"),
        ('\ufeff[window]\nlanguage = "zh_CN"\n', "zh_CN"),
        ('[window]\nlanguage = "klingon"\n', "system"),
        ("[window]\nlanguage = 3\n", "system"),
        ('window = "de"\n', "system"),
        ("[window\n", "system"),
        ("[" * 100_000, "system"),
        ("", "system"),
    ],
)
def test_language_of_the_settings(
    text: str, language: str, tmp_path: Path, application: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.joinpath("config.toml").write_text(text, encoding="utf-8")
    assert translation.chosen_language(tmp_path) == language
    monkeypatch.setenv(translation.VARIABLE, "es")
    assert translation.chosen_language(tmp_path) == "es"


def test_settings_that_cannot_be_read_choose_nothing(tmp_path: Path, application: QApplication) -> None:
    assert translation.chosen_language(tmp_path / "no vault") == "system"
    tmp_path.joinpath("config.toml").write_bytes(b"[window]\nlanguage = '\xff'\n")
    assert translation.chosen_language(tmp_path) == "system"
    assert translation.chosen_language(None) == "en"


def test_setting_offers_what_can_be_spoken() -> None:
    assert setting(translation.SETTING).choices == ("system", *translation.LANGUAGES)
    assert [choice_title(one) for one in translation.LANGUAGES] == ["English", "Deutsch", "Español", "简体中文"]


def test_english_translates_nothing(application: QApplication) -> None:
    assert translation.install(application, "en") == "en"
    assert application.findChildren(QTranslator) == []


def test_dates_numbers_and_buttons_follow_the_language(application: QApplication) -> None:
    from ui.models.dates import format_number, full_date

    assert translation.install(application, "de") == "de"
    assert format_number(12_345) == "12.345"
    assert "März" in full_date(datetime(2026, 3, 4, 12, tzinfo=UTC))
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
    assert buttons.button(QDialogButtonBox.StandardButton.Cancel).text() == "Abbrechen"
    translation.install(application, "zh_CN")
    assert QLocale().language() == QLocale.Language.Chinese
    assert len(application.findChildren(QTranslator)) == 2, "those of German are gone"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Delete {name} for ever?", "{name}"),
        ("{size:.1f} MB", "{size:.1f}"),
        ("%n note(s)", "%n"),
        ("<b>Now</b> or <i>later</i>", "<b>"),
        ("one\ntwo", "\n"),
        ("5 &lt; 6", "&lt;"),
    ],
)
def test_pseudo_locale_keeps_what_programs_read(text: str, kept: str) -> None:
    assert kept in lengthen(text)


@pytest.mark.parametrize("text", ["Delete", "No one has written for a while."])
def test_pseudo_locale_is_a_third_longer_and_marked(text: str) -> None:
    longer = lengthen(text)
    assert longer.startswith(OPENING)
    assert longer.endswith(CLOSING)
    assert len(longer) >= 1.3 * len(text)
    assert longer != text


@pytest.mark.parametrize("name", PSEUDO_LOCALES)
def test_pseudo_locale_reaches_every_text(
    name: str, application: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(translation.PSEUDO_VARIABLE, name)
    assert translation.install(application) == name
    assert QObject().tr("Delete") == lengthen("Delete")
    assert engine_text("Importing notes.zip") == lengthen("Importing {name}").format(name="notes.zip")
    is_mirrored = application.layoutDirection() == Qt.LayoutDirection.RightToLeft
    assert is_mirrored == (name == "rtl")
    translation.remove(application)
    assert application.layoutDirection() == Qt.LayoutDirection.LeftToRight
    assert engine_text("Decay") == "Decay"
