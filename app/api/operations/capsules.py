"""Operations on capsules: chosen memories, signed, for another person or agent."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Final

from app.api.caller import Caller
from app.api.registry import operation
from app.core.paths import whole_path
from app.core.stores import StoreName
from app.engine import Engine
from app.exchange.capsules import CapsuleMaker
from app.exchange.model import Capsule
from app.memories import repo
from app.memories.model import Kind, MemoryFilter

MAX_MEMORIES: Final = 100_000


@operation("capsule.make", owner_only=True, positional=("path",))
async def make(
    engine: Engine,
    caller: Caller,
    path: str,
    tags: list[str] = [],  # noqa: B006  (never changed; the registry copies defaults)
    text: str = "",
    kinds: list[Kind] = [],  # noqa: B006
    stores: list[StoreName] = [],  # noqa: B006
    sender: str = "",
    days: int = 30,
    ids: list[str] = [],  # noqa: B006
    recipient: str = "",
) -> Capsule:
    """Write chosen memories into a signed file for another person or agent.

    The receiver imports it like any other file. Keepsake refuses it once it was changed or has expired, and shows the
    key that it is signed with. It is not encrypted: everybody who has the file can read it.

    Args:
        path: The file to write, such as ``garden.capsule``; an earlier capsule there is replaced, anything else is not.
        tags: Only memories with all of these tags.
        text: Only memories with these words in their title or text.
        kinds: Only memories of these kinds.
        stores: Only memories of these stores; those that are shared, where you name none.
        sender: Your name for the receiver.
        days: For how many days it can be imported.
        ids: These memories and no others; the filters then do not count.
        recipient: The receiver's name, for them to see.
    """
    chosen = ids or await _chosen(engine, caller, tags, text, kinds, stores)
    memories = await engine.store.read(partial(repo.many, ids=chosen[:MAX_MEMORIES], stores=caller.stores))
    memories = [memory for memory in memories if memory.deleted_at is None]
    work = partial(
        CapsuleMaker(engine.vault).make,
        whole_path(path),
        memories,
        sender=sender,
        days=days,
        now_ms=engine.clock.now_ms(),
        recipient=recipient,
    )
    return await asyncio.to_thread(work)


@operation("capsule.count", owner_only=True)
async def count(
    engine: Engine,
    caller: Caller,
    tags: list[str] = [],  # noqa: B006
    text: str = "",
    kinds: list[Kind] = [],  # noqa: B006
    stores: list[StoreName] = [],  # noqa: B006
) -> int:
    """Return how many memories a capsule would hold.

    Args:
        tags: Only memories with all of these tags.
        text: Only memories with these words in their title or text.
        kinds: Only memories of these kinds.
        stores: Only memories of these stores; those that are shared, where you name none.
    """
    return min(len(await _chosen(engine, caller, tags, text, kinds, stores)), MAX_MEMORIES)


async def _chosen(
    engine: Engine,
    caller: Caller,
    tags: Sequence[str],
    text: str,
    kinds: Sequence[Kind],
    stores: Sequence[StoreName],
) -> list[str]:
    chosen = MemoryFilter(text=text, tags=tuple(tags), kinds=tuple(kinds), stores=tuple(stores) or ("shared",))
    return list(await engine.memories.queries.ids(caller.access, chosen, "oldest"))


@operation("capsule.key", owner_only=True)
async def key(engine: Engine, caller: Caller) -> str:
    """Return the key that your capsules are signed with, in short.

    Tell it to the receiver in another way, so that they know that a capsule is yours.
    """
    return await asyncio.to_thread(CapsuleMaker(engine.vault).fingerprint)
