"""Operations on notes that name another one without a link."""

from app.api.caller import Caller
from app.api.registry import Count, operation
from app.changes import Changed
from app.engine import Engine
from app.memories.model import Link, Memory


@operation("note.mentions", sentence="Looked at notes")
async def mentions(engine: Engine, caller: Caller, id: str, limit: Count = 50) -> list[Link]:
    """Return notes that name a note's title without a link, latest first.

    Args:
        id: The note's id.
        limit: How many at most.
    """
    return await engine.memories.mentions.of(caller.access, id, limit=limit)


@operation(
    "note.link_mention",
    access="write",
    trust="inner",
    review="content",
    kind="note",
    undo="history",
    sentence="Changed a note",
)
async def link_mention(engine: Engine, caller: Caller, id: str, target: str) -> Changed[Memory]:
    """Make the first mention of a note's title in another note a link.

    Args:
        id: The note that names the title.
        target: The note it names.
    """
    return await engine.memories.mentions.link(caller.access, id, target)
