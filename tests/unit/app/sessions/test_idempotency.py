"""An append that its caller gave a key is stored once, however often it is asked for."""

import pytest

from app.errors import InputError
from app.sessions.idempotency import IdempotencyKeyCleaner
from app.sessions.model import NewMessage
from app.sessions.service import NewSession
from tests.unit.app.shelf import Shelf


def append(shelf: Shelf, *texts: str, session: str | None = "s", key: str = "k", actor: str = "a") -> tuple[int, ...]:
    messages = [NewMessage("user", text) for text in texts]
    return shelf.do(shelf.sessions.append(messages, session, NewSession(), actor, key)).value.seqs


@pytest.mark.parametrize("key", ["\udc80", " ", "x" * 501, "line\x00"])
def test_a_key_that_cannot_be_kept(shelf: Shelf, key: str) -> None:
    with pytest.raises(InputError):
        append(shelf, "one", key=key)


def test_a_key_of_another_session(shelf: Shelf) -> None:
    append(shelf, "one")
    with pytest.raises(InputError, match="for session s"):
        append(shelf, "one", session="other")


def test_the_second_time_nothing_is_stored(shelf: Shelf) -> None:
    assert append(shelf, "one", "two") == (1, 2)
    assert append(shelf, "three", key="l") == (3,)
    assert append(shelf, "one", "two") == (1, 2)
    assert append(shelf, "one", "two", session=None) == (1, 2)
    assert shelf.rows("SELECT seq FROM messages ORDER BY seq") == [(1,), (2,), (3,)]


def test_keys_of_others_and_none_at_all_are_no_matter(shelf: Shelf) -> None:
    assert append(shelf, "one") == (1,)
    assert append(shelf, "one", actor="b") == (2,)
    assert append(shelf, "one", key="K") == (3,)
    assert append(shelf, "one", key="") == (4,)
    assert append(shelf, "one", key="") == (5,)


def test_a_refused_append_leaves_its_key_free(shelf: Shelf) -> None:
    with pytest.raises(InputError):
        shelf.do(shelf.sessions.append([NewMessage("user", "x", importance=2.0)], "s", NewSession(), "a", "k"))
    assert append(shelf, "one") == (1,)


def test_a_forgotten_session_is_not_answered_for(shelf: Shelf) -> None:
    append(shelf, "one")
    shelf.forget("s")
    with pytest.raises(InputError, match="forgotten"):
        append(shelf, "one")


def test_keys_are_forgotten_after_a_time_and_beyond_a_number(shelf: Shelf) -> None:
    keeper = IdempotencyKeyCleaner(shelf.store, shelf.clock, kept_ms=1_000, most=600)
    append(shelf, "old", key="old", session="t")
    shelf.clock.ms += 1_001
    for number in range(1_200):
        append(shelf, "turn", key=f"k{number}")
    append(shelf, "other", key="other", session="t")
    assert shelf.do(keeper.tidy()) == 601
    assert shelf.do(keeper.tidy()) == 0
    kept = [key for (key,) in shelf.rows("SELECT key FROM append_receipts WHERE session_id = 's' ORDER BY last_seq")]
    assert kept == [f"k{number}" for number in range(600, 1_200)]
    assert append(shelf, "turn", key="k1199") == (1_200,)
    assert append(shelf, "turn", key="k0") == (1_201,)
    assert append(shelf, "other", key="other", session="t") == (2,)
