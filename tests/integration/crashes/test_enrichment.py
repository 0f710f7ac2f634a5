"""Enrichment is killed at any place and goes on there: no text is left out, none is linked twice."""

import time
from pathlib import Path
from typing import Any

import pytest

from app.errors import StaleError
from app.host import Host
from tests.helpers.engine import engine_of
from tests.helpers.models.scripted_model import ScriptedModel
from tests.helpers.processes.warm_process import start_module
from tests.integration.processes.enriching import answer

MANY = 12
LIMIT_S = 60.0


def start(vault: Path) -> Host:
    host = Host(vault, serve=False, overrides={"embedding.model": "hashed", "ner.spacy_pipeline": "none"})
    host.start()
    host.ask("vault.settle", names=True)
    return host


def run(host: Host) -> Any:
    """Run the job; the claim of the process that was killed may take a moment to be released."""
    end = time.monotonic() + LIMIT_S
    while True:
        try:
            return host.ask("upkeep.run", job="enrichment")
        except StaleError:
            assert time.monotonic() < end, "the killed run was not released in time"
            time.sleep(0.1)


@pytest.mark.parametrize("lines", [1, 5, 12])
def test_a_killed_run_goes_on_where_it_was(vault: Path, lines: int) -> None:
    host = start(vault)
    for number in range(MANY):
        host.ask("note.save", content=f"yesterday ada came {number} times")
    for name in ("Schwartz", "Schwartz", "Shwartz"):
        host.ask("note.save", content=f"Then Eugene {name} called Mary and Peter.")
    host.stop()
    with start_module("tests.integration.processes.enriching", str(vault)) as process:
        assert process.stdout is not None
        for _ in range(lines):
            assert process.stdout.readline() == "searched\n"
        process.kill()
    host = start(vault)
    try:
        model = ScriptedModel(answer)
        engine_of(host).entities.enrichment.strategy.model._model = model
        assert run(host).status == "succeeded"
        assert MANY - lines <= len(model.requests) <= MANY - lines + 1
        host.ask("vault.settle", names=True)
        assert {row.name: row.mentions for row in host.ask("entity.list")}["ada"] == MANY
        assert len(host.ask("inbox.list")) == 1
        assert host.ask("vault.check").ok
        assert run(host).output == "Searched 0 texts again. Linked 0 names."
    finally:
        host.stop()
