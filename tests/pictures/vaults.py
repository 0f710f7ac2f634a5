"""Vaults to draw: an empty one, the sample with the work of agents in it, and a large one that is kept."""

import random
import shutil
import subprocess
import sys
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from app.api.caller import Caller
from app.cli.demo import fill
from app.errors import KeepsakeError
from app.host import Host

_NAMED_NOTES = 600
_FIRST = ("Anna", "Bram", "Clara", "David", "Elena", "Felix", "Greta", "Hugo", "Ines", "Jonas", "Karin", "Lukas")
_LAST = ("Meyer", "Dubois", "Rossi", "Novak", "Jansen", "Keller", "Larsen", "Moreau", "Weber", "Fischer", "Costa")
_TOWNS = ("Paris", "Berlin", "Vienna", "Madrid", "Lisbon", "Dublin")
SMALL_SHARE = 20
"""One note for so many messages in the large vault."""


def make_sample(vault: Path) -> None:
    """Fill ``vault`` with the sample, and with agents, schedules and proposals."""
    host = Host(vault, serve=False)
    host.start()
    try:
        fill(host, _say_nothing)
        _add_agents(host)
        _add_schedules(host)
        host.ask("session.scratchpad.write", session="ses-sample-orchard-survey", items=["Measure T17 again"])
        host.ask("session.summary.roll", session="ses-sample-orchard-survey", force=True)
        host.ask("backup.now")
        host.ask("vault.settle", names=True)
        for job in ("enrichment", "housekeeping", "consolidation"):
            with suppress(KeepsakeError):
                host.ask("upkeep.run", job=job)
    finally:
        host.stop()


def make_large(vault: Path, messages: int, cache: Path) -> None:
    """Copy a vault of so many messages to ``vault``; it is made once and kept in ``cache``."""
    kept = cache / f"vault-{messages}"
    if not kept.exists():
        made = cache / f"vault-{messages}.part"
        shutil.rmtree(made, ignore_errors=True)
        cache.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "tests.bench.window.vault_filler", str(made), str(messages)]
        subprocess.run([*command, str(max(1, messages // SMALL_SHARE))], check=True, timeout=3600)
        _add_names(made)
        made.rename(kept)
    shutil.copytree(kept, vault)


def _add_names(vault: Path) -> None:
    """Write notes about people who know one another, for the graph."""
    choose = random.Random(5)
    people = [f"{first} {last}" for first in _FIRST for last in _LAST]
    host = Host(vault, serve=False, overrides={"backup.daily": False})
    host.start()
    try:
        for number in range(_NAMED_NOTES):
            at = choose.randrange(len(people))
            known = [people[(at + choose.randrange(9)) % len(people)] for _ in range(2)]
            words = f"{people[at]} met {known[0]} and {known[1]} in {choose.choice(_TOWNS)}."
            host.ask("note.save", title=f"Meeting {number}", content=words)
        host.ask("vault.settle", names=True)
    finally:
        host.stop()


def _say_nothing(_line: str) -> None:
    """The figures of the import belong to the demo."""


def _add_agents(host: Host) -> None:
    for name, trust, review in (
        ("claude-code", "full", True),
        ("cursor", "inner", False),
        ("scout", "familiar", False),
    ):
        host.ask("agent.add", name=name, trust=trust, review=review)
    host.ask("agent.trust", name="cursor", paused=True)
    note = host.ask("note.save", title="Roses for the east wall", content="Two climbing roses\nand a trellis.")
    claude = Caller("claude-code", "full", review=True)
    proposals = (
        ("note.save", {"title": "Spring plan", "content": "# Plan\n\nPlant in March, water daily.\n- trellis\n- soil"}),
        (
            "note.update",
            {
                "id": note.id,
                "version": note.version,
                "content": "Three climbing roses\nand a trellis.\nAsk Ines about the soil.",
            },
        ),
        ("fact.remember", {"content": "The board meeting is at 17:00 on 19 October.", "category": "work"}),
    )
    for name, arguments in proposals:
        host.call(name, arguments, claude).result()
    for query in ("What did Dr. Brennan find in the soil?", "weep holes", "board meeting"):
        host.call("memory.search", {"query": query}, claude).result()


def _add_schedules(host: Host) -> None:
    zone = "Europe/Brussels"
    soon = (datetime.now(UTC) + timedelta(days=2)).isoformat()
    for goal, cadence in (
        ("Sum up the week in the orchard", {"kind": "cron", "expression": "0 18 * * fri", "zone": zone}),
        ("Remind me of what I promised to Ines", {"kind": "cron", "expression": "30 8 * * mon-fri", "zone": zone}),
        ("Look for a supplier of old apple varieties", {"kind": "once", "at": soon}),
    ):
        host.ask("schedule.create", goal=goal, cadence=cadence)
