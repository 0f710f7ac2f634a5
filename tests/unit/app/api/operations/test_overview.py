"""The overview of privacy and safety, over a real vault."""

from app.api.caller import Caller
from app.changes import ChangeSet, Event
from app.host import Host


def test_nothing_is_known_at_first(host: Host) -> None:
    found = host.ask("vault.overview")
    assert (found.last_backup, found.verified, found.check, found.agents) == (None, None, None, ())
    assert not found.has_model
    assert found.services == ()
    assert 0 < found.vault_bytes < found.free_bytes <= found.disk_bytes
    assert {one.name for one in found.work} >= {"Decay", "Housekeeping"}


def test_backup_verification_and_check_are_remembered(host: Host) -> None:
    events: list[Event] = []
    backup = host.ask("backup.now")
    host.subscribe(events.append)
    host.ask("backup.verify", name=backup.name)
    host.ask("vault.check")
    found = host.ask("vault.overview")
    assert found.last_backup.name == backup.name == found.verified.name
    assert found.verified.ok
    assert found.check.ok
    areas = {area for event in events if isinstance(event, ChangeSet) for area in event.areas}
    assert {"backups", "checks"} <= areas


def test_a_run_tells_how_it_ended_and_what_comes_next(host: Host) -> None:
    host.ask("schedule.run_now", id="sch-decay")
    for _ in range(200):
        decay = next(one for one in host.ask("vault.overview").work if one.id == "sch-decay")
        if decay.last_status:
            break
        host.ask("vault.settle")
    assert (decay.last_status, decay.is_on) == ("succeeded", True)
    assert decay.summary
    assert decay.next_at is not None
    status = host.ask("vault.status")
    assert status.next_name
    assert status.next_at is not None


def test_a_pause_of_all_schedules_leaves_nothing_to_come(host: Host) -> None:
    host.ask("schedule.pause_all", until="2999-01-01T00:00:00Z")
    assert host.ask("vault.status").next_at is None
    assert host.ask("vault.overview").paused_until is not None


def test_calls_of_agents_are_heard_without_what_they_asked(host: Host) -> None:
    agent = host.ask("agent.add", name="scout", trust="full")
    events: list[Event] = []
    host.subscribe(events.append)
    host.call("memory.search", {"query": "secret words"}, Caller("scout", "full", agent_id=agent.id)).result()
    calls = [event for event in events if isinstance(event, ChangeSet) and "presence" in event.areas]
    assert [(event.actor, event.operation, event.ids) for event in calls] == [("scout", "memory.search", (agent.id,))]
