"""Messages from the times that a question names are candidates."""

from datetime import UTC, datetime, timedelta

import apsw
import pytest

from app.core.stores import STORES
from app.index.columns.index_cache import IndexCache
from app.retrieval.candidates import date_retriever
from app.retrieval.candidates.date_retriever import messages_of_named_times
from app.retrieval.candidates.filter_mask import with_mask
from app.retrieval.candidates.filters import build_filter
from app.retrieval.query.parser import parse
from app.retrieval.query.question import analyse_question
from app.retrieval.ranking.candidate_pool import with_owner_ids
from app.retrieval.snapshot import take_snapshot
from app.sessions.model import NewMessage
from app.sessions.service import NewSession
from tests.unit.app.vault_harness import VaultHarness

DECEMBER = datetime(2023, 12, 4, 9, tzinfo=UTC)
NOW = datetime(2024, 2, 1, tzinfo=UTC)


def said(vault_harness: VaultHarness, session: str, *times: datetime) -> None:
    messages = [NewMessage("user", "Well.", created_at=at) for at in times]
    vault_harness.do(vault_harness.sessions.append(messages, session, NewSession(), "person", owner=None))


def found(vault_harness: VaultHarness, text: str) -> list[str]:
    query = parse(text, round(NOW.timestamp() * 1000))

    def work(connection: apsw.Connection) -> list[str]:
        snapshot, where = take_snapshot(connection, IndexCache()), build_filter(query, STORES)
        if where.is_restrictive:
            where = with_mask(snapshot, where)
        places = messages_of_named_times(snapshot, analyse_question(query), where)
        return [f"{session}#{seq}" for session, seq in with_owner_ids(snapshot.columns, places)]

    return vault_harness.do(vault_harness.store.read(work))


@pytest.fixture
def talked(vault_harness: VaultHarness) -> VaultHarness:
    said(vault_harness, "before", DECEMBER - timedelta(days=1))
    said(vault_harness, "then", DECEMBER, DECEMBER + timedelta(days=1), DECEMBER + timedelta(days=2))
    said(vault_harness, "earlier", DECEMBER.replace(year=2022))
    vault_harness.save("a memory")
    vault_harness.sync()
    return vault_harness


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What was I doing on December 4, 2023?", ["then#1", "then#2"]),
        ("What was I doing on 4 December?", ["then#1", "then#2", "earlier#1"]),
        ("what happened in November 2023", []),
        ("what happened in december 2022", ["earlier#1"]),
        ("what happened in 2023", []),
        ("what did we say 59 days ago", ["then#1", "then#2"]),
        ("December 4, 2023 role:assistant", []),
        ("December 4, 2023 session:earlier", []),
        ("What was I doing on February 31?", []),
    ],
)
def test_turns_of_a_day_and_of_the_day_after(talked: VaultHarness, text: str, expected: list[str]) -> None:
    assert found(talked, text) == expected


def test_those_within_come_before_those_after(talked: VaultHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(date_retriever, "MAX_MESSAGES", 1)
    assert found(talked, "December 4, 2023") == ["then#1"]
    assert found(talked, "4 December session:earlier") == ["earlier#1"]
    monkeypatch.setattr(date_retriever, "MOST_SPANS", 0)
    assert found(talked, "December 4, 2023") == []
