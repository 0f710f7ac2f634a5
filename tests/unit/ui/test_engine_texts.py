"""Texts of the engine in the window's language."""

from collections.abc import Iterator
from typing import get_args

import pytest
from PySide6.QtWidgets import QApplication

from app.config.schema import SETTINGS
from app.core.text_rules.recall_fence import HEADINGS
from app.entities.duplicates.model import DuplicateReason, NamedEntity, NearDuplicate
from app.host import Host
from tests.unit.ui.visible_texts import untranslated
from ui import translation
from ui.dialogs.settings.sections import title_of
from ui.engine_texts import choice_title, engine_text, merge_reason, texts
from ui.pseudo_locale import lengthen


@pytest.fixture
def pseudo(qapp: QApplication) -> Iterator[None]:
    translation.install(qapp, "pseudo")
    yield
    translation.remove(qapp)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Goal: water the roses", lengthen("Goal: {name}").format(name="water the roses")),
        ("Importing {n}.zip", lengthen("Importing {name}").format(name="{n}.zip")),
        (
            "Texts of the stores shared and social may be sent to example.org; private ones are not.",
            lengthen("Texts of the stores shared and social may be sent to {name}; private ones are not.").format(
                name="example.org"
            ),
        ),
        ("Goal: ", lengthen("Goal: ")),
        ("", ""),
    ],
)
def test_names_within_a_text_stay(pseudo: None, text: str, words: str) -> None:
    assert engine_text(text) == words


def test_every_job_of_the_engine_is_known(host: Host) -> None:
    listed = _listed()
    for job in host.ask("upkeep.status"):
        assert job.title in listed
    for schedule in host.ask("schedule.search").schedules:
        assert {schedule.name, schedule.goal} <= listed


def test_every_part_of_a_context_is_known() -> None:
    assert set(HEADINGS.values()) <= _listed()


def test_settings_are_shown_in_the_language(pseudo: None) -> None:
    for setting in SETTINGS:
        assert untranslated(title_of(setting.name)) == ""
        assert untranslated(engine_text(setting.description)) == ""
    assert choice_title("monday") == lengthen("Monday")
    assert choice_title("de") == "Deutsch"


def test_each_text_is_listed_once() -> None:
    listed = list(texts())
    assert len(listed) == len(set(listed))


def _listed() -> set[str]:
    """Return the texts of the engine that translators get."""
    from ui import engine_texts

    tables = (engine_texts._JOBS, engine_texts._UNITS, engine_texts._CONTEXT_PARTS, engine_texts._REMARKS)
    return {str(text) for table in tables for text in table} | set(texts())


@pytest.mark.parametrize("reason", get_args(DuplicateReason))
def test_why_names_may_be_merged_is_said_in_the_language(pseudo: None, reason: DuplicateReason) -> None:
    into, other = NamedEntity("ent-1", "Kenji “K.” Mori", "person", 9), NamedEntity("ent-2", "Kenji", "person", 2)
    shown = merge_reason(NearDuplicate(into, other, reason, 0.9).sentence)
    assert untranslated(shown) == "", shown
    assert into.name in shown
    assert merge_reason("“A” may be “B”: says an agent.") == "“A” may be “B”: says an agent."
