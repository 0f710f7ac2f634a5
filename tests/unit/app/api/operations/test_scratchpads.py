import asyncio
import threading
from functools import partial
from pathlib import Path

import pytest

from app.api.caller import OWNER, Caller
from app.api.catalogue import build_catalogue
from app.changes import Feed
from app.config.config import Config
from app.core.clock import SystemClock
from app.engine import Engine
from app.errors import NotFoundError
from app.host import Host
from tests.helpers.guards.unexpected_logs import AllowLogs

SCOUT = Caller("scout", "inner")
SPY = Caller("spy", "inner")
HELLO = {"role": "user", "content": "Hello there."}


def test_an_agent_keeps_its_own_scratchpad(host: Host) -> None:
    host.call("session.scratchpad.write", {"session": "talk", "items": ["one", "two"]}, SCOUT).result()
    assert host.call("session.scratchpad.read", {"session": "talk"}, SCOUT).result().value.items == ("one", "two")
    assert host.ask("session.scratchpad.read", session="talk").items == ("one", "two")
    with pytest.raises(NotFoundError):
        host.call("session.scratchpad.read", {"session": "talk"}, SPY).result()
    assert host.call("session.scratchpad.clear", {"session": "talk"}, SCOUT).result().value is True


def test_working_memory_follows_appends_renames_and_imports(host: Host) -> None:
    for number in range(3):
        host.ask("session.append", messages=[HELLO] * 30, session="talk")
        seqs = [turn.seq for turn in host.ask("session.recent", session="talk", n=50)]
        assert seqs == [turn.seq for turn in host.ask("session.messages", session="talk")][-50:]
        host.ask("session.rename", session="talk", title=f"Talk {number}")
    assert [turn.seq for turn in host.ask("session.recent", session="talk", n=2)] == [89, 90]


def test_engine_passes_changes_to_working_memory(vault: Path) -> None:
    async def work() -> tuple[str, str]:
        engine = Engine(vault, Config(vault), SystemClock(), Feed())
        try:
            catalogue = build_catalogue(engine)
            await catalogue.call("session.append", {"messages": [HELLO], "session": "talk"}, OWNER)
            recent = partial(catalogue.call, "session.recent", {"session": "talk"}, OWNER)
            await recent()
            await engine.store.write(lambda connection: connection.execute("UPDATE messages SET content = 'stored'"))
            held = (await recent()).value[0].content
            await catalogue.call("session.rename", {"session": "talk", "title": "Talk"}, OWNER)
            return held, (await recent()).value[0].content
        finally:
            await engine.stop()

    assert asyncio.run(work()) == (HELLO["content"], "stored")


def test_later_appends_are_drained_when_the_host_stops(host: Host) -> None:
    taken = [host.ask("session.append_later", messages=[HELLO], session="talk") for _ in range(50)]
    assert all(item.accepted for item in taken)
    host.stop()
    again = Host(host.vault)
    again.start()
    try:
        assert again.ask("session.length", session="talk") == 50
    finally:
        again.stop()


def test_everybody_hears_of_later_appends(host: Host) -> None:
    received: list[object] = []
    host.subscribe(received.append)
    host.ask("session.append_later", messages=[HELLO], session="talk")
    host.stop()
    operations = [(item.operation, item.actor) for item in received if hasattr(item, "operation")]
    assert operations == [("session.append_later", "person")]


def test_what_could_not_be_stored_later_shows_in_the_status(host: Host, allow_logs: AllowLogs) -> None:
    allow_logs("messages were not stored")
    host.ask("session.append", messages=[HELLO, HELLO], session="talk")
    assert host.ask("session.append_later", messages=[{**HELLO, "seq": 1}], session="talk").accepted
    received = threading.Event()
    host.subscribe(lambda event: received.set() if getattr(event, "operation", "") == "session.append_later" else None)
    host.ask("session.append_later", messages=[HELLO], session="talk")  # the next one is stored all the same
    assert received.wait(30)
    assert host.ask("vault.status").notes[0].startswith("1 message could not be stored in the background.")
    assert host.ask("session.length", session="talk") == 3


def test_a_setting_switches_an_agent_off(host: Host) -> None:
    host.ask("settings.set", name="sessions.excluded_agents", value=" scout , other")
    reply = host.call("session.append", {"messages": [HELLO], "session": "talk"}, SCOUT).result()
    assert reply.value.seqs == ()
    assert host.ask("session.append", messages=[HELLO], agent="other").seqs == ()
    assert host.ask("session.ids") == []
    host.ask("settings.set", name="sessions.excluded_agents", value="")
    assert host.call("session.append", {"messages": [HELLO], "session": "talk"}, SCOUT).result().value.seqs == (1,)
