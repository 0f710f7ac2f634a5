"""What jobs make on several machines comes to be there once."""

import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from app.core.access import Access
from app.memories.model import NewMemory
from tests.helpers.engine import engine_of
from tests.integration.sync.jobs.working_machines import (
    IN_FOLDER,
    TIMING,
    WEEK,
    WorkingMachine,
    pass_time,
    reflections,
)
from tests.integration.sync.machines import settle


def test_machines_that_hear_of_each_other_write_one_reflection(
    machines: Callable[[int], list[WorkingMachine]],
) -> None:
    pair = machines(2)
    for number, text in enumerate(WEEK):
        pair[number % 2].ask("fact.remember", content=text, category="plan", key=f"boat {number}")
    settle(*pair)
    pass_time(pair, hours=6 * 24 + 16)  # early on Sunday
    for machine in (*pair, *pair):
        machine.work()
        pass_time(pair, seconds=TIMING.silence)
    settle(*pair)
    assert reflections(pair[0]) == reflections(pair[1])
    assert len(reflections(pair[0])) == 1


def test_machines_that_do_not_hear_of_each_other_come_to_the_same(
    machines: Callable[[int], list[WorkingMachine]],
) -> None:
    pair = machines(2)
    for number, text in enumerate(WEEK):
        pair[0].ask("fact.remember", content=text, category="plan", key=f"boat {number}")
        observe(pair[0], f"{text} It was seen.")
    settle(*pair)
    for machine in pair:
        machine.ask("device.pause")
    pass_time(pair, hours=6 * 24 + 16)  # early on Sunday
    for machine in (*pair, *pair, *pair):
        machine.work()
        pass_time(pair, seconds=TIMING.silence)
    assert all(len(reflections(machine)) == 1 for machine in pair)
    for machine in pair:
        machine.ask("device.resume")
    settle(*pair)
    for kind in ("reflection", "digest"):
        found = pair[0].rows("SELECT count(*), count(valid_until) FROM memories WHERE kind = ?", kind)
        assert found == [(1, 0)], kind


def observe(machine: WorkingMachine, content: str) -> None:
    """Store an observation that is old enough to be compressed."""
    draft = NewMemory(content, "Boats", kind="observation", created_at=machine.time.now - timedelta(days=40))
    saving = engine_of(machine.host).memories.service.save(Access.everything("person", "memory.save"), draft)
    machine.host.submit(saving).result()


def drawn(machine: WorkingMachine) -> list[tuple[str, int]]:
    """Return the facts that were drawn from conversations, with how often each was said."""
    rows = machine.rows("SELECT content, mention_count FROM memories WHERE kind = 'fact' AND source = 'rules'")
    return sorted((str(content), int(count)) for content, count in rows)


def say(machine: WorkingMachine, text: str) -> None:
    """Say something in a conversation that is over an hour later."""
    machine.ask("session.append", session="talk", messages=[{"role": "user", "content": text}])


@IN_FOLDER
def test_each_machine_draws_facts_from_what_was_said_on_it(machines: Callable[[int], list[WorkingMachine]]) -> None:
    desktop, laptop = machines(2)
    say(desktop, "My sister Rosa lives in Bremen.")
    settle(desktop, laptop)
    say(laptop, "My brother Emil lives in Kassel.")
    pass_time((desktop, laptop), hours=2)
    assert "1 message" in laptop.ask("upkeep.run", job="consolidation").output
    settle(desktop, laptop)
    pass_time((desktop, laptop), hours=2)
    assert "1 message" in desktop.ask("upkeep.run", job="consolidation").output
    settle(desktop, laptop)
    for machine in (laptop, desktop):
        assert machine.ask("upkeep.run", job="consolidation").output == "There was nothing to read."
    settle(desktop, laptop)
    assert len(drawn(desktop)) == 2
    assert drawn(desktop) == drawn(laptop)
    assert {count for _, count in drawn(desktop)} == {1}


@IN_FOLDER
def test_a_fact_that_a_vault_draws_again_after_it_was_put_back_is_the_same(
    machines: Callable[[int], list[WorkingMachine]], tmp_path: Path
) -> None:
    desktop, laptop = machines(2)
    say(desktop, "My sister Rosa lives in Bremen.")
    settle(desktop, laptop)
    desktop.stop()
    shutil.copytree(desktop.vault, tmp_path / "backup")
    desktop.start()
    pass_time((desktop, laptop), hours=2)
    desktop.ask("upkeep.run", job="consolidation")
    settle(desktop, laptop)
    (fact,) = laptop.rows("SELECT id FROM memories WHERE source = 'rules'")
    laptop.ask("note.delete", id=fact[0])
    laptop.sync()
    desktop.stop()
    shutil.rmtree(desktop.vault)
    shutil.copytree(tmp_path / "backup", desktop.vault)
    desktop.start()
    desktop.ask("upkeep.run", job="consolidation")
    settle(desktop, laptop)
    assert desktop.rows("SELECT id, valid_until IS NULL FROM memories WHERE source = 'rules'") == [(fact[0], 0)]


@IN_FOLDER
def test_a_fact_that_is_used_on_one_machine_fades_on_none(
    machines: Callable[[int], list[WorkingMachine]], settings: dict[str, object]
) -> None:
    settings |= {"decay.enabled": True, "decay.max_share": 1, "decay.max_share_month": 1}
    desktop, laptop = machines(2)
    used, _ = (
        desktop.ask("fact.remember", content=content, decay_rate=2).memory.id
        for content in ("Rosa rents a flat in Bremen", "Mona sails on the lake")
    )
    settle(desktop, laptop)
    desktop.ask("schedule.run_here", id="sch-decay")
    pass_time((desktop, laptop), hours=3 * 24)
    access = engine_of(laptop.host).memories.access
    access.count([used])
    laptop.host.submit(access.flush()).result()
    desktop.work()
    settle(desktop, laptop)
    assert laptop.rows("SELECT id FROM memories WHERE valid_until IS NULL") == []
    laptop.work()
    settle(desktop, laptop)
    for machine in (laptop, desktop):
        assert machine.rows("SELECT id FROM memories WHERE valid_until IS NULL") == [(used,)]


@IN_FOLDER
def test_each_machine_lowers_a_confidence_by_itself_until_somebody_changes_the_fact(
    machines: Callable[[int], list[WorkingMachine]],
) -> None:
    desktop, laptop = machines(2)
    fact = desktop.ask("fact.remember", content="Rosa rents a flat in Bremen", decay_rate=0.1).memory.id
    settle(desktop, laptop)
    pass_time((desktop, laptop), hours=3 * 24)
    desktop.ask("upkeep.run", job="decay")
    settle(desktop, laptop)
    (lowered,) = confidence_of(desktop, fact)
    assert lowered < 0.75
    assert confidence_of(laptop, fact) == [1.0]
    desktop.ask("note.tag_many", ids=[fact], add=["home"])
    settle(desktop, laptop)
    assert confidence_of(desktop, fact) == confidence_of(laptop, fact) == [lowered]


def confidence_of(machine: WorkingMachine, fact: str) -> list[float]:
    return [confidence for (confidence,) in machine.rows("SELECT confidence FROM memories WHERE id = ?", fact)]


@IN_FOLDER
def test_a_machine_whose_clock_is_behind_writes_no_second_reflection(
    machines: Callable[[int], list[WorkingMachine]],
) -> None:
    pair = machines(2)
    for number, text in enumerate(WEEK):
        pair[0].ask("fact.remember", content=text, category="plan", key=f"boat {number}")
    settle(*pair)
    pass_time(pair, hours=6 * 24 + 16)
    pair[0].time.now += timedelta(hours=2)
    pair[0].ask("upkeep.run", job="reflection")
    settle(*pair)
    assert pair[1].ask("upkeep.run", job="reflection").output == "Another reflection was written meanwhile."
    assert len(reflections(pair[1])) == 1
