"""Vaults to draw: the sample, and a large one that is kept."""

import random
import shutil
import subprocess
import sys
from pathlib import Path

from app.cli.demo import fill
from app.host import Host

_NAMED_NOTES = 600
_FIRST = ("Anna", "Bram", "Clara", "David", "Elena", "Felix", "Greta", "Hugo", "Ines", "Jonas", "Karin", "Lukas")
_LAST = ("Meyer", "Dubois", "Rossi", "Novak", "Jansen", "Keller", "Larsen", "Moreau", "Weber", "Fischer", "Costa")
_TOWNS = ("Paris", "Berlin", "Vienna", "Madrid", "Lisbon", "Dublin")
SMALL_SHARE = 20
"""One note for so many messages in the large vault."""


def make_sample(vault: Path) -> None:
    """Fill ``vault`` with the sample, as ``keepsake demo`` does."""
    host = Host(vault, serve=False)
    host.start()
    try:
        fill(host, _say_nothing)
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
