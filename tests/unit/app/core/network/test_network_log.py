"""The log of requests over a network: hosts and counts, never addresses."""

from datetime import UTC, datetime

import pytest

from app.core.network.network_log import NetworkLog

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize("address", ["", "not an address", "http://", "://"])
def test_what_is_no_address_is_counted_all_the_same(address: str) -> None:
    log = NetworkLog(lambda: NOON)
    log.record(address, "embedding")
    assert sum(use.requests for use in log.uses()) == 1


def test_requests_are_counted_by_host_and_purpose() -> None:
    log = NetworkLog(lambda: NOON)
    log.record("https://api.example.com/v1/chat?key=secret", "language model")
    log.record("https://api.example.com/v1/other", "language model")
    log.record("http://localhost:11434/v1", "language model")
    log.record("https://api.example.com", "embedding")
    found = [(use.host, use.purpose, use.requests, use.is_local) for use in log.uses()]
    assert found == [
        ("api.example.com", "embedding", 1, False),
        ("api.example.com", "language model", 2, False),
        ("localhost", "language model", 1, True),
    ]
    assert log.since == log.uses()[0].last_at == NOON
