"""``keepsake demo``: a sample vault with its searches, and the window or pictures of it."""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from app.cli.entry_points import RENDER, installed, open_window
from app.cli.hit_lines import found_lines
from app.cli.reports import size_words
from app.cli.sample_agents import add_agents, add_upkeep
from app.cli.terminal import is_styled
from app.core.paths import resources
from app.core.text import counted
from app.errors import InputError
from app.host import Host
from app.sentence import Sentence

Say = Callable[[str], None]

PARTS = ("conversations.jsonl", "memories.jsonl", "notes")
_SHOWN_HITS = 3


@dataclass(frozen=True, slots=True)
class Example:
    """A search worth showing: its query, and in ``shows`` what it demonstrates."""

    name: str
    query: str
    shows: str


def run_demo(vault: Path | None, out: Path, say: Say) -> None:
    """Fill a vault from the sample, search it, and show it.

    Args:
        vault: An empty folder to keep it in; a temporary one, removed at the end, when ``None``.
        out: Where the pictures go when there is no screen.
        say: Takes each line of the report.

    Raises:
        InputError: ``vault`` holds something.
    """
    with _folder(vault) as folder:
        host = Host(folder, serve=False)
        host.start()
        try:
            fill(host, say)
            for example in examples():
                show_search(host, example, say)
            if not has_screen():
                _draw(host, out, say)
        finally:
            host.stop()
        if has_screen():
            say(f"Opening the window on {folder}; close it to end the demo.")
            open_window(folder, [])


def fill(host: Host, say: Say) -> None:
    """Import the sample, let agents and upkeep work in it, and wait for search."""
    for part in PARTS:
        report = host.ask("exchange.import", path=str(resources() / "sample" / part))
        say(
            f"Imported {part}: {counted(report.sessions, 'conversation')}, {counted(report.messages, 'message')},"
            f" {counted(report.memories, 'note or fact', 'notes and facts')} in {report.seconds:.2f} s."
        )
    add_upkeep(host)
    add_agents(host)
    host.ask("vault.settle")
    goals = [schedule for schedule in host.ask("schedule.search", limit=100).schedules if not schedule.is_built_in]
    say(
        f"Added {len(host.ask('agent.list'))} agents and {len(goals)} goals; {host.ask('inbox.count')} proposals wait "
        "in the inbox."
    )
    stats = host.ask("memory.stats")
    say(
        f"The vault holds {stats.messages:,} messages and {stats.memories:,} notes and facts: "
        f"{stats.embedded:,} of {stats.chunks:,} texts indexed by meaning, {size_words(stats.disk_bytes)}."
    )


def examples() -> list[Example]:
    """Return the searches that come with the sample."""
    return msgspec.json.decode((resources() / "sample" / "searches.json").read_bytes(), type=list[Example])


def show_search(host: Host, example: Example, say: Say) -> None:
    """Search and say the first hits with their reasons."""
    result = host.ask("memory.search", query=example.query, limit=_SHOWN_HITS)
    spent = sum(result.milliseconds.values())
    say("")
    say(f"{example.name}: {example.query}   ({spent:.0f} ms)")
    say(example.shows)
    for line in found_lines(result, 1, styled=is_styled()):
        say(line)


def has_screen() -> bool:
    """Return whether a window could be shown."""
    if not sys.platform.startswith("linux"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _draw(host: Host, out: Path, say: Say) -> None:
    say("")
    say(f"There is no screen, so the window is drawn into {out}:")
    paths: list[Path] = installed(RENDER)(host, out, examples()[0].query)
    for path in paths:
        say(str(path))


@contextmanager
def _folder(vault: Path | None) -> Iterator[Path]:
    if vault is None:
        with tempfile.TemporaryDirectory(prefix="keepsake-demo-") as folder:
            yield Path(folder) / "vault"
        return
    if vault.exists() and (not vault.is_dir() or any(vault.iterdir())):
        raise InputError(
            Sentence("{vault} is not an empty folder; name another, or leave --vault out.", vault=vault),
            path=str(vault),
        )
    yield vault
