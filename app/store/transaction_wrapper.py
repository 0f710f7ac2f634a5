"""Transaction wrappers: code that sees all transactions of one call."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any

import apsw

Work = Callable[[apsw.Connection], Any]
Around = Callable[[Work, apsw.Connection], Any]


class DeliberateRollbackError(Exception):
    """Takes a transaction back on purpose; nothing of what the call wanted was written."""


class _Wrapper:
    """A wrapper of one call; tasks that the call started may outlive it."""

    __slots__ = ("around", "is_over", "outer")

    def __init__(self, around: Around, outer: "_Wrapper | None") -> None:
        self.around = around
        self.outer = outer
        self.is_over = False


_CURRENT: ContextVar[_Wrapper | None] = ContextVar("transaction_wrapper", default=None)


@contextmanager
def wrapped_transactions(around: Around) -> Iterator[None]:
    """Run every transaction that the block writes inside ``around``, in the transaction itself.

    A block within another runs inside both. Transactions of bookkeeping, which note that a call was made and not what
    it asked for, stay outside; see ``Store.write``.

    Args:
        around: Given the work and the writer's connection; runs the work and returns its answer. An error that it
            raises rolls the transaction back and reaches the caller.
    """
    wrapper = _Wrapper(around, _CURRENT.get())
    token = _CURRENT.set(wrapper)
    try:
        yield
    finally:
        wrapper.is_over = True
        _CURRENT.reset(token)


def wrapped(work: Work) -> Work:
    """Return work inside the wrappers of the current call, if there are any."""
    wrapper = _CURRENT.get()
    while wrapper is not None:
        if not wrapper.is_over:
            work = partial(_run, wrapper.around, work)
        wrapper = wrapper.outer
    return work


def _run(around: Around, work: Work, connection: apsw.Connection) -> Any:
    return around(work, connection)
