"""Why something is, or is not, among the hits of a search."""

from app.api.caller import Caller
from app.api.registry import Count, operation
from app.engine import Engine
from app.explain.model import Explanation


@operation("search.explain", words="memory explain", sentence="Asked why something was found")
async def explain(
    engine: Engine,
    caller: Caller,
    query: str,
    id: str,
    limit: Count = 20,
    recipe: str | None = None,
    per_session: int | None = None,
) -> Explanation:
    """Explain the rank of an item in a search, or why it is missing.

    Names the stage at which it was lost and a query that finds it.

    Looks at all of the vault, so it takes longer than the search itself.

    Args:
        query: What was searched.
        id: The item: a memory's id, ``session#number`` of a message, or a conversation's id, which means the message of
            it that fits best.
        limit: How many hits the search shows.
        recipe: How words and meaning are weighed; the setting ``search.recipe`` when left out.
        per_session: Hits at most from one conversation, as the search was asked.
    """
    chosen = recipe or engine.config.text("search.recipe")
    return await engine.explain.explain(caller.access, query, id, limit=limit, recipe=chosen, per_session=per_session)
