"""Operations to test the search with the person's own questions.

The questions stay on this machine and are never exported.
"""

from app.api.caller import Caller
from app.api.registry import Count, operation
from app.changes import Changed
from app.engine import Engine
from app.evaluation.model import BenchmarkRun, Judgement


@operation("trial.run", access="write", owner_only=True, review="free", kind="vault", undo="needless")
async def run(
    engine: Engine,
    caller: Caller,
    recipe: str | None = None,
    model: str | None = None,
    questions: Count = 200,
    seed: Count = 1,
    job: str = "",
) -> Changed[BenchmarkRun]:
    """Test the search with questions whose answers are known, and keep the figures.

    They say how often and how early the answer was found.

    A question is what one message of the vault asks and the next answers, or some words of a text and of what was said
    before it, without the rarest ones, in every script of the vault; the neighbours of the answer count as found.
    Questions judged with ``trial.judge`` are asked too. After ``job.cancel`` nothing is kept.

    Args:
        recipe: How words and meaning are weighed; the setting ``search.recipe`` when left out.
        model: What made the vectors; only the one in use can be tested.
        questions: How many at most.
        seed: Another number asks about other items; the same one asks the same again.
        job: An id of the caller's own to watch and cancel it by.
    """
    chosen = recipe or engine.config.text("search.recipe")
    with engine.jobs.running("Testing the search", "questions", job) as work:
        return await engine.evaluation.benchmark.run(chosen, model or "", questions, seed, work, caller.name)


@operation("trial.list", owner_only=True)
async def list_trials(engine: Engine, caller: Caller, limit: Count = 50) -> list[BenchmarkRun]:
    """Return past tests of the search, the latest first.

    Args:
        limit: How many at most.
    """
    return await engine.evaluation.benchmark.listed(limit)


@operation("trial.judge", access="write", owner_only=True, review="free", kind="vault", undo="operation")
async def judge(
    engine: Engine, caller: Caller, query: str, id: str, good: bool | None = True
) -> Changed[Judgement | None]:
    """Record whether an item is a right answer to a query, for later tests.

    Args:
        query: What was searched.
        id: A memory's id, or ``session#number`` of a message.
        good: Whether it is right; ``null`` takes an earlier judgement back.
    """
    return await engine.evaluation.benchmark.judge(query, id, good=good, actor=caller.name)


@operation("trial.judged", owner_only=True)
async def judged(engine: Engine, caller: Caller, limit: Count = 200) -> list[Judgement]:
    """Return what was judged, the latest first.

    Args:
        limit: How many at most.
    """
    return await engine.evaluation.benchmark.judged(limit)
