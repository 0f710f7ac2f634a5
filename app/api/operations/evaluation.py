"""Operations to test the search with the person's own questions.

The questions stay on this machine and are never exported.
"""

from app.api.caller import Caller
from app.api.registry import Count, operation
from app.api.tracked_job import tracked_job
from app.changes import Changed
from app.engine import Engine
from app.evaluation.benchmark_model import BenchmarkRun, Comparison, Judgement
from app.evaluation.comparison import ComparisonOptions
from app.evaluation.comparison_model import RankingComparison


@operation("trial.run", access="write", trust="full", owner_only=True, review="free", kind="vault")
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
    with tracked_job(engine, "Testing the search", "questions", job) as work:
        return await engine.evaluation.benchmark.run(chosen, model or "", questions, seed, work, caller.name)


@operation("trial.compare", trust="full", owner_only=True)
async def compare(
    engine: Engine, caller: Caller, recipes: list[str], questions: Count = 100, seed: Count = 1, job: str = ""
) -> Comparison:
    """Compare recipes on questions with known answers; nothing is kept.

    Args:
        recipes: Their names, two at least.
        questions: How many at most.
        seed: Another number asks about other items.
        job: An id of the caller's own to watch and cancel it by.
    """
    with tracked_job(engine, "Comparing recipes", "questions", job) as work:
        return await engine.evaluation.benchmark.compare(recipes, questions, seed, work)


@operation("trial.side_by_side", trust="full", owner_only=True)
async def side_by_side(
    engine: Engine,
    caller: Caller,
    other: str,
    queries: list[str] | None = None,
    questions: Count = 50,
    seed: Count = 1,
    recipe: str | None = None,
    hits: Count = 10,
    job: str = "",
) -> RankingComparison:
    """Compare search results of two recipes, hit for hit.

    Nothing is changed or kept.

    Args:
        other: The recipe to compare with.
        queries: What to search for.
        questions: How many questions to make from the vault at most, whose answers are known; what was judged is
            asked too. 0 asks for what is named alone.
        seed: Another number asks about other items.
        recipe: What to compare it with; the setting ``search.recipe`` when left out.
        hits: How many hits of each side are looked at.
        job: An id of the caller's own to watch and cancel it by.
    """
    options = ComparisonOptions(queries or (), questions, seed, hits)
    with tracked_job(engine, "Comparing recipes", "queries", job) as work:
        return await engine.evaluation.comparison.recipes(
            recipe or engine.config.text("search.recipe"), other, options, work
        )


@operation("trial.list", trust="full", owner_only=True)
async def list_trials(engine: Engine, caller: Caller, limit: Count = 50) -> list[BenchmarkRun]:
    """Return past tests of the search, the latest first.

    Args:
        limit: How many at most.
    """
    return await engine.evaluation.benchmark.listed(limit)


@operation("trial.judge", access="write", trust="full", owner_only=True, review="free", kind="vault")
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


@operation("trial.judged", trust="full", owner_only=True)
async def judged(engine: Engine, caller: Caller, limit: Count = 200) -> list[Judgement]:
    """Return what was judged, the latest first.

    Args:
        limit: How many at most.
    """
    return await engine.evaluation.benchmark.judged(limit)
