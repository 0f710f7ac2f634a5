from collections.abc import Iterator
from pathlib import Path

import pytest

from app.sessions.model import Appended, NewMessage
from app.sessions.service import NewSession
from tests.unit.app.sessions.session_harness import Desk, open_desk

HELLO = NewMessage("user", "Hello there.")


@pytest.fixture
def desk(vault: Path) -> Iterator[Desk]:
    with open_desk(vault) as made:
        yield made


def switch_off(desk: Desk, name: str) -> None:
    desk.sql(
        "INSERT INTO agents (id, name, token_hash, trust, enabled, created_at) VALUES ('a', ?, '', 'inner', 0, 0)",
        (name,),
    )


def count(desk: Desk) -> int:
    return int(desk.sql("SELECT count(*) FROM messages")[0][0])


@pytest.mark.parametrize("by_setting", [True, False])
def test_nothing_is_stored_and_no_error_is_raised(desk: Desk, by_setting: bool) -> None:
    if by_setting:
        desk.set(not_kept=frozenset({"scout"}))
    else:
        switch_off(desk, "scout")
    assert desk.append(HELLO, agent="scout") == Appended("talk", (), created=False)
    answer = desk.do(desk.sessions.append([HELLO], None, NewSession(), "scout"))
    assert answer.value == Appended("", (), created=False)
    assert not answer.changes.areas
    assert count(desk) == 0
    assert desk.sql("SELECT id FROM sessions") == []


def test_others_are_stored(desk: Desk) -> None:
    desk.set(not_kept=frozenset({"scout"}))
    switch_off(desk, "spy")
    assert desk.append(HELLO, agent="guide").seqs == (1,)
    assert desk.append(HELLO).seqs == (2,)


def test_a_conversation_begun_before_takes_no_more(desk: Desk) -> None:
    desk.append(HELLO, agent="scout", channel="chat:1:2")
    switch_off(desk, "scout")
    assert desk.append(HELLO).seqs == ()
    assert desk.append(HELLO, session=None, channel="chat:1:2").seqs == ()
    assert count(desk) == 1
