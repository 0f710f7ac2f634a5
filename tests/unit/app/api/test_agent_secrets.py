"""Keys and passwords in what an agent writes are not stored, whichever operation takes them."""

from pathlib import Path
from typing import Any

import pytest

from app.api.caller import Caller
from app.api.catalogue import declared
from app.host import Host

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
TEXT = f"GitHub token for CI is {TOKEN}"
SCOUT = Caller("scout", "full", agent_id="agt-1")
CALLS: dict[str, dict[str, Any]] = {
    "memory.write": {"content": TEXT, "facts": [TEXT], "title": TEXT, "attributes": {"note": TEXT}},
    "note.save": {"content": TEXT, "attributes": {"token": TOKEN}},
    "fact.remember": {"content": TEXT},
    "fact.set": {"category": "ci", "key": "token", "value": TEXT},
    "fact.batch": {"facts": [{"content": TEXT}]},
    "reflection.save": {"content": TEXT},
    "session.append": {"messages": [{"role": "user", "content": TEXT, "payload": {"token": TOKEN}}]},
    "graph.create_entities": {"entities": [{"name": "CI", "type": "tool", "observations": [TEXT]}]},
    "schedule.create": {"goal": TEXT, "cadence": {"kind": "interval", "seconds": 86400}},
    "session.scratchpad.write": {"session": "s", "items": [TEXT]},
    "saved_search.save": {"query": TEXT},
}


def files_of(vault: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(vault.rglob("*")) if path.is_file())


@pytest.mark.parametrize("operation", CALLS)
@pytest.mark.parametrize("review", [False, True])
def test_no_secret_is_stored(host: Host, vault: Path, operation: str, review: bool) -> None:
    caller = Caller("scout", "full", agent_id="agt-1", review=review)
    host.call(operation, dict(CALLS[operation]), caller).result(30)
    host.ask("vault.settle", names=True)
    assert TOKEN.encode() not in files_of(vault)
    assert b"secret: GitHub" in files_of(vault)


def test_the_answer_says_so(host: Host) -> None:
    written = host.call("memory.write", {"content": TEXT}, SCOUT).result(30).value
    assert written.reason.endswith("what looked like one (GitHub token) was replaced.")
    strict = Caller("strict", "full", agent_id="agt-2", review=True)
    held = host.call("memory.write", {"content": f"Another {TEXT}"}, strict).result(30).value
    assert "Secrets are not stored" in held.message


def test_the_person_may_keep_them(host: Host) -> None:
    host.ask("note.save", content=TEXT)
    assert host.ask("note.list")[0].preview == TEXT
    host.ask("settings.set", name="capture.secrets", value=True)
    note = host.call("note.save", {"content": TEXT}, SCOUT).result(30).value
    assert note.content == TEXT


def test_a_repeated_append_is_recognised(host: Host) -> None:
    messages = {"messages": [{"role": "user", "content": TEXT}], "key": "k"}
    first, second = (host.call("session.append", dict(messages), SCOUT).result(30).value for _ in range(2))
    assert first.seqs == second.seqs


def test_every_operation_that_stores_text_is_tried_or_takes_the_same_way() -> None:
    """The mask stands before all of them; a new one needs no entry here, only an agent that may call it."""
    assert CALLS.keys() <= {item.name for item in declared() if item.access == "write"}
