"""Fake backend with search models, and a comparison made up for it."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.evaluation.model import ModelComparison, ModelResult
from app.index.generations.model import EmbeddingStatus, GenerationInfo, ModelInfo, State
from tests.unit.ui.conftest import Rest
from tests.unit.ui.fake_backend import FakeBackend
from ui.bridge import Bridge
from ui.dialogs.models.models import ModelsDialog

UNTIL = datetime(2026, 11, 28, 12, tzinfo=UTC)


def opened(qtbot: QtBot, fake_bridge: Bridge, rest: Rest) -> Iterator[ModelsDialog]:
    """Yield the dialog once it shows what it knows."""
    made = ModelsDialog(fake_bridge)
    qtbot.addWidget(made)
    made.bring_to_front()
    rest(lambda: bool(made.rows.rows))
    yield made
    if isValid(made):
        made.hide()


def info(number: int, model: str, state: State, vectors: int = 1_000) -> GenerationInfo:
    until = UNTIL if state in ("kept", "unfinished") else None
    return GenerationInfo(number, model, 256, vectors, state, model.startswith("openai"), until)


def status(*found: GenerationInfo, is_paused: bool = False, notes: tuple[str, ...] = ()) -> EmbeddingStatus:
    serving = ModelInfo("static", 256, 1_000)
    return EmbeddingStatus(serving, None, 1_000, is_paused, None, None, 0, notes, found)


class FakeModelBackend(FakeBackend):
    """Fake backend that has models."""

    def __init__(self) -> None:
        super().__init__()
        self.status = status(info(2, "hashed", "ready"), info(1, "static", "serving"))
        self.comparison = ModelComparison(ModelResult("static", 1, 41, 0, 0), ModelResult("hashed", 2, 29, 0, 0), 60)
        self.advice = ""

    def embedding_status(self) -> EmbeddingStatus:
        return self.status

    def embedding_advice(self) -> str:
        return self.advice

    def embedding_compare(self, **_: Any) -> ModelComparison:
        return self.comparison

    def _next(self, **_: Any) -> EmbeddingStatus:
        return self.status

    embedding_pause = embedding_resume = embedding_switch = embedding_rollback = embedding_change = _next
