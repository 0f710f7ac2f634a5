"""Operations on related memories, and on this day of earlier years."""

from datetime import date

from app.api.caller import Caller
from app.api.registry import Count, operation
from app.engine import Engine
from app.memories.model import Anniversary
from app.retrieval.model import Hit
from app.retrieval.similar_memories import SimilarMemories


@operation("memory.related", trust="full", sentence="Used your memories")
async def related(engine: Engine, caller: Caller, text: str, limit: Count = 3, without: list[str] = []) -> list[Hit]:  # noqa: B006
    """Return memories and messages related to a text that is being written.

    The best come first. It is no search of the person: it counts as no use of what it finds, and the text leaves the
    machine only where private texts may.

    Args:
        text: What was written so far; its end counts.
        limit: How many at most.
        without: Ids of memories to leave out, such as the note itself.
    """
    return await SimilarMemories(engine.search.service).related(caller.access, text, limit=limit, without=without)


@operation("memory.on_this_day", trust="full", sentence="Used your memories")
async def on_this_day(engine: Engine, caller: Caller, day: date, limit: Count = 3) -> list[Anniversary]:
    """Return notes and conversations written on this day of earlier years, then months.

    Args:
        day: The day, such as 2026-03-01.
        limit: How many at most.
    """
    return await engine.memories.queries.anniversaries(caller.access, day, limit)
