"""Messages about checks, repairs, backups and salvaged vaults."""

from datetime import UTC, datetime
from pathlib import Path

from app.cli.groups.maintenance_messages import (
    backup_lines,
    backup_words,
    damage_lines,
    has_losses,
    repair_lines,
    restore_lines,
    salvage_lines,
)
from app.recovery.model import SalvagedTable, SalvageReport
from app.upkeep.model import BackupCheck, BackupInfo, Finding, RepairReport

WHEN = datetime(2026, 11, 21, 3, 30, tzinfo=UTC)
BACKUP = BackupInfo("a-daily.db", "/v/backups/a-daily.db", WHEN, "daily", 1_500_000, 1)
ORIGINAL = BackupInfo("a-before-restore", "/v/backups/a-before-restore", WHEN, "before-restore", 10, 0, True)
WHOLE = BackupCheck("a.db", True, "", "id", 1, 1, 2, 1, None)


def report(*tables: SalvagedTable, found_again: int = 0, regained: int = 0, sessions_made: int = 0) -> SalvageReport:
    return SalvageReport("/v", "/n", tables, 1, found_again, regained, sessions_made)


def test_backups_are_lines() -> None:
    unreadable = BackupInfo("x\x1b.db", "/v/x.db", WHEN, "unknown", 0, 0)
    assert backup_lines([], Path("/v")) == ["There are no backups in /v/backups."]
    first, second, third = backup_lines([BACKUP, ORIGINAL, unreadable], Path("/v"))
    assert first.endswith("  daily               1.5 MB  a-daily.db")
    assert "for 'keepsake salvage'" in second
    assert third.endswith("x.db  (cannot be read)")


def test_what_a_backup_holds() -> None:
    assert backup_words(WHOLE) == "a.db is whole: 1 conversation with 2 messages, and 1 note or fact."
    broken = BackupCheck("a.db", False, "It is damaged.", "", 0, 0, 0, 0, None)
    assert backup_words(broken) == "a.db cannot be restored: It is damaged."


def test_what_a_restore_did() -> None:
    assert restore_lines(WHOLE, None)[1:] == ["It is now the vault."]
    assert restore_lines(WHOLE, Path("/v/b.db"))[2] == "What was there is kept as /v/b.db."
    assert restore_lines(WHOLE, Path("/v/b"))[2] == "The damaged files that were there are kept in /v/b."


def test_what_to_do_about_damage() -> None:
    assert damage_lines("Broken.", [ORIGINAL], is_closed=True) == [
        "error: database: Broken.",
        "  There is no backup.",
        "The vault cannot be opened.",
    ]
    assert damage_lines("Broken.", [ORIGINAL, BACKUP], is_closed=False)[1].endswith("keepsake restore a-daily.db")


def test_what_a_repair_did() -> None:
    assert repair_lines(RepairReport(True, (), ())) == ["There was nothing to repair. The vault is sound."]
    left = Finding("settings", "warning", "Odd.", "Look.")
    assert repair_lines(RepairReport(True, ("Counted.",), (left,))) == [
        "repaired: Counted.",
        "warning: settings: Odd.",
        "  Look.",
        "The vault is sound.",
    ]


def test_what_was_saved() -> None:
    whole = report(SalvagedTable("messages", 2, 0, 0, 0), SalvagedTable("audit", 5, None, 0, 0))
    assert not has_losses(whole)
    assert salvage_lines(whole)[:3] == ["Saved of /v:", "  2 messages", "Nothing was lost."]
    partly = report(
        SalvagedTable("audit", 1, None, 2, 0),
        SalvagedTable("inbox", 0, None, 1, 0),
        SalvagedTable("memories", 1, 3, 1, 2),
        found_again=1,
        regained=2,
        sessions_made=1,
    )
    assert has_losses(partly)
    lines = salvage_lines(partly)
    assert lines[1:4] == [
        "  1 note or fact  (3 lost, 2 left out)",
        "  1 row of audit  (an unknown number lost)",
        "  nothing of inbox, if there was anything",
    ]
    assert lines[4].startswith("1 row of these came from")
    assert lines[5].startswith("2 rows of these were recovered")
    assert lines[6].startswith("1 conversation had lost")
    assert "Nothing was lost." not in lines
    assert lines[-1].endswith("keepsake --vault /v restore /n")
