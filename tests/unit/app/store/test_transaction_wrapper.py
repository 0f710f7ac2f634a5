"""Wrappers of transactions: one within another sees the same transactions, the inner one first."""

from typing import Any

import apsw

from app.store.transaction_wrapper import Around, Work, wrapped, wrapped_transactions


def naming(name: str, seen: list[str]) -> Around:
    def around(work: Work, connection: apsw.Connection) -> Any:
        seen.append(f"{name} begins")
        value = work(connection)
        seen.append(f"{name} ends")
        return value

    return around


def test_wrappers_nest() -> None:
    seen: list[str] = []
    connection = apsw.Connection(":memory:")

    def work(_: apsw.Connection) -> int:
        seen.append("work")
        return 7

    with wrapped_transactions(naming("outer", seen)):
        with wrapped_transactions(naming("inner", seen)):
            inside = wrapped(work)
            assert inside(connection) == 7
        assert seen == ["outer begins", "inner begins", "work", "inner ends", "outer ends"]
        seen.clear()
        assert wrapped(work)(connection) == 7
        assert seen == ["outer begins", "work", "outer ends"]
    assert wrapped(work) is work
    connection.close()
