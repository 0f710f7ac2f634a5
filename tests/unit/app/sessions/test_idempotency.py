"""An append that its caller gave a key is stored once, however often it is asked for."""

import apsw
import pytest

from app.core.paths import migrations
from app.errors import InputError
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


def test_appends_from_before_the_receipts_of_all_writes_get_their_answers(vault_harness: VaultHarness) -> None:
    step = next(migrations().glob("*_receipts.sql")).read_text(encoding="utf-8")
    before = """
        CREATE TABLE append_receipts (
            actor TEXT NOT NULL, key TEXT NOT NULL, session_id TEXT NOT NULL, first_seq INTEGER NOT NULL,
            last_seq INTEGER NOT NULL, at INTEGER NOT NULL, created INTEGER NOT NULL, PRIMARY KEY (actor, key)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO append_receipts VALUES ('a', 'k', 's', 1, 2, 5, 1), ('a', 'l', 's', 3, 3, 6, 0);
        DROP TABLE write_receipts;
        CREATE TABLE write_receipts (
            actor TEXT NOT NULL, key TEXT NOT NULL, operation TEXT NOT NULL, arguments TEXT NOT NULL,
            answer TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (actor, key)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX write_receipts_by_time ON write_receipts (at);
        INSERT INTO write_receipts VALUES ('a', 'k', 'memory.write', 'digest', '{}', 5);
    """

    def upgrade(connection: apsw.Connection) -> None:
        connection.execute(before)
        connection.execute(step)

    append(vault_harness, "one", "two", key="")
    append(vault_harness, "three", key="")
    vault_harness.do(vault_harness.store.write(upgrade))
    messages = [NewMessage("user", text) for text in ("one", "two")]
    appending = vault_harness.sessions.append(messages, "s", NewSession(), "a", "k", owner=None)
    answer = vault_harness.do(appending).value
    assert (answer.seqs, answer.created) == ((1, 2), True)
    assert append(vault_harness, "three", key="l") == (3,)
    assert vault_harness.rows("SELECT count(*) FROM messages") == [(3,)]
    kept = "SELECT operation, arguments FROM write_receipts WHERE actor = 'a' AND key = 'k' ORDER BY operation"
    assert vault_harness.rows(kept) == [("memory.write", "digest"), ("session.append", "")]


def test_the_first_answer_is_given_again(vault_harness: VaultHarness) -> None:
    def created(key: str, session: str, text: str = "one") -> bool:
        message = NewMessage("user", text)
        appending = vault_harness.sessions.append([message], session, NewSession(), "a", key, owner=None)
        return vault_harness.do(appending).value.created

    empty = vault_harness.do(vault_harness.sessions.create(NewSession(), "a")).value.id
    for _ in range(2):
        answers = [created("first", "s"), created("second", "s", "two"), created("into", empty, "three")]
        assert answers == [True, False, False]
