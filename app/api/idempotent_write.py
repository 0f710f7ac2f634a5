"""Memory writes that their caller may repeat under a key."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from msgspec import convert

from app.api.caller import Caller
from app.changes import Changed, ChangeSet
from app.core.ids import new_id
from app.engine import Engine
from app.errors import NotFoundError
from app.memories.model import Decider, Memory, NewMemory, Outcome, Written
from app.receipts.model import Receipt
from app.sentence import Sentence

_REPEATED = "It was done before, with the same key."


async def save_once(
    engine: Engine,
    caller: Caller,
    key: str,
    operation: str,
    draft: NewMemory,
    write: Callable[[NewMemory], Awaitable[Changed[Written]]],
) -> Changed[Written]:
    """Write a memory, or return what an earlier write with the same key came to.

    Args:
        engine: The vault.
        caller: Who writes.
        key: The caller's key, ``""`` for none.
        operation: The operation that was called.
        draft: What is to be stored; a repeated write must ask for the same.
        write: Stores it.

    Raises:
        KeyConflictError: The key was used for other arguments.
        NotFoundError: What was stored with the key has been removed since.
    """
    if not key:
        return await write(draft)
    memory_id = draft.id or new_id(draft.kind)
    async with engine.receipts.claim(caller.name, key, operation, draft, memory_id) as claim:
        receipt = claim.receipt
        earlier = await _existing(engine, caller, receipt.memory_id)
        # An unfinished claim whose memory is there was cut off after the write and before the receipt.
        if receipt.is_done or (claim.is_earlier and earlier is not None):
            if earlier is None:
                raise NotFoundError(
                    Sentence(
                        "What was stored with this key, {id}, has been removed since. Use another key.",
                        id=receipt.memory_id,
                    ),
                    id=receipt.memory_id,
                )
            return Changed(_again(receipt, earlier), ChangeSet(frozenset()))
        done = await write(replace(draft, id=receipt.memory_id))
        value = done.value
        claim.fulfil(Receipt(value.memory.id, True, value.outcome, value.matched, value.decided_by))
        return done


async def _existing(engine: Engine, caller: Caller, memory_id: str) -> Memory | None:
    try:
        return await engine.memories.queries.get(caller.access, memory_id)
    except NotFoundError:
        return None


def _again(receipt: Receipt, memory: Memory) -> Written:
    outcome, decided_by = convert(receipt.outcome, Outcome), convert(receipt.decided_by, Decider)
    return Written(outcome, memory, receipt.matched, decided_by, _REPEATED)
