"""Cadences in the person's language."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from PySide6.QtWidgets import QApplication

from app.schedule.model import Cadence
from ui import translation
from ui.panes.schedule.cadence_words import cadence_words
from ui.pseudo_locale import lengthen


@pytest.fixture
def pseudo(qapp: QApplication) -> Iterator[None]:
    translation.install(qapp, "pseudo")
    yield
    translation.remove(qapp)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (86_400, lengthen("Every day")),
        (3 * 86_400, lengthen("Every {n} days").format(n=3)),
        (3600, lengthen("Every hour")),
        (7200, lengthen("Every {n} hours").format(n=2)),
        (60, lengthen("Every minute")),
        (90 * 60, lengthen("Every {n} minutes").format(n=90)),
        (90, lengthen("Every {n} seconds").format(n=90)),
    ],
)
def test_intervals(pseudo: None, seconds: float, words: str) -> None:
    assert cadence_words(Cadence(kind="interval", seconds=seconds), "Every now and then") == words


def test_once_is_said_with_the_date_of_the_language(pseudo: None) -> None:
    words = cadence_words(Cadence(kind="once", at=datetime(2026, 3, 4, 12, tzinfo=UTC)), "Once, on 2026-03-04 at 12:00")
    assert "Μαρτίου" in words


def test_a_cron_expression_keeps_the_words_of_the_engine(pseudo: None) -> None:
    assert cadence_words(Cadence(kind="cron", expression="30 4 * * *"), "Um 04:30") == "Um 04:30"
