"""Operations on the person's judgements of search; they stay on this machine."""

from app.api.caller import Caller
from app.api.registry import Count, operation
from app.changes import Changed
from app.engine import Engine
from app.evaluation.model import Judgement


@operation("trial.judge", access="write", owner_only=True, review="free", kind="vault", undo="operation")
async def judge(
    engine: Engine, caller: Caller, query: str, id: str, good: bool | None = True
) -> Changed[Judgement | None]:
    """Record whether an item is a right answer to a query, for comparisons of models.

    Args:
        query: What was searched.
        id: A memory's id, or ``session#number`` of a message.
        good: Whether it is right; ``null`` takes an earlier judgement back.
    """
    return await engine.evaluation.judgements.judge(query, id, good=good, actor=caller.name)


@operation("trial.judged", owner_only=True)
async def judged(engine: Engine, caller: Caller, limit: Count = 200) -> list[Judgement]:
    """Return what was judged, the latest first.

    Args:
        limit: How many at most.
    """
    return await engine.evaluation.judgements.judged(limit)
