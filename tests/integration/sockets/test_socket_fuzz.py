"""Malformed frames disturb nobody else and leave nothing open."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.host import Host
from tests.bench.socket_fuzz import fuzz

FRAMES = 3000
READERS = 4


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    rates = {"agents.rate": 100_000, "agents.burst": 1_000_000}
    running = Host(vault, overrides={"embedding.model": "hashed", **rates})
    running.start()
    yield running
    running.stop()


def test_malformed_frames_disturb_no_good_client(host: Host) -> None:
    report = fuzz(host, FRAMES, seed=11)
    assert report.frames == FRAMES
    assert report.good_calls > 0
    # Connections for reading open when they are first needed; each frame that leaked would be one more.
    assert report.files_after <= report.files_before + READERS
    assert host.ask("vault.check").ok
