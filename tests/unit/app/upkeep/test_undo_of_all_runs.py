"""Random vaults, random sequences of jobs over months, then undo of every run: the vault is as it was."""

import random
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from app.errors import NotFoundError
from app.memories.model import NewMemory
from tests.helpers.access import EVERYTHING
from tests.helpers.upkeep_runs import UpkeepRuns

TITLES = ("Stand-up", "Build", "Garden", "Trip to Lisbon", "Rent")
PEOPLE = ("Rosa", "Mona", "Lena", "Otto")
STEPS = 14


def fill(runs: UpkeepRuns, dice: random.Random) -> None:
    for number in range(60):
        kind = dice.choices(("note", "fact", "observation"), (1, 4, 6))[0]
        person = dice.choice(PEOPLE)
        draft = NewMemory(
            f"{person} said thing{number} about [[{dice.choice(TITLES)}]]. {dice.choice(TITLES)} went well.",
            dice.choice(TITLES) if kind != "fact" else "",
            kind=kind,  # type: ignore[arg-type]
            tags=tuple(dice.sample(("home", "work", "idea"), dice.randrange(3))),
            store=dice.choice(("private", "shared")),
            facts=(f"fact {number}",) if kind == "observation" and dice.random() < 0.5 else (),
            confidence=dice.choice((1.0, 0.6, 0.3)),
            decay_rate=dice.choice((0.0, 0.02, 0.1, 0.5)) if kind == "fact" else 0.0,
            pinned=dice.random() < 0.1,
            people=(person,) if dice.random() < 0.3 else (),
            created_at=runs.clock.now - timedelta(days=dice.uniform(0, 90)),
        )
        runs.host.submit(runs.engine.memories.service.save(EVERYTHING, draft)).result()
    some = [row[0] for row in runs.rows("SELECT id FROM memories ORDER BY id")]
    runs.ask("note.delete", id=dice.choice(some))
    runs.ask("archive.put", ids=dice.sample(some, 3))
    runs.ask("vault.settle", names=True)


def content(runs: UpkeepRuns) -> dict[str, list[tuple[Any, ...]]]:
    """Return all that is canonical about memories; versions go on counting, and deletion times are of the undo."""
    columns = "id, kind, title, content, facts, category, key, type, store, source, confidence, decay_rate, pinned"
    alive = "EXISTS (SELECT 1 FROM memories m WHERE m.id = memory_id AND m.valid_until IS NULL)"
    return {
        "memories": runs.rows(
            f"SELECT {columns}, people, files, attributes, superseded_by, decayed_at FROM memories"
            " WHERE valid_until IS NULL ORDER BY id"
        ),
        "tags": runs.rows(f"SELECT memory_id, tag, position FROM memory_tags WHERE {alive} ORDER BY 1, 2"),
        "links": runs.rows(f"SELECT memory_id, relation, target FROM memory_links WHERE {alive} ORDER BY 1, 2, 3"),
        "sources": runs.rows(f"SELECT memory_id, source_id FROM memory_sources WHERE {alive} ORDER BY 1, 2"),
        "archive": runs.rows("SELECT id, kind, archived_at, reason FROM memory_archive ORDER BY id"),
        "words": runs.rows("SELECT memory_id, text FROM chunk_texts WHERE memory_id IS NOT NULL ORDER BY 1, 2"),
    }


@pytest.mark.parametrize("seed", range(4))
def test_undo_of_every_run_gives_the_vault_back(vault: Path, seed: int) -> None:
    dice = random.Random(seed)
    runs = UpkeepRuns(vault, {"retention.delete_archive_after_days": 60, "retention.max_rows_per_run": 20})
    try:
        fill(runs, dice)
        before, made = content(runs), []
        for _ in range(STEPS):
            jobs = dice.sample([job.name for job in runs.engine.upkeep_jobs.all()], 3)
            made += [runs.run(job)[0] for job in jobs]
            runs.clock.pass_days(dice.choice((0, 1, 1, 7, 30)))
        assert content(runs) != before
        for run_id in reversed(made):
            try:
                runs.ask("memory.undo", run_id=run_id)
            except NotFoundError:
                continue  # it had nothing to do
        after = content(runs)
        for part, rows in before.items():
            assert after[part] == rows, part
        assert [finding for finding in runs.ask("vault.check").findings if finding.area != "backups"] == []
    finally:
        runs.stop()
