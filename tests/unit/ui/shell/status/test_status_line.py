"""What the line at the foot says."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from app.changes import Progress
from ui.shell.status import status_line
from ui.shell.status.job_sentences import job_sentence
from ui.shell.status.status_line import StatusLine, VaultSummary, amount, progress_text, span, status_text


def test_idle_line() -> None:
    assert status_text(VaultSummary(41208, 312)) == "Idle · 41,208 memories · 312 sessions · index complete"


def test_what_comes_next_and_who_is_connected() -> None:
    summary = VaultSummary(41208, 312, next_run="Reflection Sun 03:00", agents=2)
    assert status_text(summary).startswith("Idle — next: Reflection Sun 03:00 · 41,208 memories")
    assert status_text(summary).endswith("· 2 agents · index complete")
    assert "next:" not in status_text(replace(summary, pending=3))
    assert "· 1 agent ·" in status_text(replace(summary, agents=1))


def test_a_click_opens_the_status_page(line: StatusLine, qtbot: QtBot) -> None:
    with qtbot.waitSignal(line.details_requested):
        qtbot.mouseClick(line, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(line.details_requested):
        line.details.click()


def test_a_read_only_vault_is_not_called_idle() -> None:
    assert status_text(VaultSummary(5, 2, read_only="The disk is full.")).startswith("Read-only · 5 memories")


def test_one_is_not_many() -> None:
    assert "1 memory · 1 session ·" in status_text(VaultSummary(1, 1))


def test_indexing_and_the_worst_note_are_told() -> None:
    text = status_text(VaultSummary(5, 2, pending=1200, notes=("The model is missing.", "Less important.")))
    assert "indexing 1,200 pieces" in text
    assert text.endswith("The model is missing.")


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "1 s"), (9.4, "9 s"), (59, "59 s"), (61, "1 min"), (3599, "60 min"), (7380, "2 h 3 min")]
)
def test_span(seconds: float, words: str) -> None:
    assert span(seconds) == words


def test_amounts() -> None:
    assert amount(48_200_000, "bytes") == "48.2 MB"
    assert amount(12_400, "messages") == "12,400"


@pytest.mark.parametrize(
    ("progress", "words"),
    [
        (Progress("j", "t", 50, 200, "messages", 10.0), "50 of 200 messages · 10/s · about 15 s left"),
        (Progress("j", "t", 50, None, "files"), "50 files"),
        (Progress("j", "t", 1_000_000, 4_000_000, "bytes", 1e6), "1.0 MB of 4.0 MB · 1.0 MB/s · about 3 s left"),
        (Progress("j", "t", 200, 200, "messages", 10.0), "200 of 200 messages · 10/s"),
    ],
)
def test_progress(progress: Progress, words: str) -> None:
    assert progress_text(progress) == words


@pytest.fixture
def line(qtbot: QtBot, look: object) -> StatusLine:
    line = StatusLine()
    qtbot.addWidget(line)
    line.show()
    return line


def test_opening_then_closed_then_idle(line: StatusLine) -> None:
    assert line.text == "Opening…"
    line.set_closed(closed=True)
    assert line.text == "No vault is open"
    line.set_summary(VaultSummary(2, 3))
    assert line.text.startswith("Idle")


def test_job_shows_and_can_be_cancelled(line: StatusLine, qtbot: QtBot) -> None:
    line.set_summary(VaultSummary())
    line.set_progress(Progress("a", "Importing x.json", 1, 10))
    line.set_progress(Progress("b", "Backing up", 1, 10))
    assert line.text.startswith("Backing up (and 1 more): 1 of 10")
    with qtbot.waitSignal(line.cancel_requested) as requested:
        line._cancel.click()
    assert requested.args == ["b"]
    line.set_progress(Progress("b", "Backing up", 10, 10, state="finished"))
    line.set_progress(Progress("a", "Importing x.json", 10, 10, state="cancelled"))
    assert line.text.startswith("Idle")


def test_waiting_is_shown_only_after_a_delay(line: StatusLine, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    line.set_summary(VaultSummary())
    line.wait_for("the vault to answer")
    assert line._delay.interval() == status_line.DELAY_MS == 5000
    line._show()
    assert line.text.startswith("Idle")
    line._delay.setInterval(0)
    qtbot.waitUntil(lambda: line.text == "Waiting for the vault to answer…")
    line.done("the vault to answer")
    assert line.text.startswith("Idle")


def test_names_that_wait_and_jobs_are_not_idle() -> None:
    assert status_text(VaultSummary(5, 2, names=88_000)).startswith("Working · ")
    assert "recognising names in 88,000 texts" in status_text(VaultSummary(5, 2, names=88_000))
    assert status_text(VaultSummary(5, 2, jobs=("Making a backup",))).startswith("Making a backup · ")


def test_work_is_named_in_a_sentence_with_what_comes_next(line: StatusLine) -> None:
    doing = job_sentence("Consolidation")
    coming = "Weekly reflection Sun 03:00"
    line.set_summary(VaultSummary(5, 2, jobs=(doing,), next_run=coming))
    assert line.text.startswith(
        "Drawing facts from conversations that have ended — next: Weekly reflection Sun 03:00 · 5 memories"
    )
    line.set_progress(Progress("c", "Consolidation", 12, 40, "messages"))
    assert line.text == (
        "Drawing facts from conversations that have ended: 12 of 40 messages — next: Weekly reflection Sun 03:00"
    )
    line.set_progress(Progress("c", "Consolidation", 40, 40, state="finished"))
    line.set_summary(VaultSummary(5, 2, jobs=(doing, job_sentence("Goal: water the roses"))))
    assert line.text.startswith("Drawing facts from conversations that have ended (and 1 more) · 5 memories")


def test_background_work_is_paused_and_goes_on(line: StatusLine, qtbot: QtBot) -> None:
    work = Progress("names", "Recognising names", 31_000, 119_000, "texts", can_pause=True)
    line.set_progress(work)
    assert line.text.startswith("Recognising names in your texts: 31,000 of 119,000 texts")
    button = line.findChild(QToolButton)
    assert button is not None
    with qtbot.waitSignal(line.pause_requested) as requested:
        button.click()
    assert requested.args == ["names", True]
    line.set_progress(replace(work, state="paused"))
    assert "(paused)" in line.text
    assert button.accessibleName() == "Resume: Recognising names in your texts"
    with qtbot.waitSignal(line.pause_requested) as requested:
        button.click()
    assert requested.args == ["names", False]
