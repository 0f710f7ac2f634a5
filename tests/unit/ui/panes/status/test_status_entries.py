"""Lines of the status page: what is said of each state."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from app.agents.model import ConnectedAgent
from app.core.network.network_log import NetworkUse
from app.upkeep.health.model import Growth, HealthReport
from app.upkeep.model import BackupInfo
from app.upkeep.overview.model import CheckRecord, ScheduledWork, VaultOverview, VerificationRecord
from ui.panes.status.status_entries import StatusEntries, StatusEntry

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
BACKUP = BackupInfo("b.db", "/v/b.db", NOON - timedelta(hours=2), "daily", 2_000_000, 16)
EMPTY = VaultOverview(
    NOON, (), (), (), 0, 0, None, None, None, "static", 0, 0, 0, 0, has_model=False, spent=0.0, cap=0.0, work=(),
    paused_until=None, vault="/v", vault_bytes=1_000_000, free_bytes=50 << 30, disk_bytes=100 << 30,
)  # fmt: skip


def entry(found: VaultOverview, key: str) -> StatusEntry:
    return next(entry for entry in StatusEntries().entries(found, NOON) if entry.key == key)


def test_an_empty_vault_needs_nothing() -> None:
    entries = StatusEntries().entries(EMPTY, NOON)
    assert not any(entry.needs_attention for entry in entries)
    assert all(entry.text for entry in entries)
    assert not entry(EMPTY, "verified").enabled
    not_yet = [entry.not_yet for entry in entries if entry.not_yet]
    assert not_yet == ["there is no backup yet", "the vault was not checked yet"]
    assert "Nothing has left this computer" in entry(EMPTY, "network").text


def test_messages_that_were_not_searched_yet_are_named() -> None:
    report = HealthReport((), 3, 10, Growth(), unsearched=1_200)
    content = next(entry for entry in StatusEntries().entries(EMPTY, NOON, report) if entry.key == "content")
    assert content.text == (
        "Nothing stands out. About 1,200 messages are still to be searched for passwords: look again."
    )
    assert not content.needs_attention


def test_requests_to_this_machine_are_none_to_a_network() -> None:
    here = NetworkUse("localhost", "language model", 9, NOON, is_local=True)
    there = NetworkUse("api.example.com", "language model", 1, NOON, is_local=False)
    assert "Nothing has left" in entry(replace(EMPTY, network=(here,)), "network").text
    assert entry(replace(EMPTY, network=(there, here)), "network").text.startswith("1 request to api.example.com")
    many = tuple(replace(there, host=f"h{n}.org", requests=100) for n in range(5))
    assert "500 requests to h0.org, h1.org, h2.org and 2 more" in entry(replace(EMPTY, network=many), "network").text


@pytest.mark.parametrize(
    ("found", "key"),
    [
        (replace(EMPTY, last_backup=replace(BACKUP, created_at=NOON - timedelta(days=9)), backups=1), "backup"),
        (replace(EMPTY, verified=VerificationRecord(NOON, "b.db", ok=False, problem="It is cut off.")), "verified"),
        (replace(EMPTY, check=CheckRecord(NOON, ok=False, errors=3)), "check"),
        (replace(EMPTY, has_model=True, spent=9.0, cap=10.0), "spending"),
        (replace(EMPTY, free_bytes=1000), "disk"),
        (replace(EMPTY, waiting=2), "agents"),
        (replace(EMPTY, notes=("The model is missing.",)), "note-0"),
        (replace(EMPTY, work=(ScheduledWork("sch-1", "Decay", True, NOON, "failed"),)), "work-sch-1"),
    ],
)
def test_what_is_wrong_needs_a_look(found: VaultOverview, key: str) -> None:
    assert entry(found, key).needs_attention


def test_what_is_well_says_so() -> None:
    agents = tuple(ConnectedAgent(f"agt-{name}", name, "", NOON) for name in ("claude-code", "cursor"))
    verified = VerificationRecord(NOON, "b.db", ok=True)
    found = replace(
        EMPTY, agents=agents, last_backup=BACKUP, backups=3, verified=verified, check=CheckRecord(NOON, True, 0, 1),
        chunks=401, has_model=True, spent=0.5, cap=10.0,
        work=(ScheduledWork("sch-1", "Decay", True, NOON, "succeeded", "No fact faded.", NOON + timedelta(hours=3)),),
    )  # fmt: skip
    assert "claude-code, cursor" in entry(found, "agents").text
    assert "3 are kept" in entry(found, "backup").text
    assert entry(found, "verified").text.startswith("The newest backup was read back")
    assert "1 thing could be better" in entry(found, "check").text
    assert "401" in entry(found, "index").text
    assert entry(found, "spending").text == "0.50 of 10.00 spent this month."
    assert "No fact faded. Next:" in entry(found, "work-sch-1").text
    assert not any(entry.needs_attention or entry.not_yet for entry in StatusEntries().entries(found, NOON))
