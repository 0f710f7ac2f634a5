"""Runs of upkeep and sections that a context skips leave events in the trace, without content."""

import time

from app.host import Host
from app.trace.model import TraceLine


def events(host: Host, name: str) -> list[TraceLine]:
    """Return the events of a name, once there are any; the trace is written in the background."""
    for _ in range(500):
        if lines := [line for line in host.ask("vault.trace", contains=name) if line.event == name]:
            return lines
        time.sleep(0.02)
    return []


def test_a_run_of_upkeep_is_traced_with_its_counts(host: Host) -> None:
    host.ask("note.save", content="A heron in the canal", tags=["bird"])
    host.ask("schedule.run_now", id="sch-decay")
    (run,) = events(host, "upkeep.run")
    assert run.ms is not None
    for fact in ("decay", "finished", "changes"):
        assert fact in run.facts
    assert "heron" not in run.facts


def test_a_skipped_index_is_traced_with_its_reason(host: Host) -> None:
    host.ask("memory.context", prompt="heron", sections=["turns"])
    skipped = {line.facts for line in events(host, "context.skipped")}
    assert any("index" in facts and "switched_off" in facts for facts in skipped)
    assert any("turns" in facts and "empty" in facts for facts in skipped)
