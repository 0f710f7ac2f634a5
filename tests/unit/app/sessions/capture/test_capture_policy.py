from collections.abc import Iterator
from pathlib import Path

import pytest

from app.host import Host
from app.sessions.model import Appended, NewMessage
from app.sessions.service import NewSession
from tests.unit.app.sessions.session_harness import SessionHarness, open_harness

HELLO = NewMessage("user", "Hello there.")


@pytest.fixture
def harness(vault: Path) -> Iterator[SessionHarness]:
    with open_harness(vault) as made:
        yield made


def switch_off(harness: SessionHarness, name: str) -> None:
    harness.sql(
        "INSERT INTO agents (id, name, token_hash, trust, enabled, created_at) VALUES ('a', ?, '', 'inner', 0, 0)",
        (name,),
    )


def count(harness: SessionHarness) -> int:
    return int(harness.sql("SELECT count(*) FROM messages")[0][0])


@pytest.mark.parametrize("by_setting", [True, False])
def test_nothing_is_stored_and_no_error_is_raised(harness: SessionHarness, by_setting: bool) -> None:
    if by_setting:
        harness.set(excluded_agents=frozenset({"scout"}))
    else:
        switch_off(harness, "scout")
    assert harness.append(HELLO, agent="scout") == Appended("talk", (), created=False)
    answer = harness.do(harness.sessions.append([HELLO], None, NewSession(), "scout", owner=None))
    assert answer.value == Appended("", (), created=False)
    assert not answer.changes.areas
    assert count(harness) == 0
    assert harness.sql("SELECT id FROM sessions") == []


def test_others_are_stored(harness: SessionHarness) -> None:
    harness.set(excluded_agents=frozenset({"scout"}))
    switch_off(harness, "spy")
    assert harness.append(HELLO, agent="guide").seqs == (1,)
    assert harness.append(HELLO).seqs == (2,)


def test_a_conversation_begun_before_takes_no_more(harness: SessionHarness) -> None:
    harness.append(HELLO, agent="scout", channel="chat:1:2")
    switch_off(harness, "scout")
    assert harness.append(HELLO).seqs == ()
    assert harness.append(HELLO, session=None, channel="chat:1:2").seqs == ()
    assert count(harness) == 1


def test_an_append_follows_the_settings_as_they_are_now(host: Host) -> None:
    def append() -> tuple[int, ...]:
        messages = [{"role": "user", "content": "Hello there."}]
        answer: Appended = host.ask("session.append", messages=messages, session="talk", agent="scout")
        return answer.seqs

    assert append() == (1,)
    host.ask("settings.set", name="sessions.excluded_agents", value="scout")
    assert append() == ()
    host.ask("settings.set", name="sessions.excluded_agents", value="")
    assert append() == (2,)
