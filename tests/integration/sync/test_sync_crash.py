"""Machines whose processes are killed lose nothing that was acknowledged."""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.helpers.processes.warm_process import start_module
from tests.integration.sync.machines import Machine, settle, share

ROUNDS = 4


@contextmanager
def writing(vault: Path, folder: Path, name: str, rule: str) -> Iterator[list[str]]:
    """Run a writing process until the block ends, and give the lines that it said."""
    said: list[str] = []
    with start_module("tests.integration.sync.syncing_process", str(vault), str(folder), name, rule) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "ready\n"
            yield said
        finally:
            process.kill()
            said += process.stdout.read().splitlines()


@pytest.mark.parametrize("rule", ["", "at once", "alone"])
def test_killed_processes_lose_nothing(tmp_path: Path, rule: str) -> None:
    folder, vaults = tmp_path / "shared", [tmp_path / "desktop", tmp_path / "laptop"]
    folder.mkdir()
    pair = [Machine(vault, folder) for vault in vaults]
    share(*pair)
    for machine in pair:
        machine.stop()
    chance = random.Random(7)
    said: list[str] = []
    for number in range(ROUNDS):
        for vault in vaults:
            with writing(vault, folder, f"{vault.name} {number}", rule) as lines:
                time.sleep(chance.uniform(0.2, 1.0))
            said += lines
    forgotten = {text for kind, _, text in (line.partition(" ") for line in said) if kind == "forgetting"}
    machines = [Machine(vault, folder) for vault in vaults]
    try:
        settle(*machines)
        for machine in machines:
            notes, turns = set(machine.contents()), {row[0] for row in machine.rows("SELECT content FROM messages")}
            for line in said:
                kind, _, text = line.partition(" ")
                is_kept = text in (notes if kind == "note" else turns)
                assert is_kept or (kind != "turn" and text in forgotten), line
            assert len(notes) == len(machine.contents())
            assert machine.rows("SELECT count(*) FROM messages") == [(len(turns),)]
    finally:
        for machine in machines:
            machine.stop()
