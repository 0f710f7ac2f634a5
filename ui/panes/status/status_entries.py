"""Entries of the status page: each a state in one sentence, with one action."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QLocale, QObject

from ui.engine_texts import engine_report, engine_text
from ui.models.dates import counted, format_number, full_date, short_date
from ui.panes.schedule.run_labels import coming, state_badge

if TYPE_CHECKING:
    from app.upkeep.health.model import HealthReport
    from app.upkeep.overview.model import ScheduledWork, VaultOverview

STALE_BACKUP: Final = timedelta(days=3)
LITTLE_SPACE: Final = 1 << 30
_NEAR_CAP: Final = 0.8
_MOST_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class StatusEntry:
    """One line of the status page.

    Args:
        key: What it is about.
        section: The key of the section it stands in.
        icon: Its icon.
        tint: The token of the icon's colour: ``success``, ``muted``, ``accent``, ``warning`` or ``danger``.
        title: What it is about, in words.
        text: The state, in a sentence.
        action: The words of its one action, ``""`` for none.
        enabled: Whether that can be done now.
        not_yet: What has not happened yet, in words that follow others; ``""`` for nothing.
    """

    key: str
    section: str
    icon: str
    tint: str
    title: str
    text: str
    action: str = ""
    enabled: bool = True
    not_yet: str = ""

    @property
    def needs_attention(self) -> bool:
        """Return whether a person should do something about it."""
        return self.tint in ("warning", "danger")


class StatusEntries(QObject):
    """Puts the overview of a vault into words."""

    def entries(
        self, overview: "VaultOverview", now: datetime, health: "HealthReport | None" = None
    ) -> list[StatusEntry]:
        """Return the lines of the page, in their order.

        Args:
            overview: The vault.
            now: The time.
            health: What was found when its content was looked through, ``None`` where it was not.
        """
        return [
            *self._troubles(overview),
            self._network(overview, now),
            self._services(overview),
            self._agents(overview),
            self._backup(overview, now),
            self._verified(overview, now),
            self._check(overview, now),
            self._content(health),
            self._index(overview),
            self._disk(overview),
            self._spending(overview),
            *(self._work(work, now) for work in overview.work),
        ]

    def _troubles(self, overview: "VaultOverview") -> list[StatusEntry]:
        notes = ([overview.read_only] if overview.read_only else []) + list(overview.notes)
        return [
            StatusEntry(
                f"note-{at}", "trouble", "triangle-alert", "warning", self.tr("Please look at this"), engine_text(note)
            )
            for at, note in enumerate(notes)
        ]

    def _network(self, overview: "VaultOverview", now: datetime) -> StatusEntry:
        outside = [use for use in overview.network if not use.is_local]
        base = StatusEntry(
            "network", "privacy", "plug", "success", self.tr("Network"), "", self.tr("Privacy settings…")
        )
        if not outside:
            words = self.tr("Nothing has left this computer since Keepsake was started ({when}).")
            return replace(base, text=words.format(when=short_date(overview.since, now)))
        count = sum(use.requests for use in outside)
        hosts = self._joined(sorted({use.host for use in outside}))
        last = max(use.last_at for use in outside)
        words = (
            self.tr("1 request to {hosts} since {since}, at {last}.")
            if count == 1
            else self.tr("{n} requests to {hosts} since {since}, the last {last}.")
        )
        text = words.format(
            n=format_number(count), hosts=hosts, since=short_date(overview.since, now), last=short_date(last, now)
        )
        return replace(base, tint="accent", text=text)

    def _services(self, overview: "VaultOverview") -> StatusEntry:
        if overview.services:
            text = self.tr("Your settings let Keepsake use {hosts}.").format(hosts=self._joined(overview.services))
        elif overview.has_model:
            text = self.tr("The language model runs on this computer, and so does the search.")
        else:
            text = self.tr("No remote service is set up; everything is computed here.")
        tint = "accent" if overview.services else "success"
        return StatusEntry(
            "services", "privacy", "external-link", tint, self.tr("Remote services"), text, self.tr("Open settings…")
        )

    def _agents(self, overview: "VaultOverview") -> StatusEntry:
        names = [agent.name for agent in overview.agents]
        if not names:
            text = self.tr("No agent is connected now.")
        elif len(names) == 1:
            text = self.tr("{names} is connected now.").format(names=names[0])
        else:
            text = self.tr("{n} are connected now: {names}.").format(n=len(names), names=self._joined(names))
        if overview.waiting:
            waiting = self.tr("1 program waits to be let in.")
            if overview.waiting > 1:
                waiting = self.tr("{n} programs wait to be let in.").format(n=overview.waiting)
            text = f"{text} {waiting}"
        tint = "warning" if overview.waiting else "accent" if names else "muted"
        return StatusEntry("agents", "privacy", "bot", tint, self.tr("Agents"), text, self.tr("Open agents"))

    def _backup(self, overview: "VaultOverview", now: datetime) -> StatusEntry:
        base = StatusEntry(
            "backup",
            "safety",
            "archive",
            "muted",
            self.tr("Backup"),
            "",
            self.tr("Back up now"),
            not overview.read_only,
        )
        last = overview.last_backup
        if last is None:
            text = self.tr("There is no backup yet. One is made each day once something changed.")
            return replace(base, text=text, not_yet=self.tr("there is no backup yet"))
        count = self.tr("It is the only one.") if overview.backups == 1 else self.tr("{n} are kept.")
        words = self.tr("The last one is of {when} ({size}).").format(
            when=full_date(last.created_at), size=_size(last.bytes)
        )
        is_old = now - last.created_at > STALE_BACKUP
        text = f"{words} {count.format(n=format_number(overview.backups))}"
        return replace(base, text=text, tint="warning" if is_old else "success")

    def _verified(self, overview: "VaultOverview", now: datetime) -> StatusEntry:
        base = StatusEntry(
            "verified",
            "safety",
            "archive-restore",
            "muted",
            self.tr("Backup read back"),
            self.tr("No backup has been read back yet. Verifying proves that one can be restored."),
            self.tr("Verify"),
            overview.last_backup is not None,
        )
        last = overview.verified
        if last is None:
            return base
        when = short_date(last.at, now)
        if not last.ok:
            text = self.tr("The backup that was read back ({when}) cannot be restored. {problem}")
            return replace(base, tint="danger", text=text.format(when=when, problem=engine_text(last.problem)))
        is_newest = overview.last_backup is not None and overview.last_backup.name == last.name
        text = (
            self.tr("The newest backup was read back and is whole ({when}).")
            if is_newest
            else self.tr("An earlier backup was read back and is whole ({when}).")
        )
        return replace(base, tint="success", text=text.format(when=when))

    def _check(self, overview: "VaultOverview", now: datetime) -> StatusEntry:
        base = StatusEntry(
            "check",
            "safety",
            "shield-check",
            "muted",
            self.tr("Vault"),
            self.tr("It has not been checked yet. A check reads everything and changes nothing."),
            self.tr("Check now"),
        )
        last = overview.check
        if last is None:
            return replace(base, not_yet=self.tr("the vault was not checked yet"))
        when = short_date(last.at, now)
        if not last.ok:
            errors = counted(last.errors, self.tr("1 error"), self.tr("{n} errors"))
            text = self.tr("The last check ({when}) found {errors}. Repair the vault, or restore a backup.")
            return replace(base, tint="danger", text=text.format(when=when, errors=errors))
        text = self.tr("It was checked and is sound ({when}).").format(when=when)
        if last.warnings == 1:
            text += " " + self.tr("1 thing could be better.")
        elif last.warnings:
            text += " " + self.tr("{n} things could be better.").format(n=format_number(last.warnings))
        return replace(base, tint="success", text=text)

    def _content(self, health: "HealthReport | None") -> StatusEntry:
        base = StatusEntry(
            "content",
            "safety",
            "list-checks",
            "muted",
            self.tr("Content"),
            self.tr("Looking through it finds repeated and contradicting memories, and passwords. It changes nothing."),
            self.tr("Look through"),
        )
        if health is None:
            return base
        findings = [finding for finding in health.findings if finding.id != "growth"]
        parts = [engine_text(finding.title) for finding in findings] or [self.tr("Nothing stands out.")]
        if health.unsearched:
            single = self.tr("About 1 message is still to be searched for passwords: look again.")
            many = self.tr("About {n} messages are still to be searched for passwords: look again.")
            parts.append(counted(health.unsearched, single, many))
        is_urgent = any(finding.severity == "error" for finding in findings)
        tint = "warning" if is_urgent else "accent" if findings or health.unsearched else "success"
        return replace(base, tint=tint, text=" ".join(parts), action=self.tr("Look again"))

    def _index(self, overview: "VaultOverview") -> StatusEntry:
        parts = []
        if overview.pending:
            single = self.tr("1 piece of text waits for the index.")
            parts.append(counted(overview.pending, single, self.tr("{n} pieces of text wait for the index.")))
        if overview.names:
            single = self.tr("1 text waits to be read for names.")
            parts.append(counted(overview.names, single, self.tr("{n} texts wait to be read for names.")))
        if not overview.chunks:
            parts.append(self.tr("Complete: there is nothing to search yet."))
        elif not parts:
            single = self.tr("Complete: 1 piece of text can be found by words and by meaning.")
            many = self.tr("Complete: {n} pieces of text can be found by words and by meaning.")
            parts.append(counted(overview.chunks - overview.withheld, single, many))
        if overview.withheld:
            single = self.tr("1 private one is found by its words only.")
            parts.append(counted(overview.withheld, single, self.tr("{n} private ones are found by their words only.")))
        tint = "accent" if overview.pending or overview.names else "success"
        title = self.tr("Search index")
        return StatusEntry("index", "work", "search", tint, title, " ".join(parts), self.tr("Search models…"))

    def _spending(self, overview: "VaultOverview") -> StatusEntry:
        base = StatusEntry(
            "spending", "room", "coins", "muted", self.tr("Language model"), "", self.tr("Open settings…")
        )
        spent, cap = QLocale().toString(overview.spent, "f", 2), QLocale().toString(overview.cap, "f", 2)
        if not overview.has_model:
            return replace(base, text=self.tr("None is set up, so nothing is spent."))
        if not overview.cap:
            return replace(base, text=self.tr("{spent} spent this month; there is no limit.").format(spent=spent))
        text = self.tr("{spent} of {cap} spent this month.").format(spent=spent, cap=cap)
        return replace(base, text=text, tint="warning" if overview.spent >= _NEAR_CAP * overview.cap else "success")

    def _disk(self, overview: "VaultOverview") -> StatusEntry:
        text = self.tr("The vault takes {size}; {free} of {disk} are free.").format(
            size=_size(overview.vault_bytes), free=_size(overview.free_bytes), disk=_size(overview.disk_bytes)
        )
        is_full = overview.free_bytes < max(LITTLE_SPACE, 2 * overview.vault_bytes)
        tint = "warning" if is_full else "success"
        return StatusEntry("disk", "room", "hard-drive", tint, self.tr("Disk"), text, self.tr("Open folder"))

    def _work(self, work: "ScheduledWork", now: datetime) -> StatusEntry:
        if work.last_at is None:
            icon_name, tint, parts = "clock", "muted", [self.tr("Not run yet.")]
        else:
            badge = state_badge(work.last_status)
            icon_name = badge.icon
            tint = {"good": "success", "bad": "danger", "warn": "warning"}.get(badge.tone, "muted")
            parts = [self.tr("{state}, {when}.").format(state=badge.text, when=short_date(work.last_at, now))]
            if work.summary:
                parts.append(engine_report(work.summary).strip().splitlines()[0])
        if not work.is_on:
            parts.append(self.tr("It is switched off."))
        elif work.next_at is not None:
            words = self.tr("It is due now.") if work.next_at <= now else self.tr("Next: {when}.")
            parts.append(words.format(when=coming(work.next_at, now)))
        text = " ".join(parts)
        return StatusEntry(f"work-{work.id}", "jobs", icon_name, tint, engine_text(work.name), text, self.tr("Run now"))

    def _joined(self, names: "list[str] | tuple[str, ...]") -> str:
        if len(names) <= _MOST_NAMED:
            return ", ".join(names)
        shown = ", ".join(names[:_MOST_NAMED])
        return self.tr("{names} and {n} more").format(names=shown, n=len(names) - _MOST_NAMED)


def _size(count: int) -> str:
    """Return a size as a person says it."""
    return QLocale().formattedDataSize(count, 1, QLocale.DataSizeFormat.DataSizeTraditionalFormat)
