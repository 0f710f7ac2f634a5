"""Isolated agents through a real host: a vault of their own, opened once and late, closed with the person's."""

import asyncio
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from app.agents import vault_folders
from app.api.caller import OWNER, Caller, Trust
from app.errors import AccessDeniedError, InputError, MachineError, NotFoundError, VaultLockedError
from app.host import Host
from app.store.store import DATABASE
from tests.helpers.engine import engine_of

TURN = {"role": "user", "content": "The lighthouse of the scout"}


def start(vault: Path) -> Host:
    running = Host(vault, serve=False, overrides={"embedding.model": "hashed"})
    running.start()
    return running


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    running = start(vault)
    running.ask("settings.set", name="agents.isolated", value=" scout ,../evil, CON")
    yield running
    running.stop()


def ask(host: Host, agent: str, operation: str, /, trust: Trust = "full", **arguments: Any) -> Any:
    return host.call(operation, arguments, Caller(agent, trust)).result().value


def said(vault: Path) -> int:
    with closing(sqlite3.connect(f"file:{vault / DATABASE}?mode=ro", uri=True)) as copy:
        return copy.execute("SELECT count(*) FROM messages").fetchone()[0]


def test_neither_knows_of_the_other(host: Host) -> None:
    changes: list[object] = []
    leave = host.subscribe(changes.append)
    own = ask(host, "scout", "note.save", content="lighthouse of the scout")
    ask(host, "scout", "session.append", session="talk", messages=[TURN])
    leave()
    assert changes == []
    assert host.ask("session.list") == []
    assert host.ask("memory.search", query="lighthouse").hits == ()
    with pytest.raises(NotFoundError):
        host.ask("note.get", id=own.id)
    mine = host.ask("note.save", content="lighthouse of mine")
    assert {hit.id for hit in ask(host, "other", "memory.search", query="lighthouse").hits} == {mine.id}
    hits = ask(host, "scout", "memory.search", query="lighthouse").hits
    assert {hit.target for hit in hits} == {"memory", "message"}
    assert mine.id not in {hit.id for hit in hits}


def test_who_calls_decides_not_whom_a_call_names(host: Host) -> None:
    host.ask("session.append", session="talk", agent="scout", messages=[TURN])
    assert host.ask("session.get", session="talk").agent == "scout"
    assert host.ask("agent.vaults") == []


def test_trust_counts_there_too(host: Host) -> None:
    with pytest.raises(AccessDeniedError):
        ask(host, "scout", "session.list", trust="inner")
    assert host.ask("agent.vaults") == []
    with pytest.raises(AccessDeniedError):
        ask(host, "other", "agent.vaults", trust="inner")


def test_it_cannot_let_itself_out(host: Host) -> None:
    own = ask(host, "scout", "note.save", content="lighthouse of the scout")
    with pytest.raises(AccessDeniedError):
        ask(host, "scout", "settings.set", name="agents.isolated", value="")
    assert ask(host, "scout", "note.get", id=own.id) == own
    assert host.ask("settings.set", name="agents.isolated", value="scout").value == "scout"


def test_many_first_calls_open_it_once(host: Host) -> None:
    calls = [host.call("session.append", {"session": "talk", "messages": [TURN]}, Caller("scout")) for _ in range(30)]
    assert sorted(call.result().value.seqs[0] for call in calls) == list(range(1, 31))
    [vault] = host.ask("agent.vaults")
    assert (vault.agent, vault.is_open, vault.is_isolated) == ("scout", True, True)
    assert vault.bytes > 0
    assert host.ask("vault.status").isolated == ("scout",)
    assert ask(host, "scout", "vault.status").isolated == ()
    with pytest.raises(AccessDeniedError):
        ask(host, "scout", "agent.vaults")


def test_a_registered_agent_can_be_isolated(host: Host) -> None:
    engine: Any = engine_of(host)
    insert = "INSERT INTO agents (id, name, token_hash, trust, isolated, created_at)"
    insert += " VALUES ('agt-1', 'spy', '', 'full', 1, 0)"
    host.submit(engine.store.write(lambda connection: connection.execute(insert).fetchall())).result()
    ask(host, "spy", "note.save", content="of the spy")
    assert host.ask("note.list") == []
    assert [vault.agent for vault in host.ask("agent.vaults")] == ["spy"]


def test_the_person_can_ask_there(host: Host) -> None:
    note = ask(host, "scout", "note.save", content="lighthouse")
    request: dict[str, Any] = {"agent": "scout", "operation": "note.get", "arguments": {"id": note.id}}
    assert host.ask("agent.ask", **request).content == "lighthouse"
    for wrong, error in (
        ({"agent": "nobody"}, NotFoundError),
        ({"operation": "note.fly"}, InputError),
        ({"arguments": {"name": 1}}, InputError),
        ({"operation": "agent.ask", "arguments": request}, InputError),
    ):
        with pytest.raises(error):
            host.ask("agent.ask", **request | wrong)
    assert [vault.agent for vault in host.ask("agent.vaults")] == ["scout"]


def test_it_is_kept_over_a_restart_and_is_a_vault_like_any_other(vault: Path, host: Host) -> None:
    note = ask(host, "../evil", "note.save", content="lighthouse")
    ask(host, "../evil", "session.append_later", messages=[TURN])
    folder = Path(host.ask("agent.vaults")[0].path)
    assert folder == vault_folders.folder_of(vault, "../evil")
    host.ask("settings.set", name="agents.isolated", value="")
    assert ask(host, "../evil", "note.list") == []
    assert not host.ask("agent.vaults")[0].is_isolated
    host.stop()
    assert said(folder) == 1
    alone = start(folder)
    assert alone.ask("note.get", id=note.id).content == "lighthouse"
    again = start(vault)
    again.ask("settings.set", name="agents.isolated", value="../evil")
    with pytest.raises(VaultLockedError):
        ask(again, "../evil", "note.list")
    alone.stop()
    assert [item.id for item in ask(again, "../evil", "note.list")] == [note.id]
    again.stop()


def test_what_cannot_be_opened_harms_no_other_vault(vault: Path, host: Host) -> None:
    folder = vault_folders.folder_of(vault, "CON")
    vault_folders.prepare(folder, "CON")
    (folder / DATABASE).write_bytes(b"no database at all" * 100)
    for _ in range(2):
        with pytest.raises(MachineError):
            ask(host, "CON", "note.list")
    assert ask(host, "scout", "note.list") == []
    report = host.ask("vault.check")
    assert not report.ok
    assert [folder.name in finding.what for finding in report.findings if finding.severity == "error"] == [True]


def test_check_and_backup_reach_them(host: Host) -> None:
    ask(host, "scout", "session.append", session="talk", messages=[TURN])
    ask(host, "scout", "vault.settle")
    assert host.ask("vault.check").findings == ()
    host.ask("backup.now")
    folder = Path(host.ask("agent.vaults")[0].path)
    assert len(list((folder / "backups").glob("*.db"))) == 1


@pytest.mark.parametrize("is_isolated", [True, False])
def test_nothing_is_stored_of_an_agent_that_is_not_kept(host: Host, is_isolated: bool) -> None:
    name = "scout" if is_isolated else "other"
    host.ask("session.append", session="talk", messages=[TURN])
    host.ask("settings.set", name="sessions.excluded_agents", value=name)
    ask(host, name, "session.append", session="talk" if not is_isolated else "own", messages=[TURN])
    ask(host, name, "session.append_later", messages=[TURN])
    ask(host, name, "session.create", title="Mine")
    ask(host, name, "session.scratchpad.write", session="talk", items=["goal"])
    assert not ask(host, name, "session.summary.set", session="talk", summary="Something").applied
    place = {"agent": name} if is_isolated else None
    listed = host.ask("agent.ask", operation="session.list", **place) if place else host.ask("session.list")
    assert [(item.id, item.message_count) for item in listed] == ([] if is_isolated else [("talk", 1)])
    assert host.ask("session.summary.get", session="talk").summary == ""
    assert host.ask("session.scratchpad.read", session="talk").items == ()


def test_the_person_is_never_isolated(host: Host) -> None:
    host.ask("settings.set", name="agents.isolated", value="person")
    host.ask("note.save", content="mine")
    assert host.call("agent.vaults", {}, OWNER).result().value == []


def test_one_that_is_not_open_is_still_backed_up_daily(vault: Path) -> None:
    running = start(vault)
    running.ask("settings.set", name="agents.isolated", value="scout, idle")
    for agent in ("scout", "idle"):
        ask(running, agent, "note.save", content="lighthouse")
    running.stop()
    scout, idle = (vault_folders.folder_of(vault, agent) for agent in ("scout", "idle"))
    old = time.time() - 3 * 86_400
    for path in scout.glob("*.*"):
        os.utime(path, (old, old + 3_600 if path.name.startswith(DATABASE) else old))
    again = start(vault)

    async def until_open() -> None:
        async with asyncio.timeout(30):
            while not engine_of(again).isolated.opened():
                await asyncio.sleep(0.01)

    again.submit(until_open()).result()
    assert again.ask("vault.status").isolated == ("scout",)
    again.stop()
    assert idle.exists()
