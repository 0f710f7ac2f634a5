"""Pages of a vault whose database is damaged: each says what helps in the window."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest
from PySide6.QtWidgets import QLabel

from app.host import Host
from app.store.store import DATABASE
from tests.helpers.guards.unexpected_logs import AllowLogs
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.conftest import OpenPane

TABLES = ("memories", "entities", "entity_mentions", "sessions", "schedules", "memory_history")


def _damage(database: Path) -> None:
    """Overwrite the first page of the tables that pages read."""
    with closing(apsw.Connection(str(database))) as connection:
        size = int(connection.pragma("page_size"))
        roots = [row[0] for row in connection.execute("SELECT name, rootpage FROM sqlite_schema") if row[0] in TABLES]
        places = dict(connection.execute("SELECT name, rootpage FROM sqlite_schema"))
    with database.open("r+b") as file:
        for name in roots:
            file.seek((places[name] - 1) * size)
            file.write(b"\xff" * size)


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    """Run a host on a vault that was damaged while it was closed."""
    host = Host(vault)
    host.start()
    host.ask("note.save", content="Ana Lopez met Ben Kowalski in Berlin.", title="Note")
    host.ask("session.append", session="s", messages=[{"role": "user", "content": "Ana Lopez came."}])
    host.ask("vault.settle")
    host.stop()
    _damage(vault / DATABASE)
    running = Host(vault)
    running.start()
    yield running
    running.stop()


def _words_of(pane: Any) -> str:
    """Return what a page and its notices say."""
    labels = [label.text() for label in pane.findChildren(QLabel)]
    return " ".join([*labels, *(notice.text for notice in pane.emitted.notices)])


@pytest.mark.parametrize("name", ["graph", "notes", "sessions", "schedule", "search", "status"])
def test_a_page_that_cannot_be_read_says_what_helps(
    name: str, open_pane: OpenPane, rest: Rest, allow_logs: AllowLogs
) -> None:
    allow_logs("damaged")
    pane: Any = open_pane(name)
    if name == "search":
        pane.box.setText("lopez")
    rest(lambda: "Check now" in _words_of(pane))
    assert "keepsake check" not in _words_of(pane)
