"""Several memories fetched at once within a budget of tokens.

A memory that does not fit is named with the tokens it takes, never cut.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import apsw

from app.core.clock import to_ms
from app.core.text_rules.token_estimate import estimate_tokens
from app.memories import repo
from app.memories.model import Memory
from app.memories.queries import memory_snapshots
from app.sessions.model import Message


@dataclass(frozen=True, slots=True)
class OmittedMemory:
    """A memory that the budget did not reach for, and the tokens it takes."""

    id: str
    title: str
    tokens: int


@dataclass(frozen=True, slots=True)
class FetchedMemories:
    """Memories and messages asked for by their ids.

    Args:
        memories: In the order asked.
        left_out: What there was no budget for; ask for it alone or with a larger one.
        missing: Ids of which there is nothing that the caller may see.
        tokens: What memories and messages take, estimated.
        messages: Messages that were named as ``<session>#<number>``, in the order asked.
    """

    memories: tuple[Memory, ...]
    left_out: tuple[OmittedMemory, ...] = ()
    missing: tuple[str, ...] = ()
    tokens: int = 0
    messages: tuple[Message, ...] = ()


def fetch_within_budget(
    connection: apsw.Connection,
    ids: Sequence[str],
    max_tokens: int | None,
    as_of: datetime | None,
    stores: Sequence[str],
) -> FetchedMemories:
    """Return the memories of ``ids``, each once, as far as ``max_tokens`` reach.

    One that does not fit is passed over, and a smaller one after it may still be given.
    """
    fetched = _found(connection, ids, as_of, stores)
    memories: list[Memory] = []
    omitted: list[OmittedMemory] = []
    spent = 0
    for memory in fetched.values():
        cost = token_cost(memory)
        if max_tokens is not None and spent + cost > max_tokens:
            omitted.append(OmittedMemory(memory.id, memory.title, cost))
        else:
            memories.append(memory)
            spent += cost
    missing = tuple(identity for identity in dict.fromkeys(ids) if identity not in fetched)
    return FetchedMemories(tuple(memories), tuple(omitted), missing, spent)


def with_messages(fetched: FetchedMemories, messages: Mapping[str, Message], max_tokens: int | None) -> FetchedMemories:
    """Return the fetched memories with messages added, as far as ``max_tokens`` reach.

    ``messages`` has the messages by their ids, which were missing until now.
    """
    fitting: list[Message] = []
    omitted = list(fetched.left_out)
    spent = fetched.tokens
    for name, message in messages.items():
        if max_tokens is not None and spent + message.tokens > max_tokens:
            omitted.append(OmittedMemory(name, "", message.tokens))
        else:
            fitting.append(message)
            spent += message.tokens
    missing = tuple(identity for identity in fetched.missing if identity not in messages)
    return replace(fetched, messages=tuple(fitting), left_out=tuple(omitted), missing=missing, tokens=spent)


def token_cost(memory: Memory) -> int:
    """Return the estimated tokens of all that a memory says."""
    return estimate_tokens("\n".join([memory.title, memory.content, *memory.facts]))


def _found(
    connection: apsw.Connection, ids: Sequence[str], as_of: datetime | None, stores: Sequence[str]
) -> dict[str, Memory]:
    wanted = list(dict.fromkeys(ids))
    if as_of is None:
        return {memory.id: memory for memory in repo.many(connection, wanted, stores=stores)}
    at_ms = to_ms(as_of)
    each = (memory_snapshots.get(connection, identity, at_ms, stores=stores) for identity in wanted)
    return {memory.id: memory for memory in each if memory is not None}
