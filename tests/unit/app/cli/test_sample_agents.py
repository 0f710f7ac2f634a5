"""The sample vault has something to show in every pane."""

from collections.abc import Iterator

import pytest

from app.cli.demo import fill
from app.host import Host

SURVEY = "ses-sample-orchard-survey"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    host = Host(tmp_path_factory.mktemp("sample") / "vault", serve=False)
    host.start()
    fill(host, str)
    yield host
    host.stop()


def test_every_agent_was_there_and_each_that_may_call_has_read(sample: Host) -> None:
    agents = {one.name: one for one in sample.ask("agent.list")}
    assert set(agents) == {"Atlas", "Juniper", "Scout"}
    assert all(agent.last_seen_at is not None for agent in agents.values())
    assert agents["Scout"].paused
    for name in ("Atlas", "Juniper"):
        assert sample.ask("agent.ledger", agent=name).calls


def test_proposals_wait_and_others_were_decided(sample: Host) -> None:
    waiting = sample.ask("inbox.list")
    assert [one.agent for one in waiting[:3]] == ["Atlas", "Juniper", "Atlas"]
    assert all(one.preview.count for one in waiting)
    assert [one.agent for one in sample.ask("inbox.list", state="accepted")] == ["Atlas"]
    assert [one.agent for one in sample.ask("inbox.list", state="rejected")] == ["Juniper"]


def test_jobs_and_a_goal_have_run(sample: Host) -> None:
    runs = sample.ask("schedule.runs")
    assert [run.status for run in runs] == ["succeeded"] * 4
    goals = [schedule for schedule in sample.ask("schedule.search", limit=100).schedules if not schedule.is_built_in]
    assert sorted(goal.status for goal in goals) == ["active", "active", "completed"]


def test_a_backup_is_there_and_was_verified(sample: Host) -> None:
    (backup,) = sample.ask("backup.list")
    (run,) = sample.ask("schedule.runs", id="sch-housekeeping")
    assert f"The backup {backup.name} was verified." in run.output


def test_a_conversation_has_summary_scratchpad_and_facts(sample: Host) -> None:
    assert "46 trees" in sample.ask("session.summary.get", session=SURVEY).summary
    assert len(sample.ask("session.scratchpad.read", session=SURVEY).items) == 3
    drawn = {one.memory.content for one in sample.ask("session.memories", session=SURVEY)}
    assert len(drawn) == 2
    assert "The walnut T33 stays; Lotte De Smet climbed it as a child." in drawn
