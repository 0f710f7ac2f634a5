"""Upgrade of a vault whose history has long states of memories as text."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw

from app.host import Host
from app.store.connection import open_writer
from app.store.store import DATABASE
from tests.helpers.earlier_vaults import vault_before

LONG = "Herons stand in the reeds, 东京. " * 200
STATES = [
    ("memory", "note-long", None, {"title": "Long", "content": LONG}),
    ("memory", "note-long", {"title": "Long", "content": LONG}, {"title": "Long", "content": LONG + "They fly."}),
    ("memory", "note-long", {"title": "Long", "content": LONG + "They fly."}, None),
    ("memory", "note-short", None, {"title": "", "content": "A heron"}),
    ("session", "s", None, {"summary": LONG}),
]
_STATES = "SELECT {}, {} FROM memory_history ORDER BY id"


def dumped(state: dict[str, Any] | None) -> str | None:
    return None if state is None else json.dumps(state, ensure_ascii=False)


def test_states_are_packed_and_say_the_same(tmp_path: Path) -> None:
    older = tmp_path / "older"
    with vault_before("packed_states", older) as connection:
        for kind, target, before, after in STATES:
            connection.execute(
                "INSERT INTO memory_history (target_kind, target, event, before, after, actor, at)"
                " VALUES (?, ?, 'UPDATE', ?, ?, 'user', 1)",
                (kind, target, dumped(before), dumped(after)),
            )
    host = Host(older, serve=False, overrides={"embedding.model": "hashed", "backup.daily": False})
    host.start()
    host.stop()
    with closing(open_writer(older / DATABASE)) as connection:
        said = connection.execute(_STATES.format("state_json(before)", "state_json(after)")).fetchall()
        assert said == [(dumped(before), dumped(after)) for _, _, before, after in STATES]
        assert connection.execute(_STATES.format("typeof(before)", "typeof(after)")).fetchall() == [
            ("null", "blob"),
            ("blob", "blob"),
            ("blob", "null"),
            ("null", "text"),
            ("null", "text"),
        ]
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    with closing(apsw.Connection(str(older / DATABASE))) as plain:
        assert plain.execute("PRAGMA quick_check").fetchall() == [("ok",)]
