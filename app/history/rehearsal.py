"""Rehearsal of an operation: it runs in a transaction that is rolled back."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import apsw

from app.history import history_repo
from app.history.history_repo import HistoryRow
from app.store.transaction_wrapper import DeliberateRollbackError, Work, wrapped_transactions


class RolledBackError(DeliberateRollbackError):
    """Takes a transaction back, and what it wrote in the history out of it."""

    def __init__(self, entries: Sequence[HistoryRow], why: str = "review") -> None:
        super().__init__("the transaction was rolled back on purpose")
        self.entries = entries
        self.why = why


async def rehearse(call: Callable[[], Awaitable[Any]]) -> Sequence[HistoryRow]:
    """Return the history entries of a call's first transaction, which is rolled back.

    Raises:
        KeepsakeError: The call fails.
    """

    def around(work: Work, connection: apsw.Connection) -> Any:
        mark = history_repo.last_id(connection)
        work(connection)
        raise RolledBackError(history_repo.entries_after(connection, mark))

    try:
        with wrapped_transactions(around):
            await call()
    except RolledBackError as ended:
        return ended.entries
    return ()
