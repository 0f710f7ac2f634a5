"""Crashes under load: nothing is lost and nothing is doubled."""

import random
from pathlib import Path

import pytest

from app.host import Host
from tests.integration.processes.crash_stress import WRITERS, StressRound

WRITES = 60


@pytest.mark.slow
def test_a_killed_host_or_writer_loses_and_doubles_nothing(vault: Path, tmp_path: Path) -> None:
    dice = random.Random(20_261_121)
    for number, victim in enumerate(("host", "writer", "host")):
        logs = tmp_path / f"logs{number}"
        logs.mkdir()
        outcome = StressRound(vault, logs, number, WRITES, dice).run(victim)
        assert outcome.wrong == ()
        assert outcome.acknowledged == WRITES * WRITERS


def test_repeated_append_is_stored_once(vault: Path) -> None:
    turns = [{"role": "user", "content": "I moved to the lake."}, {"role": "assistant", "content": "Noted."}]
    for _ in range(2):
        host = Host(vault, serve=False)
        host.start()
        try:
            first = host.ask("session.append", messages=turns, channel="mail:1:1", key="a")
            again = host.ask("session.append", messages=turns, channel="mail:1:1", key="a")
            assert (again.session_id, again.seqs) == (first.session_id, (1, 2))
            assert host.ask("session.length", session=first.session_id) == 2
        finally:
            host.stop()
