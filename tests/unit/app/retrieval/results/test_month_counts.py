"""Counts of matching texts by month."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from app.host import Host

START = datetime(2024, 1, 10, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    folder = tmp_path_factory.mktemp("months") / "vault"
    host = Host(folder, serve=False, overrides={"embedding.model": "hashed"})
    host.start()
    turns = [
        {
            "role": "user" if number % 3 else "assistant",
            "content": f"The heron number {number}" + (" and the egret" if number % 7 == 0 else ""),
            "created_at": (START + timedelta(days=11 * number)).isoformat(),
        }
        for number in range(90)
    ]
    host.ask("session.append", session="birds", title="Birds", messages=turns)
    host.ask("note.save", id="note-quince", content="A quince note", tags=["fruit"])
    host.ask("vault.settle")
    yield host
    host.stop()


def counts(host: Host, query: str) -> dict[str, int]:
    return {one.month: one.count for one in host.ask("memory.months", query=query)}


def expected(step: int) -> dict[str, int]:
    local = (START + timedelta(days=11 * number) for number in range(0, 90, step))
    return dict(Counter(f"{moment.astimezone():%Y-%m}" for moment in local))


@pytest.mark.parametrize("query", ["zebra", "kind:banana", "is:archived", "tag:none heron", "-heron -quince"])
def test_nothing_matches(filled: Host, query: str) -> None:
    assert counts(filled, query) == {}


def test_every_text_with_the_words_counts(filled: Host) -> None:
    assert counts(filled, "heron") == expected(1)
    assert counts(filled, "heron egret") == expected(7)
    assert counts(filled, '"the egret"') == expected(7)


def test_any_word_counts_where_no_text_has_all(filled: Host) -> None:
    assert sum(counts(filled, "egret quince").values()) == len(range(0, 90, 7)) + 1


def test_operators_hold_and_dates_do_not(filled: Host) -> None:
    assert counts(filled, "heron after:2025-01-01 before:2025-02-01") == expected(1)
    assert sum(counts(filled, "heron role:assistant").values()) == len(range(0, 90, 3))
    assert sum(counts(filled, "heron -egret").values()) == 90 - len(range(0, 90, 7))
    assert sum(counts(filled, "tag:fruit").values()) == 1


def test_months_come_in_order(filled: Host) -> None:
    found = list(counts(filled, "heron"))
    assert found == sorted(found)
    assert found[0] == "2024-01"
