"""Values of the ledger: calls of agents, readers of an item, and sums."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Access = Literal["read", "write"]

UNKNOWN = "unknown"  # the name of all programs that were not let in
REFUSED = frozenset({"access_denied", "access_required", "agent_paused"})
PROPOSED = "proposed"  # the outcome of a write that waits in the inbox
DONE = frozenset({"done", PROPOSED})


@dataclass(frozen=True, slots=True)
class NewCall:
    """A call to be recorded.

    Args:
        at_ms: When it ended, milliseconds UTC.
        agent: Who called.
        client: The name and version that the program gave of itself.
        operation: What was called.
        access: Whether the operation reads or writes.
        outcome: ``done``, ``proposed``, or the code of the failure.
        milliseconds: How long it took.
        read: Ids of what the answer held.
        written: Ids of what was changed.
        more_read: How many more items the answer held.
        query: What was asked for, ``""`` for nothing.
        keeps_query: Whether the query's text may be stored; its keyed hash is otherwise.
        more_written: How many more items were changed.
        texts: Texts of a write that may bring recalled text back.
    """

    at_ms: int
    agent: str
    client: str
    operation: str
    access: Access
    outcome: str
    milliseconds: float
    read: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    more_read: int = 0
    query: str = ""
    keeps_query: bool = False
    more_written: int = 0
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LedgerCall:
    """A call in the ledger.

    Args:
        id: Its number, rising with time.
        at: When it ended.
        agent: Who called; ``unknown`` for a program that was not let in.
        client: The name and version that the program gave of itself.
        operation: What was called.
        access: Whether the operation reads or writes.
        outcome: ``done``, ``proposed`` for a write that waits in the inbox, or the code of the failure.
        milliseconds: How long it took.
        read: Ids of the memories, conversations and entities in the answer.
        written: Ids of those that were changed.
        more_read: How many more the answer held.
        more_written: How many more were changed.
        query: What was asked for, where the setting ``ledger.queries`` was on.
        query_hash: Else its keyed hash: the same for the same query, and readable by nobody.
        is_echo: Whether it brought text back that Keepsake had told; that was not stored again.
        became: What became of a proposal: ``waiting``, ``accepted``, ``rejected`` or ``expired``; ``""`` where that is
            not known any more, and for other calls.
    """

    id: int
    at: datetime
    agent: str
    client: str
    operation: str
    access: Access
    outcome: str
    milliseconds: float
    read: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    more_read: int = 0
    more_written: int = 0
    query: str = ""
    query_hash: str = ""
    is_echo: bool = False
    became: str = ""


@dataclass(frozen=True, slots=True)
class LedgerFilter:
    """Filter of calls; empty fields do not filter.

    Args:
        agent: Who called, ``unknown`` for programs that were not let in.
        item: The id of a memory, conversation or entity that was read or changed.
        since: At or after.
        until: Before.
        operation: The name of an operation, or of a subject with its dot, such as ``note.``.
        outcome: ``done``, ``proposed``, ``refused``, ``failed``, ``echo``, or the code of a failure.
    """

    agent: str = ""
    item: str = ""
    since: datetime | None = None
    until: datetime | None = None
    operation: str = ""
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class LedgerPage:
    """Calls, the newest first.

    Args:
        calls: The calls.
        before: Where the next page begins; ``None`` on the last one.
    """

    calls: tuple[LedgerCall, ...]
    before: int | None = None


@dataclass(frozen=True, slots=True)
class Reader:
    """An agent that was given an item: how often, first and last."""

    agent: str
    count: int
    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True)
class AgentActivity:
    """Sums of an agent's calls.

    Args:
        agent: The agent.
        since: From when they are counted.
        calls: All calls.
        searches: Searches and contexts.
        reads: Calls that read, the searches among them.
        writes: Calls that wrote, those that brought only recalled text among them.
        proposed: Writes that wait, or waited, in the inbox.
        refusals: Calls beyond its trust.
        failures: Calls that failed otherwise.
        echoes: Writes that brought recalled text back.
        echo_rate: Their share of the writes.
        items_read: Different memories, conversations and entities that it was given.
        items_written: Different ones that it changed.
        sentence: All of it in words.
    """

    agent: str
    since: datetime | None
    calls: int = 0
    searches: int = 0
    reads: int = 0
    writes: int = 0
    proposed: int = 0
    refusals: int = 0
    failures: int = 0
    echoes: int = 0
    echo_rate: float = 0.0
    items_read: int = 0
    items_written: int = 0
    sentence: str = ""
