"""Fake backend with search models, and comparisons made up for it."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.evaluation.benchmark_model import Score
from app.evaluation.comparison_model import Origin, QueryComparison, RankingComparison, SideAnswer, SideHit, SideTotal
from app.index.generations.model import EmbeddingStatus, GenerationInfo, ModelInfo, State
from tests.unit.ui.conftest import Rest
from tests.unit.ui.fake_backend import FakeBackend
from ui.bridge import Bridge
from ui.dialogs.models.models import ModelsDialog

UNTIL = datetime(2026, 11, 28, 12, tzinfo=UTC)


def opened(qtbot: QtBot, fake_bridge: Bridge, rest: Rest, searches: Sequence[str] = ()) -> Iterator[ModelsDialog]:
    """Yield the dialog once it shows what it knows, brought with these searches of the person's."""
    made = ModelsDialog(fake_bridge)
    qtbot.addWidget(made)
    made.bring_to_front(searches)
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


def answer(ids: str, other: str, target: str = "", note: str = "") -> SideAnswer:
    """Return an answer of one hit a letter; ``other`` is what the other side has."""
    hits = tuple(
        SideHit(
            "s#3" if one == "m" else one,
            "message" if one == "m" else "note",
            f"Title {one}",
            f"text of {one}",
            "user",
            UNTIL,
            at,
            other.index(one) + 1 if one in other else None,
            one == target,
        )
        for at, one in enumerate(ids, 1)
    )
    return SideAnswer(hits, ids.index(target) + 1 if target and target in ids else None, 12.5, note)


def row(
    query: str, now: str, other: str, target: str = "", origin: Origin = "asked", note: str = ""
) -> QueryComparison:
    common = [one for one in now if one in other]
    moved = sum(now.index(one) != other.index(one) for one in common)
    return QueryComparison(
        query, origin, target, answer(now, other, target), answer(other, now, target, note), len(common), moved
    )


def total(model: str, recipe: str = "learned", mrr: float | None = None, missing: int = 0) -> SideTotal:
    score = None if mrr is None else Score("made", 10, mrr, mrr, mrr, mrr)
    return SideTotal(model, 1, 256, recipe, missing, 0, 12.25, 30.0, score)


def side_by_side(*rows: QueryComparison, **known: Any) -> RankingComparison:
    now, other = known.pop("now", total("static", mrr=0.5)), known.pop("other", total("hashed", mrr=0.75))
    return RankingComparison(now, other, 12, 3, 0.77, known.pop("better", 2), known.pop("worse", 1), rows, **known)


class FakeModelBackend(FakeBackend):
    """Fake backend that has models."""

    def __init__(self) -> None:
        super().__init__()
        self.status = status(info(2, "hashed", "ready"), info(1, "static", "serving"))
        self.found = side_by_side(row("roses", "abcm", "bamx", "b"), row("lake", "ab", "ab"))
        self.advice = ""

    def embedding_status(self) -> EmbeddingStatus:
        return self.status

    def embedding_advice(self) -> str:
        return self.advice

    def embedding_compare(self, **_: Any) -> RankingComparison:
        return self.found

    def trial_side_by_side(self, **_: Any) -> RankingComparison:
        return self.found

    def _next(self, **_: Any) -> EmbeddingStatus:
        return self.status

    embedding_pause = embedding_resume = embedding_switch = embedding_rollback = embedding_change = _next
