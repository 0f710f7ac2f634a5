"""Operations on the archive: memories that are out of the way but not lost."""

from app.api.caller import Caller
from app.api.registry import Count, operation
from app.changes import Changed
from app.engine import Engine
from app.errors import InputError
from app.memories.archive.model import Archived, ArchivedMemory, ArchiveFilter, DueState, MovedMemories
from app.memories.model import Kind, Memory

_DUE: tuple[DueState, ...] = ("deleted", "expired")


@operation(
    "archive.put",
    access="write",
    trust="full",
    destructive=True,
    review="content",
    kind="note",
    undo="history",
    positional=("ids",),
    sentence="Changed the archive",
)
async def put(
    engine: Engine,
    caller: Caller,
    ids: list[str] = [],  # noqa: B006  (never changed; the registry copies defaults)
    older_than_days: float | None = None,
    states: list[DueState] = [],  # noqa: B006
    reason: str = "",
    limit: Count = 200,
) -> Changed[MovedMemories]:
    """Move memories into the archive, out of every list and search.

    They stay complete, and the move can be undone.

    Args:
        ids: Which ones.
        older_than_days: Also those in one of ``states`` for longer than so many days.
        states: ``deleted`` lies in the trash, ``expired`` is past its time, ``old`` was neither changed nor read; the
            first two when left out. Pinned ones, notes and reflections are never merely old.
        reason: Why, in a few words.
        limit: How many at most of those that age brings.
    """
    if not ids and older_than_days is None:
        raise InputError("Say what to archive: 'ids', or an age in 'older_than_days'.", field="ids")
    aged = (
        []
        if older_than_days is None
        else await engine.memories.archive.due(older_than_days, states or _DUE, limit=limit)
    )
    why = reason or ("by hand" if ids else f"older than {older_than_days:g} days")
    return await engine.memories.archive.put(caller.access, [*ids, *aged], why)


@operation("archive.list", trust="familiar", positional=("text",), sentence="Looked at the archive")
async def listed(
    engine: Engine,
    caller: Caller,
    text: str = "",
    kinds: list[Kind] = [],  # noqa: B006
    limit: Count = 50,
    offset: Count = 0,
) -> list[ArchivedMemory]:
    """Return what is in the archive, what was put there last first.

    Args:
        text: Words that must all stand in the title or the text.
        kinds: Only these kinds.
        limit: How many at most.
        offset: How many to pass over.
    """
    chosen = ArchiveFilter(text, tuple(kinds))
    return await engine.memories.archive.listed(caller.access, chosen, limit=limit, offset=offset)


@operation("archive.get", trust="familiar", sentence="Looked at the archive")
async def get(engine: Engine, caller: Caller, id: str) -> Archived:
    """Return an archived memory as it was, with when and why it was archived.

    Args:
        id: Its id.
    """
    return await engine.memories.archive.get(caller.access, id)


@operation(
    "archive.restore",
    access="write",
    trust="inner",
    review="content",
    kind="note",
    undo="history",
    sentence="Changed the archive",
)
async def restore(engine: Engine, caller: Caller, id: str) -> Changed[Memory]:
    """Restore a memory from the archive exactly as it was.

    A memory that came from the trash goes back there.

    Args:
        id: Its id.
    """
    return await engine.memories.archive.restore(caller.access, id)


@operation(
    "archive.clean",
    access="write",
    owner_only=True,
    destructive=True,
    review="unrehearsed",
    kind="note",
    undo="none",
    sentence="Changed the archive",
)
async def clean(engine: Engine, caller: Caller, older_than_days: float, limit: Count = 200) -> Changed[int]:
    """Delete old archive entries for good, except notes, and return their number.

    This cannot be undone.

    Nothing does this by itself unless a setting asks for it. The history of what is deleted stays; to leave nothing
    behind, use ``memory.forget_forever``.

    Args:
        older_than_days: Days in the archive.
        limit: How many at most.
    """
    return await engine.memories.archive.clean(caller.access, older_than_days, limit=limit)
