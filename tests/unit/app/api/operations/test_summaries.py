from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from app.api.caller import Caller
from app.errors import AccessDeniedError, InputError, NotFoundError
from app.host import Host
from app.sessions.compaction.rolling_summary import SummaryWritten

AGENT = Caller("scout", "inner")


def fill(host: Host, count: int = 10, session: str = "talk", **heading: str) -> None:
    turns = [{"role": "user", "content": f"This is saying number {n}. ".ljust(400, "x")} for n in range(1, count + 1)]
    host.ask("session.append", messages=turns, session=session, **heading)


def test_all_gives_every_turn_even_when_condensed(host: Host) -> None:
    fill(host, 300)
    host.ask("session.compact", session="talk", retain_recent=5)
    assert [turn.seq for turn in host.ask("session.all", session="talk")] == list(range(1, 301))
    assert len(host.ask("session.recent", session="talk", n=3)) == 3
    assert host.ask("session.length", session="talk") == 300


def test_condensed_turns_are_still_found(host: Host) -> None:
    host.ask("session.append", messages=[{"role": "user", "content": "The heron waits by the weir."}], session="talk")
    fill(host)
    host.ask("session.compact", session="talk", retain_recent=0)
    result = host.ask("memory.search", query="heron", recipe="words")
    assert [(hit.session_id, hit.seq) for hit in result.hits] == [("talk", 1)]


def test_a_forgotten_conversation_comes_back_with_all(host: Host) -> None:
    fill(host)
    host.ask("session.summary.set", session="talk", summary="Ana moved.", upper_seq=4)
    host.ask("session.digest.roll", session="talk")
    host.ask("session.scratchpad.write", session="talk", items=["find a flight"])
    reply = host.call("session.forget", {"session": "talk"}).result()
    for operation in ("session.all", "session.summary.get", "session.restore", "session.digest.get"):
        with pytest.raises(NotFoundError):
            host.ask(operation, session="talk")
    assert host.ask("session.digest.list") == []
    assert reply.changes is not None
    host.ask("memory.undo", history_ids=list(reply.changes.history_ids))
    assert len(host.ask("session.all", session="talk")) == 10
    assert host.ask("session.summary.get", session="talk").summary == "Ana moved."
    assert host.ask("session.scratchpad.read", session="talk").items == ("find a flight",)
    assert len(host.ask("session.digest.list")) == 1


def test_after_forgetting_the_channel_begins_anew(host: Host) -> None:
    fill(host, 3, "first", channel="chat:1:2")
    host.ask("session.forget", session="first")
    assert host.ask("session.restore", channel="chat:1:2").session_id == ""
    turns = [{"role": "user", "content": "Hello again."}]
    assert host.ask("session.append", messages=turns, channel="chat:1:2").session_id != "first"
    with pytest.raises(InputError, match="Undo that, or use another id"):
        host.ask("session.append", messages=turns, session="first")


def test_one_of_many_programs_writes_the_summary(host: Host) -> None:
    fill(host)

    def write(number: int) -> SummaryWritten:
        wanted = {"session": "talk", "summary": f"program {number}", "expected_epoch": 0}
        written: SummaryWritten = host.call("session.summary.set", wanted, Caller(f"program {number}")).result().value
        return written

    with ThreadPoolExecutor(8) as programs:
        answers = list(programs.map(write, range(24)))
    winner = [number for number, answer in enumerate(answers) if answer.applied]
    assert len(winner) == 1
    assert {answer.epoch for answer in answers} == {1}
    assert host.ask("session.summary.get", session="talk").summary == f"program {winner[0]}"


def test_rolls_of_many_programs_condense_each_turn_once(host: Host) -> None:
    fill(host, 40)

    def roll(_: int) -> bool:
        return bool(host.ask("session.summary.roll", session="talk", force=True).applied)

    with ThreadPoolExecutor(6) as programs:
        applied = list(programs.map(roll, range(12)))
    state = host.ask("session.summary.get", session="talk")
    lines = [line for line in state.summary.splitlines() if line.startswith("- User")]
    assert state.epoch == sum(applied) >= 1
    assert len(lines) == len(set(lines)) == state.upper_seq


def test_roll_and_restore_by_the_settings(host: Host) -> None:
    fill(host, 30)
    host.ask("settings.set", name="sessions.budget", value=1000)
    done = host.ask("session.summary.roll", session="talk")
    assert (done.applied, done.upper_seq) == (True, 25)
    answer = host.ask("session.restore", session="talk")
    assert answer.preface.startswith("Rolling session summary: Recent condensed turns:")
    assert [turn.seq for turn in answer.messages] == [26, 27, 28, 29, 30]
    assert answer.tokens <= 1000
    host.ask("settings.set", name="sessions.max_history", value=2)
    assert [turn.seq for turn in host.ask("session.restore", session="talk").messages] == [29, 30]
    host.ask("settings.set", name="sessions.summariser", value="none")
    assert host.ask("session.compact", session="talk", emergency=True).made_by == "none"


def test_restore_by_channel(host: Host) -> None:
    assert host.ask("session.restore", channel="chat:1:2").session_id == ""
    fill(host, 2, "first", channel="chat:1:2")
    assert host.ask("session.restore", channel="chat:1:2").session_id == "first"


@pytest.mark.parametrize(
    ("operation", "wrong"),
    [
        ("session.summary.roll", {"budget": 0}),
        ("session.compact", {"retain_recent": -1}),
        ("session.restore", {"budget": 0}),
        ("session.restore", {"max_history": -1}),
        ("session.restore", {"budget": 1 << 62}),
        ("session.recent", {"n": -1}),
        ("session.summary.set", {"summary": "x", "upper_seq": 99}),
    ],
)
def test_numbers_have_bounds(host: Host, operation: str, wrong: dict[str, Any]) -> None:
    fill(host, 1)
    with pytest.raises(InputError, match=next(name for name in wrong if name != "summary")):
        host.ask(operation, session="talk", **wrong)


@pytest.mark.parametrize(
    "operation",
    ["all", "forget", "summary.get", "summary.roll", "compact", "restore", "digest.get", "digest.roll"],
)
def test_less_than_full_trust_reads_no_conversation_of_others(host: Host, operation: str) -> None:
    fill(host, 1)
    with pytest.raises((AccessDeniedError, NotFoundError)):
        host.call(f"session.{operation}", {"session": "talk"}, AGENT).result()


def test_condensing_is_not_destructive(host: Host) -> None:
    known = host.catalogue.operations
    assert not any(known[f"session.{name}"].destructive for name in ("compact", "summary.set", "summary.roll"))


@pytest.mark.parametrize("budget", [5, 200, 8_000])
@pytest.mark.parametrize("operation", ["session.summary.roll", "session.compact"])
def test_written_summary_stays_whole_when_turns_are_condensed(host: Host, operation: str, budget: int) -> None:
    fill(host, 30)
    written = "What the two agreed on. " * 400
    host.ask("session.summary.set", session="talk", summary=written, upper_seq=2)
    more = {"budget": budget, "force": True} if operation.endswith("roll") else {"retain_recent": 2}
    assert host.ask(operation, session="talk", **more).applied
    assert host.ask("session.summary.get", session="talk").summary.startswith(written.strip())
