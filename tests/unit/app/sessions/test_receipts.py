"""An append that its caller gave a key is stored once, however often it is asked for."""

import pytest

from app.errors import InputError
from app.sessions.model import NewMessage
from app.sessions.service import Heading
from tests.unit.app.shelf import Shelf


def append(shelf: Shelf, *texts: str, session: str | None = "s", key: str = "k", actor: str = "a") -> tuple[int, ...]:
    messages = [NewMessage("user", text) for text in texts]
    return shelf.do(shelf.sessions.append(messages, session, Heading(), actor, key)).value.seqs


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
        shelf.do(shelf.sessions.append([NewMessage("user", "x", importance=2.0)], "s", Heading(), "a", "k"))
    assert append(shelf, "one") == (1,)


def test_a_forgotten_session_is_not_answered_for(shelf: Shelf) -> None:
    append(shelf, "one")
    shelf.forget("s")
    with pytest.raises(InputError, match="forgotten"):
        append(shelf, "one")
