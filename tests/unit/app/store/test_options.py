"""Options of the database, and the trace of its work."""

import asyncio
import json
from pathlib import Path
from typing import Any

import apsw
import pytest

from app.core.paths import migrations
from app.errors import InternalError, VaultLockedError
from app.store.options import StoreOptions
from app.store.store import DATABASE, Store
from app.trace.trace import Trace


def mode(connection: apsw.Connection) -> str:
    return str(connection.pragma("journal_mode"))


def add(connection: apsw.Connection) -> None:
    connection.execute("INSERT INTO meta VALUES ('color', 'ultraviolet')")


def refused(connection: apsw.Connection) -> None:
    connection.execute("INSERT INTO meta SELECT 'ultraviolet', NULL")


def test_vault_works_without_a_write_ahead_log(tmp_path: Path) -> None:
    for is_wal, expected in ((True, "wal"), (False, "delete"), (True, "wal")):
        store = Store.open(tmp_path, migrations(), options=StoreOptions(is_wal=is_wal))
        asyncio.run(store.write(lambda connection: connection.execute("DELETE FROM meta WHERE key = 'color'").get))
        asyncio.run(store.write(add))
        assert asyncio.run(store.read(mode)) == expected
        assert asyncio.run(store.back_up("test")).is_file()
        found = asyncio.run(
            store.read(lambda connection: connection.execute("SELECT 1 FROM meta WHERE key='color'").get)
        )
        assert found == 1
        store.close()


def test_another_program_is_waited_for_as_long_as_is_said(tmp_path: Path) -> None:
    store = Store.open(tmp_path, migrations(), options=StoreOptions(busy_ms=1))
    other = apsw.Connection(str(tmp_path / DATABASE))
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(VaultLockedError):
        asyncio.run(store.write(add))
    other.close()
    asyncio.run(store.write(add))
    store.close()


def test_trace_names_writes_steps_and_copies_without_values(tmp_path: Path) -> None:
    trace = Trace(tmp_path / "trace")
    store = Store.open(tmp_path / "vault", migrations(), options=StoreOptions(trace=trace))
    asyncio.run(store.write(add))
    with pytest.raises(InternalError):
        asyncio.run(store.write(refused))
    asyncio.run(store.back_up("test"))
    store.close()
    trace.close()
    text = (tmp_path / "trace" / "trace.jsonl").read_text()
    events: dict[str, list[dict[str, Any]]] = {}
    for line in text.splitlines():
        events.setdefault(json.loads(line)["event"], []).append(json.loads(line))
    assert (events["store.migration"][0]["before"], events["store.migration"][0]["after"]) == (0, 1)
    done, failed = events["store.write"]
    # The first change begins a lane, which is two rows more.
    assert (done["work"], done["rows"], done["is_done"]) == ("add", 3, True)
    assert (failed["work"], failed["is_done"]) == ("refused", False)
    assert done["ms"] >= 0 <= done["waited_ms"]
    assert events["store.backup"][0]["bytes"] > 0
    assert "ultraviolet" not in text
