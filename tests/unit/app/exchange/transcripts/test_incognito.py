"""Transcripts while the person is incognito: nothing is taken in, then or later."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from app.agents.incognito import IncognitoSwitch
from app.core.clock import to_datetime
from app.core.paths import migrations
from app.host import Host
from app.store.store import Store
from tests.helpers import transcripts as made
from tests.helpers.upkeep_runs import SetClock
from tests.unit.app.exchange.transcripts.test_watch import SESSION, append, claude_path, home, said, until, watching

__all__ = ["home", "watching"]  # fixtures
LOOK_S = 0.2


def line(number: int, text: str, at: datetime | None = None) -> bytes:
    spoken = made.claude_line(number, "user", text)
    spoken["timestamp"] = f"{at or datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%f}Z"
    return made.lines([spoken])


def set_incognito(host: Host, *, on: bool) -> None:
    """Switch, and let the millisecond pass that counts as private with its period."""
    time.sleep(0.005)
    host.ask("agent.incognito.set", on=on)
    time.sleep(0.005)


def test_what_was_said_meanwhile_is_never_taken_in(watching: Host, home: Path) -> None:
    path = claude_path(home)
    append(path, line(1, "before"))
    until(lambda: said(watching) == ["before"])
    set_incognito(watching, on=True)
    append(path, line(2, "a secret plan"))
    set_incognito(watching, on=False)
    append(path, line(3, "after"))
    until(lambda: "after" in said(watching))
    assert said(watching) == ["before", "after"]


def test_nothing_is_read_while_it_is_on(watching: Host, home: Path) -> None:
    set_incognito(watching, on=True)
    time.sleep(5 * LOOK_S)  # a look that had begun before has ended
    path = claude_path(home)
    # Dated before, so that only the watch itself holds it back.
    append(path, line(1, "earlier words", datetime.now(UTC) - timedelta(minutes=1)))
    time.sleep(5 * LOOK_S)
    assert said(watching) == []
    set_incognito(watching, on=False)
    until(lambda: said(watching) == ["earlier words"])


def test_a_conversation_that_began_and_ended_meanwhile_leaves_nothing(watching: Host, home: Path) -> None:
    set_incognito(watching, on=True)
    append(claude_path(home), line(1, "a secret plan"))
    set_incognito(watching, on=False)
    other = home / ".claude" / "projects" / "garden" / "1c073d8e-2bb1-45cb-90bc-a28ce44da091.jsonl"
    append(other, made.lines([made.claude_line(9, "user", "x", session="1c073d8e-2bb1-45cb-90bc-a28ce44da091")]))
    until(lambda: len(watching.ask("session.list", limit=10)) == 1)
    assert said(watching) == []
    assert [one.id for one in watching.ask("session.list", limit=10)] != [SESSION]


def test_periods_outlast_a_restart(watching: Host, home: Path, vault: Path) -> None:
    set_incognito(watching, on=True)
    append(claude_path(home), line(1, "a secret plan"))
    set_incognito(watching, on=False)
    watching.stop()
    append(claude_path(home), line(2, "after"))
    again = Host(vault, serve=False)
    again.start()
    try:
        until(lambda: said(again) == ["after"])
    finally:
        again.stop()


def test_what_hooks_send_later_is_left_out_too(home: Path, vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEEPSAKE_CAPTURE_WATCH", "false")
    host = Host(vault, serve=False)
    host.start()
    try:
        set_incognito(host, on=True)
        during = line(1, "a secret plan")
        set_incognito(host, on=False)
        text = (during + line(2, "after")).decode()
        host.ask("capture.part", path=str(claude_path(home)), text=text, end=len(text))
        assert said(host) == ["after"]
    finally:
        host.stop()


def test_an_untimed_message_counts_as_said_since_the_last_look(watching: Host, home: Path) -> None:
    def untimed(number: int, text: str) -> bytes:
        spoken: dict[str, Any] = made.claude_line(number, "user", text)
        del spoken["timestamp"]
        return made.lines([spoken])

    path = claude_path(home)
    append(path, untimed(1, "before"))
    until(lambda: said(watching) == ["before"])
    set_incognito(watching, on=True)
    append(path, untimed(2, "a secret plan"))
    set_incognito(watching, on=False)
    append(path, line(3, "after"))
    until(lambda: "after" in said(watching))
    assert said(watching) == ["before", "after"]


def test_an_end_that_passed_by_itself_ends_the_period(vault: Path) -> None:
    async def periods() -> None:
        clock = SetClock()
        clock.now = to_datetime(1_000_000)
        switch = IncognitoSwitch(store, clock)
        assert switch.covers(0, 0), "all is private before it is known"
        await switch.switch(is_on=True, until=to_datetime(2_000_000), actor="person")
        assert switch.covers(1_000_000, 1_000_000)
        clock.now = to_datetime(3_000_000)
        await switch.switch(is_on=False, actor="person")
        for one in (switch, IncognitoSwitch(store, clock)):
            await one.state()
            assert one.covers(1_999_999, 1_999_999)
            assert one.covers(0, 1_000_000)
            assert not one.covers(0, 999_999)
            assert one.covers(2_000_000, 9_000_000), "the last moment is private too"
            assert not one.covers(2_000_001, 9_000_000)

    store = Store.open(vault, migrations())
    try:
        asyncio.run(periods())
    finally:
        store.close()
