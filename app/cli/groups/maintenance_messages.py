"""Messages about checks, repairs, backups and salvaged vaults."""

from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.reports import check_lines, size_words
from app.cli.terminal import printable
from app.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.recovery.model import SalvagedTable, SalvageReport
    from app.upkeep.model import BackupCheck, BackupInfo, RepairReport

__all__ = ["backup_lines", "backup_words", "check_lines", "damage_lines", "has_losses", "repair_lines", "restore_lines"]

# Tables as a person knows them; of the others only a loss is shown.
_NAMES = {
    "sessions": ("conversation", "conversations"),
    "messages": ("message", "messages"),
    "memories": ("note or fact", "notes and facts"),
    "memory_history": ("entry of the history", "entries of the history"),
    "entities": ("person or thing", "people and things"),
    "memory_tags": ("tag", "tags"),
    "memory_links": ("link", "links"),
}


def repair_lines(report: "RepairReport") -> list[str]:
    """Return lines about a repair."""
    lines = [f"repaired: {printable(what)}" for what in report.mended]
    for finding in report.left:
        lines += [f"{finding.severity}: {finding.area}: {printable(finding.what)}", f"  {printable(finding.remedy)}"]
    nothing = "" if report.mended else "There was nothing to repair. "
    return [*lines, nothing + ("The vault is sound." if report.ok else "The vault still has errors.")]


def damage_lines(why: str, backups: "Sequence[BackupInfo]", *, is_closed: bool) -> list[str]:
    """Return lines about a damaged vault and the remedy."""
    lines = [f"error: database: {printable(why)}"]
    sound = [item for item in backups if (item.schema or item.is_locked) and not item.is_damaged_original]
    if sound:
        lines.append(f"  The newest backup is {_when(sound[0])}: keepsake restore {sound[0].name}")
    else:
        lines.append("  There is no backup.")
    return [*lines, "The vault cannot be opened." if is_closed else "The vault has errors."]


def backup_lines(backups: "Sequence[BackupInfo]", vault: Path) -> list[str]:
    """Return the backups, one on a line."""
    if not backups:
        return [f"There are no backups in {printable(str(vault / 'backups'))}."]
    return [_backup_line(item) for item in backups]


def _backup_line(item: "BackupInfo") -> str:
    remark = ""
    if item.is_damaged_original:
        remark = "  (files of a damaged database; for 'keepsake salvage')"
    elif not item.schema and not item.is_locked:
        remark = "  (cannot be read)"
    return f"{_when(item)}  {item.reason:<16}  {size_words(item.bytes):>8}  {printable(item.name)}{remark}"


def backup_words(check: "BackupCheck") -> str:
    """Return a sentence about a verified backup."""
    name = printable(check.name)
    if not check.ok:
        return f"{name} cannot be restored: {printable(check.problem)}"
    newest = f", the newest from {check.newest_at.astimezone():%Y-%m-%d %H:%M}" if check.newest_at else ""
    held = f"{counted(check.sessions, 'conversation')} with {counted(check.messages, 'message')}"
    return f"{name} is whole: {held}, and {counted(check.memories, 'note or fact', 'notes and facts')}{newest}."


def restore_lines(check: "BackupCheck", before: Path | None) -> list[str]:
    """Return lines about a restore."""
    lines = [backup_words(check), "It is now the vault."]
    if before is None:
        return lines
    place = "What was there is kept as" if before.suffix == ".db" else "The damaged files that were there are kept in"
    return [*lines, f"{place} {printable(str(before))}."]


def salvage_lines(report: "SalvageReport") -> list[str]:
    """Return lines about a salvage and the next steps."""
    shown = [item for item in report.tables if item.name in _NAMES or _lost(item)]
    order = [*_NAMES]
    shown.sort(key=lambda item: order.index(item.name) if item.name in order else len(order))
    unread = [item.name for item in shown if item.name not in _NAMES and not item.kept and item.lost is None]
    lines = [f"Saved of {printable(report.source)}:"]
    lines += [_table_line(item) for item in shown if item.name not in unread]
    if unread:
        lines.append(f"  nothing of {', '.join(unread)}, if there was anything")
    if report.found_again:
        lines.append(
            f"{counted(report.found_again, 'row')} of these came from pages outside every table; deleted content may be"
            " among them."
        )
    if report.regained:
        lines.append(
            f"{counted(report.regained, 'row')} of these were recovered from the search index and the history, with"
            " their text but without some details."
        )
    if report.sessions_made:
        lines.append(f"{counted(report.sessions_made, 'conversation')} had lost its details and got a new title.")
    if report.attachments_lost:
        names = ", ".join(map(printable, report.attachments_lost))
        lines.append(f"{counted(len(report.attachments_lost), 'attachment')} could not be read: {names}.")
    if not has_losses(report):
        lines.append("Nothing was lost.")
    return [
        *lines,
        f"The new vault is {printable(report.into)}; the damaged one is as it was.",
        f"  Look at it:    keepsake --vault {printable(report.into)}",
        f"  Use it again:  keepsake --vault {printable(report.source)} restore {printable(report.into)}",
    ]


def has_losses(report: "SalvageReport") -> bool:
    """Return whether something was lost in a salvage."""
    return report.regained > 0 or bool(report.attachments_lost) or any(_lost(item) for item in report.tables)


def _lost(item: "SalvagedTable") -> bool:
    return bool(item.lost or item.refused or (item.lost is None and item.broken_pages))


def _table_line(item: "SalvagedTable") -> str:
    what = counted(item.kept, *_NAMES.get(item.name, (f"row of {item.name}", f"rows of {item.name}")))
    lost = f"{item.lost:,} lost" if item.lost else ""
    unknown = "an unknown number lost" if item.lost is None and item.broken_pages else ""
    refused = f"{item.refused:,} left out" if item.refused else ""
    losses = ", ".join(filter(None, (lost, unknown, refused)))
    return f"  {what}" + (f"  ({losses})" if losses else "")


def _when(item: "BackupInfo") -> str:
    return f"{item.created_at.astimezone():%Y-%m-%d %H:%M}"
