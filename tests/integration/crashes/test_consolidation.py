"""Crashes during consolidation: it goes on at its page, and draws no fact twice."""

import os
import random
import shutil
from pathlib import Path

import pytest

from app.host import Host
from tests.helpers.processes.warm_process import start_module

ROUNDS = int(os.environ.get("CRASH_ROUNDS", "4"))
TURNS = 400
OVERRIDES = {"index.vectors": False}


def start(vault: Path) -> Host:
    host = Host(vault, serve=False, overrides=OVERRIDES)
    host.start()
    return host


@pytest.fixture
def filled(vault: Path) -> Path:
    host = start(vault)
    turns = [{"role": "user", "content": f"I adore hiking on mountain number {number}."} for number in range(TURNS)]
    host.ask("session.append", session="talk", messages=turns)
    host.ask("session.append", session="other", messages=turns[:1])
    host.ask("vault.settle")
    host.stop()
    return vault


def kill_after(vault: Path, lines: int) -> int:
    """Kill the process after some transactions, and return how many it told of."""
    lines_read = 0
    with start_module("tests.integration.processes.consolidating", str(vault)) as process:
        assert process.stdout is not None
        for _ in range(lines):
            lines_read += bool(process.stdout.readline())
        process.kill()
    return lines_read


@pytest.mark.slow
def test_killed_while_consolidating(filled: Path, tmp_path: Path) -> None:
    dice = random.Random(20_260_301)
    interrupted = 0
    for number in range(ROUNDS):
        vault = tmp_path / f"killed-{number}"
        shutil.copytree(filled, vault)
        kill_after(vault, dice.randrange(1, TURNS // 5))
        host = start(vault)
        try:
            assert host.ask("vault.check").findings == ()
            before = host.ask("fact.list", limit=TURNS * 2)
            assert {fact.mention_count for fact in before} <= {1}
            report = host.ask("session.consolidate", session="talk")
            facts = host.ask("fact.list", limit=TURNS * 2)
            assert len(facts) == len({fact.content for fact in facts}) == TURNS
            assert {fact.mention_count for fact in facts} == {1}
            assert {source.id for fact in facts for source in fact.sources} == {
                f"talk#{seq}" for seq in range(1, TURNS + 1)
            }
            assert host.ask("session.consolidate", session="talk").added == ()
            assert host.ask("vault.check").findings == ()
            interrupted += 0 < len(report.added) < TURNS
        finally:
            host.stop()
    assert interrupted
