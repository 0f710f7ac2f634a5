"""An append that its caller gave a key is stored once, however often it is asked for."""

import apsw
import pytest

from app.core.paths import migrations
from app.errors import InputError
from app.sessions.idempotency import IdempotencyKeyCleaner
from app.sessions.model import NewMessage
from app.sessions.service import NewSession
from tests.unit.app.vault_harness import VaultHarness


def append(
    vault_harness: VaultHarness, *texts: str, session: str | None = "s", key: str = "k", actor: str = "a"
) -> tuple[int, ...]:
    messages = [NewMessage("user", text) for text in texts]
    return vault_harness.do(
        vault_harness.sessions.append(messages, session, NewSession(), actor, key, owner=None)
    ).value.seqs


@pytest.mark.parametrize("key", ["\udc80", " ", "x" * 501, "line\x00"])
def test_a_key_that_cannot_be_kept(vault_harness: VaultHarness, key: str) -> None:
    with pytest.raises(InputError):
        append(vault_harness, "one", key=key)


def test_a_key_of_another_session(vault_harness: VaultHarness) -> None:
    append(vault_harness, "one")
    with pytest.raises(InputError, match="for session s"):
        append(vault_harness, "one", session="other")


def test_the_second_time_nothing_is_stored(vault_harness: VaultHarness) -> None:
    assert append(vault_harness, "one", "two") == (1, 2)
    assert append(vault_harness, "three", key="l") == (3,)
    assert append(vault_harness, "one", "two") == (1, 2)
    assert append(vault_harness, "one", "two", session=None) == (1, 2)
    assert vault_harness.rows("SELECT seq FROM messages ORDER BY seq") == [(1,), (2,), (3,)]


def test_keys_of_others_and_none_at_all_are_no_matter(vault_harness: VaultHarness) -> None:
    assert append(vault_harness, "one") == (1,)
    assert append(vault_harness, "one", actor="b") == (2,)
    assert append(vault_harness, "one", key="K") == (3,)
    assert append(vault_harness, "one", key="") == (4,)
    assert append(vault_harness, "one", key="") == (5,)


def test_a_refused_append_leaves_its_key_free(vault_harness: VaultHarness) -> None:
    with pytest.raises(InputError):
        vault_harness.do(
            vault_harness.sessions.append(
                [NewMessage("user", "x", importance=2.0)], "s", NewSession(), "a", "k", owner=None
            )
        )
    assert append(vault_harness, "one") == (1,)


def test_a_forgotten_session_is_not_answered_for(vault_harness: VaultHarness) -> None:
    append(vault_harness, "one")
    vault_harness.forget("s")
    with pytest.raises(InputError, match="forgotten"):
        append(vault_harness, "one")


def test_keys_are_forgotten_after_a_time_and_beyond_a_number(vault_harness: VaultHarness) -> None:
    keeper = IdempotencyKeyCleaner(vault_harness.store, vault_harness.clock, kept_ms=1_000, most=600)
    append(vault_harness, "old", key="old", session="t")
    vault_harness.clock.ms += 1_001
    for number in range(1_200):
        append(vault_harness, "turn", key=f"k{number}")
    append(vault_harness, "other", key="other", session="t")
    assert vault_harness.do(keeper.tidy()) == 601
    assert vault_harness.do(keeper.tidy()) == 0
    kept = [
        key for (key,) in vault_harness.rows("SELECT key FROM append_receipts WHERE session_id = 's' ORDER BY last_seq")
    ]
    assert kept == [f"k{number}" for number in range(600, 1_200)]
    assert append(vault_harness, "turn", key="k1199") == (1_200,)
    assert append(vault_harness, "turn", key="k0") == (1_201,)
    assert append(vault_harness, "other", key="other", session="t") == (2,)


def test_appends_from_before_the_first_answers_were_kept_get_theirs(vault_harness: VaultHarness) -> None:
    def created(key: str, session: str, text: str = "one") -> bool:
        message = NewMessage("user", text)
        appending = vault_harness.sessions.append([message], session, NewSession(), "a", key, owner=None)
        return vault_harness.do(appending).value.created

    empty = vault_harness.do(vault_harness.sessions.create(NewSession(), "a")).value.id
    vault_harness.clock.ms += 1_000
    appends = [("first", "s", "one"), ("second", "s", "two"), ("into", empty, "three")]
    answers = [created(*one) for one in appends]
    assert answers == [True, False, False]
    step = next(migrations().glob("*_first_answers_before.sql")).read_text(encoding="utf-8")

    def as_before(connection: apsw.Connection) -> None:
        connection.execute("UPDATE append_receipts SET created = 0")
        connection.execute(step)

    vault_harness.do(vault_harness.store.write(as_before))
    assert [created(*one) for one in appends] == answers
