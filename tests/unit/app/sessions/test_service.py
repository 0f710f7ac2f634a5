"""Conversations: numbers only rise, sessions appear with their first message, forgetting can be undone."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError, NotFoundError, StaleError
from app.index import repo as index_repo
from app.sessions.model import Message, NewMessage, Role, SessionFilter
from app.sessions.service import MAX_NAME_CHARACTERS, MAX_SEQ, NewSession, check_name, clean_name, number
from tests.unit.app.vault_harness import VaultHarness


def append(vault_harness: VaultHarness, *messages: NewMessage, session: str | None = "s", **heading: str) -> Any:
    return vault_harness.do(
        vault_harness.sessions.append(messages, session, NewSession(**heading), "person", owner=None)
    ).value


def turns(vault_harness: VaultHarness, session: str = "s", **window: Any) -> list[Message]:
    return vault_harness.do(vault_harness.sessions.messages(session, **window))


def user(text: str, **fields: Any) -> NewMessage:
    return NewMessage("user", text, **fields)


# Numbers ------------------------------------------------------------------------------------------------------------


def test_numbers_are_given_in_order(vault_harness: VaultHarness) -> None:
    assert append(vault_harness, user("a"), user("b")).seqs == (1, 2)
    done = append(vault_harness, user("c"))
    assert (done.seqs, done.created) == ((3,), False)


def test_given_numbers_may_leave_gaps(vault_harness: VaultHarness) -> None:
    assert append(vault_harness, user("a", seq=10), user("b"), user("c", seq=40)).seqs == (10, 11, 40)


@pytest.mark.parametrize("seqs", [(1,), (0,), (-5,), (3, 3), (4, 3), (None, 2)])
def test_a_number_that_does_not_rise_is_refused_whole(
    vault_harness: VaultHarness, seqs: tuple[int | None, ...]
) -> None:
    append(vault_harness, user("a"), user("b"))
    with pytest.raises(StaleError, match="not greater") as caught:
        append(vault_harness, *[user("x", seq=seq) for seq in seqs])
    assert caught.value.data["last_seq"] >= 2
    assert [turn.content for turn in turns(vault_harness)] == ["a", "b"]


def test_a_number_beyond_reason_is_refused(vault_harness: VaultHarness) -> None:
    with pytest.raises(InputError, match="at most"):
        append(vault_harness, user("a", seq=MAX_SEQ + 1))
    assert append(vault_harness, user("a", seq=MAX_SEQ)).seqs == (MAX_SEQ,)
    assert [turn.seq for turn in turns(vault_harness)] == [MAX_SEQ]


@given(last=st.integers(0, 100), seqs=st.lists(st.none() | st.integers(-3, 120), min_size=1, max_size=8))
def test_numbering_rises_strictly_or_is_refused(last: int, seqs: list[int | None]) -> None:
    try:
        stored = [message.seq for message in number([user("x", seq=seq) for seq in seqs], "s", last, 0)]
    except StaleError:
        assert any(seq is not None for seq in seqs)
        return
    assert [last, *stored] == sorted({last, *stored})
    assert all(seq in (None, made) for seq, made in zip(seqs, stored, strict=True))


# Turns --------------------------------------------------------------------------------------------------------------


def test_a_turn_comes_back_as_it_was(vault_harness: VaultHarness) -> None:
    when = datetime(2024, 5, 6, 7, 8, 9, 123_000, UTC)
    calls = [{"name": "f", "arguments": {"a": [1, 2.5, None, "x"]}}]
    turn = NewMessage("tool", "text", "Ann", when, 7, 0.9, "call-1", "look_up", calls, {"foreign": {"id": 1}})
    append(vault_harness, turn)
    stored = turns(vault_harness)[0]
    for name in ("role", "content", "author", "created_at", "seq", "importance", "tool_call_id", "tool_name",
                 "tool_calls", "payload"):  # fmt: skip
        assert getattr(stored, name) == getattr(turn, name), name


def test_what_cannot_be_stored_is_made_storable(vault_harness: VaultHarness) -> None:
    payload = {"nan": float("nan"), "half \ud800": "\udc00", "nul": "a\0b"}
    append(vault_harness, user("a\0b \ud800", author="A\nnn", payload=payload, tool_calls=[{"x": float("inf")}]))
    stored = turns(vault_harness)[0]
    assert (stored.content, stored.author) == ("a\u2400b \ufffd", "A nn")
    assert stored.payload == {"nan": "nan", "half \ufffd": "\ufffd", "nul": "a\u2400b"}
    assert stored.tool_calls == [{"x": "inf"}]


def test_importance_goes_by_the_role_unless_it_is_given(vault_harness: VaultHarness) -> None:
    roles: tuple[Role, ...] = ("user", "assistant", "tool", "system")
    append(vault_harness, *(NewMessage(role, "words") for role in roles))
    append(vault_harness, *(NewMessage(role, "words", importance=0.9) for role in roles))
    assert [turn.importance for turn in turns(vault_harness)] == [0.5, 0.5, 0.3, 0.1, 0.9, 0.9, 0.9, 0.9]


@pytest.mark.parametrize("importance", [-0.1, 1.1, float("nan"), float("inf")])
def test_importance_out_of_bounds(vault_harness: VaultHarness, importance: float) -> None:
    with pytest.raises(InputError, match="importance"):
        append(vault_harness, user("a", importance=importance))


def test_nothing_to_append(vault_harness: VaultHarness) -> None:
    with pytest.raises(InputError, match="nothing to append"):
        append(vault_harness)


@pytest.mark.parametrize("when", [datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59), datetime(1, 1, 1, tzinfo=UTC)])  # noqa: DTZ001
def test_times_at_the_edge_of_the_calendar(vault_harness: VaultHarness, when: datetime) -> None:
    append(vault_harness, user("a", created_at=when))
    assert turns(vault_harness)[0].created_at.tzinfo is UTC
    assert vault_harness.do(vault_harness.sessions.at("s", when)) == 1


def test_windows_of_turns(vault_harness: VaultHarness) -> None:
    append(vault_harness, *[user(str(n)) for n in range(1, 11)])
    assert [t.seq for t in turns(vault_harness, after=3, limit=3)] == [4, 5, 6]
    assert [t.seq for t in turns(vault_harness, before=4, limit=2, newest=True)] == [2, 3]
    assert [t.seq for t in turns(vault_harness, limit=2, newest=True)] == [9, 10]
    assert turns(vault_harness, limit=0) == []


def test_finding_in_a_conversation(vault_harness: VaultHarness) -> None:
    append(vault_harness, user("The Ünder 100%"), user("a_b"), user("ünder c"), user("ÜNDER"), user("*?["))
    find = lambda text, limit=10: vault_harness.do(vault_harness.sessions.find("s", text, limit))  # noqa: E731
    assert find("the") == [1]
    assert find("ünder") == [1, 3, 4]
    assert find("ünder", 2) == [1, 3]
    assert find("%") == [1]
    assert find("_") == [2]
    assert find("*?[") == [5]
    assert find("") == []
    assert find("x" * 100_000) == []


def test_the_first_turn_at_a_time(vault_harness: VaultHarness) -> None:
    start = datetime(2024, 1, 1, tzinfo=UTC)
    append(vault_harness, *[user(str(n), created_at=start + timedelta(hours=n)) for n in range(3)])
    assert vault_harness.do(vault_harness.sessions.at("s", start + timedelta(minutes=1))) == 2
    assert vault_harness.do(vault_harness.sessions.at("s", start + timedelta(days=1))) is None


# Sessions -----------------------------------------------------------------------------------------------------------


def test_a_conversation_appears_with_its_first_turn(vault_harness: VaultHarness) -> None:
    when = datetime(2024, 1, 1, tzinfo=UTC)
    said = [NewMessage("system", "rules"), user("  Hello\nthere "), user("later", created_at=when)]
    done = append(vault_harness, *said, title=" A  title ", agent="Bot", channel="c:1:2")
    assert done.created
    session = vault_harness.do(vault_harness.sessions.get("s"))
    assert (session.title, session.agent, session.channel) == ("A title", "Bot", "c:1:2")
    assert (session.message_count, session.preview) == (3, "Hello there")
    assert session.consolidated_at is None


def test_without_an_id_the_channel_finds_the_conversation(vault_harness: VaultHarness) -> None:
    first = append(vault_harness, user("a"), session=None, channel=" chat:  1 ")
    assert append(vault_harness, user("b"), session=None, channel=" chat:  1 ").session_id == first.session_id
    assert append(vault_harness, user("b"), session=None, channel="chat: 1").session_id == first.session_id
    vault_harness.forget(first.session_id)
    assert append(vault_harness, user("c"), session=None, channel="chat: 1").session_id != first.session_id
    assert append(vault_harness, user("c"), session=None).created


@pytest.mark.parametrize("key", ["", "  ", "a\0b", "\ud800", "x" * (MAX_NAME_CHARACTERS + 1)])
def test_ids_that_cannot_be(vault_harness: VaultHarness, key: str) -> None:
    with pytest.raises(InputError):
        append(vault_harness, user("a"), session=key)
    assert vault_harness.do(vault_harness.sessions.ids(SessionFilter(), "recent")) == []


@given(st.text(max_size=2_100))
def test_a_name_is_one_short_storable_line(text: str) -> None:
    clean = clean_name(text)
    assert len(clean) <= MAX_NAME_CHARACTERS + 1
    assert clean == clean_name(clean)
    assert "\n" not in clean
    clean.encode()


@pytest.mark.parametrize("control", ["\x1b", "\x07", "\x7f", "\x9b", "\u202e", "\u2066"])
def test_control_characters_are_refused_in_ids_agents_and_channels(vault_harness: VaultHarness, control: str) -> None:
    name = f"a{control}b"
    for field, arguments in {
        "session": {"session": name},
        "agent": {"agent": name},
        "channel": {"channel": name},
    }.items():
        with pytest.raises(InputError, match="control characters") as caught:
            append(vault_harness, user("x"), **{"session": None, **arguments})
        assert caught.value.data["field"] == field
    with pytest.raises(InputError, match="control characters"):
        vault_harness.do(vault_harness.sessions.append([user("x")], "s", NewSession(), "person", key=name, owner=None))
    assert not vault_harness.do(vault_harness.sessions.agents())


def test_an_id_is_kept_as_it_is() -> None:
    assert check_name(" two  spaces ", "session") == " two  spaces "


@pytest.mark.parametrize("operation", ["get", "messages", "find", "at", "rename", "forget"])
def test_what_is_not_there_or_forgotten_is_not_found(vault_harness: VaultHarness, operation: str) -> None:
    append(vault_harness, user("words"))
    vault_harness.forget("s")
    service, now = vault_harness.sessions, datetime.now(UTC)
    for key in ("s", "never"):
        request = {
            "get": lambda key=key: service.get(key),
            "messages": lambda key=key: service.messages(key),
            "find": lambda key=key: service.find(key, "words", 10),
            "at": lambda key=key: service.at(key, now),
            "rename": lambda key=key: service.rename(key, "x", "person"),
            "forget": lambda key=key: service.forget(key, "person"),
        }[operation]
        with pytest.raises(NotFoundError):
            vault_harness.do(request())


def test_a_forgotten_conversation_takes_no_turns(vault_harness: VaultHarness) -> None:
    append(vault_harness, user("a"))
    vault_harness.forget("s")
    with pytest.raises(InputError, match="forgotten"):
        append(vault_harness, user("b"))


def test_rename_and_forget_are_undone_and_redone(vault_harness: VaultHarness) -> None:
    append(vault_harness, user("findable"), title="Old")

    def state() -> tuple[str | None, int]:
        listed = vault_harness.do(vault_harness.sessions.rows(["s"]))
        words = vault_harness.rows(
            "SELECT count(*) FROM chunks_fts f CROSS JOIN chunks c ON c.id = f.rowid"
            f" WHERE chunks_fts MATCH 'findable' AND {index_repo.NOT_HIDDEN}"
        )
        assert vault_harness.check() == []
        return (listed[0].title if listed else None), words[0][0]

    renamed = vault_harness.do(vault_harness.sessions.rename("s", "New", "person")).changes.history_ids[0]
    assert state() == ("New", 1)
    forgotten = vault_harness.forget("s")
    assert state() == (None, 0)
    with pytest.raises(StaleError, match="a deletion by person"):
        vault_harness.undo(renamed)
    [again] = vault_harness.undo(forgotten)
    assert state() == ("New", 1)
    [back] = vault_harness.undo(again)
    assert state() == (None, 0)
    vault_harness.undo(back)
    assert state() == ("New", 1)
    [unnamed] = vault_harness.undo(renamed)
    assert state() == ("Old", 1)
    vault_harness.undo(unnamed)
    assert state() == ("New", 1)
    with pytest.raises(InputError, match="undone already"):
        vault_harness.undo(unnamed)


def test_lists_in_every_order(vault_harness: VaultHarness) -> None:
    start = datetime(2024, 1, 1, tzinfo=UTC)
    for place, (key, title, count) in enumerate([("a", "beta", 1), ("b", "Alpha", 3), ("c", "gamma 100%", 2)]):
        when = start + timedelta(days=place)
        append(
            vault_harness, *[user("x", created_at=when)] * count, session=key, title=title, agent="Bot" if place else ""
        )
    ids = lambda order, **wanted: "".join(vault_harness.do(vault_harness.sessions.ids(SessionFilter(**wanted), order)))  # noqa: E731
    assert [ids(order) for order in ("recent", "oldest", "title", "messages")] == ["cba", "abc", "bac", "bca"]
    assert ids("recent", text="ALPHA") == "b"
    assert ids("recent", text="%") == "c"
    assert ids("recent", text="bot") == "cb"
    assert ids("recent", text="x" * 100_000) == ""
    assert ids("recent", agent="Bot") == "cb"
    assert ids("recent", pending=False) == ""
    assert ids("recent", since=start + timedelta(days=1), until=start + timedelta(days=2)) == "b"
    assert [session.id for session in vault_harness.do(vault_harness.sessions.rows(["c", "none", "a"]))] == ["c", "a"]
    assert [(facet.name, facet.count) for facet in vault_harness.do(vault_harness.sessions.agents())] == [("Bot", 2)]
