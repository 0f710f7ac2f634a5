"""Decay in a running host: the formula over many nights, what is spared, the loss budget, undo, and the forecast."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.errors import NotFoundError
from tests.helpers.upkeep_runs import UpkeepRuns


@pytest.fixture
def runs(vault: Path) -> Iterator[UpkeepRuns]:
    runs = UpkeepRuns(vault, {"decay.max_share": 1, "decay.max_share_month": 1})
    yield runs
    runs.stop()


def remember(runs: UpkeepRuns, content: str, **fields: Any) -> str:
    return str(runs.ask("fact.remember", content=content, **fields).memory.id)


def confidences(runs: UpkeepRuns) -> dict[str, float]:
    return {str(one): float(value) for one, value in runs.rows("SELECT id, confidence FROM memories")}


def set_aside(runs: UpkeepRuns) -> set[str]:
    return {str(row[0]) for row in runs.rows("SELECT id FROM memories WHERE valid_until IS NOT NULL")}


def test_many_nights_come_to_the_same_as_the_formula(runs: UpkeepRuns) -> None:
    fact = remember(runs, "Rosa rents a flat", decay_rate=0.1)
    for _ in range(20):
        runs.clock.pass_days(1)
        runs.run("decay")
    assert math.isclose(confidences(runs)[fact], math.exp(-0.1 * 20), rel_tol=1e-9)
    runs.clock.pass_days(11)
    assert "1 was set aside" in runs.run("decay")[1].output
    assert set_aside(runs) == {fact}


def test_a_second_run_at_the_same_time_changes_nothing(runs: UpkeepRuns) -> None:
    remember(runs, "Rosa rents a flat", decay_rate=0.1)
    remember(runs, "Mona sails", decay_rate=2)
    runs.clock.pass_days(3)
    assert runs.run("decay")[1].counts == {"lowered": 1, "faded": 1, "kept": 0}
    before = confidences(runs)
    assert runs.ask("upkeep.plan", job="decay").total == 0
    assert runs.run("decay")[1].output == "No fact faded."
    assert confidences(runs) == before


def test_what_is_pinned_confirmed_or_no_fact_is_untouched(runs: UpkeepRuns) -> None:
    sure = remember(runs, "Lena sings", decay_rate=1.0)
    runs.ask("fact.confirm", id=sure)
    pinned = remember(runs, "Otto climbs", decay_rate=1.0)
    runs.ask("note.pin", id=pinned, pinned=True)
    for kind in ("note", "observation"):
        runs.ask("memory.write", content=f"A {kind}", kind=kind)
    before = confidences(runs)
    runs.clock.pass_days(400)
    assert runs.run("decay")[1].counts == {"lowered": 0, "faded": 0, "kept": 0}
    assert (confidences(runs), set_aside(runs)) == (before, set())


def test_an_access_resets_the_clock(runs: UpkeepRuns) -> None:
    fact = remember(runs, "Rosa rents a flat", decay_rate=0.1)
    runs.clock.pass_days(10)
    runs.run("decay")
    runs.clock.pass_days(10)
    runs.engine.memories.access.count([fact])
    runs.host.submit(runs.engine.memories.access.flush()).result()
    runs.clock.pass_days(5)
    runs.run("decay")
    assert math.isclose(confidences(runs)[fact], math.exp(-0.1 * 15), rel_tol=1e-9)


def test_undo_gives_back_confidences_and_facts_that_still_stand(runs: UpkeepRuns) -> None:
    rosa, mona, lena = (remember(runs, text, decay_rate=0.1) for text in ("Rosa rents", "Mona sails", "Lena sings"))
    gone = remember(runs, "Otto climbs", decay_rate=2)
    runs.clock.pass_days(5)
    run_id, _ = runs.run("decay")
    assert set_aside(runs) == {gone}
    report = runs.ask("upkeep.changes", run_id=run_id, limit=3)
    assert report.counts == {"lower": 3, "set aside": 1}
    rest = runs.ask("upkeep.changes", run_id=run_id, limit=3, cursor=report.cursor)
    assert [one.id for one in (*report.items, *rest.items)] == [gone, rosa, mona, lena]
    runs.ask("fact.confirm", id=lena)
    runs.ask("memory.undo", run_id=run_id)
    assert confidences(runs) == {rosa: 1.0, mona: 1.0, lena: 1.0, gone: 1.0}
    assert set_aside(runs) == set()
    assert runs.rows("SELECT decay_rate FROM memories WHERE title = 'Lena sings' OR content = 'Lena sings'") == [(0.0,)]
    with pytest.raises(NotFoundError):
        runs.ask("memory.undo", run_id=run_id)


def test_a_fact_that_was_brought_back_is_not_set_aside_the_next_night(runs: UpkeepRuns) -> None:
    fact = remember(runs, "Otto climbs", decay_rate=2)
    runs.clock.pass_days(5)
    run_id, _ = runs.run("decay")
    runs.ask("memory.undo", run_id=run_id)
    runs.clock.pass_days(1)
    runs.run("decay")
    assert set_aside(runs) == set()
    assert math.isclose(confidences(runs)[fact], math.exp(-2), rel_tol=1e-9)


def test_an_edit_can_be_undone_after_a_night(runs: UpkeepRuns) -> None:
    fact = remember(runs, "Rosa rents a flat", decay_rate=0.1, category="home", key="rosa")
    edit = runs.ask("memory.history", target=fact)[0]
    runs.clock.pass_days(3)
    runs.run("decay")
    runs.ask("memory.undo", history_ids=[edit.id])
    assert set_aside(runs) == {fact}


@pytest.mark.parametrize("shares", [(0.1, 1.0), (1.0, 0.25), (0.1, 0.25)])
def test_the_loss_budget_holds_and_the_forecast_agrees(vault: Path, shares: tuple[float, float]) -> None:
    runs = UpkeepRuns(vault, {"decay.max_share": shares[0], "decay.max_share_month": shares[1]})
    try:
        for number in range(40):
            remember(runs, f"Fact number {number} of Rosa{number}", decay_rate=0.05 + (number % 7) / 10)
        nights = (0, 10, 35, 60)
        forecast = {horizon.days: horizon for horizon in runs.ask("memory.forecast", days=list(nights)).horizons}
        lost = 0
        for night in range(61):
            _, outcome = runs.run("decay")
            now = len(set_aside(runs))
            assert now - lost <= max(1, int(shares[0] * (40 - lost)))
            assert ("kept" in outcome.output) == (outcome.counts["kept"] > 0)
            lost = now
            if night in nights:
                assert forecast[night].count == lost
                if lost <= 50:
                    assert {fact.id for fact in forecast[night].facts} == set_aside(runs)
            runs.clock.pass_days(1)
    finally:
        runs.stop()


def test_a_run_says_what_it_keeps(vault: Path) -> None:
    runs = UpkeepRuns(vault, {"decay.max_share": 0.2, "decay.max_share_month": 0.3})
    try:
        for number in range(10):
            remember(runs, f"Fact number {number} of Rosa{number}", decay_rate=1)
        runs.clock.pass_days(30)
        plan = runs.ask("upkeep.plan", job="decay")
        _, outcome = runs.run("decay")
        assert outcome.counts == {"lowered": 0, "faded": 2, "kept": 8}
        assert plan.total == 10
        assert "8 faded facts are kept" in plan.notes[0]
        assert "8 faded facts are kept" in outcome.output
        kept = runs.rows("SELECT confidence FROM memories WHERE valid_until IS NULL")
        assert {row[0] for row in kept} == {0.05}
    finally:
        runs.stop()


def test_old_changes_are_dropped_but_never_those_of_the_latest_run(runs: UpkeepRuns) -> None:
    remember(runs, "Rosa rents a flat", decay_rate=0.001)
    for _ in range(3):
        runs.clock.pass_days(200)
        runs.run("decay")
    assert runs.rows("SELECT count(*) FROM confidence_runs") == [(2,)]
    assert runs.rows("SELECT count(*) FROM confidence_changes") == [(2,)]
