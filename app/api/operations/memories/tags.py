"""Operations on tags, wherever they are."""

from app.api.caller import Caller
from app.api.registry import Count, operation
from app.changes import Changed
from app.core.facets import Facet
from app.engine import Engine
from app.memories.tags.service import TagChange


@operation("tag.list", positional=("prefix",), sentence="Looked at tags")
async def list_tags(engine: Engine, caller: Caller, prefix: str = "", limit: Count = 200) -> list[Facet]:
    """Return tags with how many items each covers, the most used first.

    Args:
        prefix: Only tags that begin with it.
        limit: How many at most.
    """
    return await engine.memories.queries.tags(caller.access, prefix, limit=limit)


@operation(
    "tag.rename", access="write", trust="inner", review="content", kind="note", undo="history", sentence="Changed tags"
)
async def rename(engine: Engine, caller: Caller, old: str, new: str) -> Changed[TagChange]:
    """Rename a tag and its nested tags in all items and their texts.

    Where the new name is a tag already, the two become one. ``memory.undo`` takes the answer's ``run_id``.

    Args:
        old: The tag as it is; ``a`` also means ``a/b``.
        new: What it is to be called.
    """
    return await engine.memories.tags.rename(caller.access, old, new)


@operation(
    "tag.merge", access="write", trust="inner", review="content", kind="note", undo="history", sentence="Changed tags"
)
async def merge(engine: Engine, caller: Caller, tags: list[str], into: str) -> Changed[TagChange]:
    """Merge several tags and their nested tags in all items and their texts.

    ``memory.undo`` takes the answer's ``run_id``.

    Args:
        tags: The tags that are to go.
        into: The one that stands for them; need not be there yet.
    """
    return await engine.memories.tags.merge(caller.access, tags, into)
