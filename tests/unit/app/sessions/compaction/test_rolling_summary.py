import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import InputError, NotFoundError, StaleError
from app.host import Host
from app.sessions.compaction.rolling_summary import MAX_SUMMARY_CHARACTERS, SummaryWritten
from tests.unit.app.sessions.session_harness import SessionHarness, open_harness, sized


@pytest.fixture
def harness(vault: Path) -> Iterator[SessionHarness]:
    with open_harness(vault) as made:
        made.append(*sized(6))
        yield made


def written(harness: SessionHarness, text: str, **given: int | None) -> SummaryWritten:
    return harness.do(harness.summaries.set("talk", text, "agent", **given)).value


def test_a_new_conversation_has_an_empty_summary(harness: SessionHarness) -> None:
    state = harness.do(harness.summaries.get("talk"))
    assert (state.summary, state.epoch, state.upper_seq, state.last_seq) == ("", 0, 0, 6)


def test_a_write_counts_the_epoch_on(harness: SessionHarness) -> None:
    assert written(harness, "Ana moved.", expected_epoch=0, upper_seq=4) == SummaryWritten(True, 1)
    assert written(harness, "Ana moved to Lisbon.", expected_epoch=1) == SummaryWritten(True, 2)
    state = harness.do(harness.summaries.get("talk"))
    assert (state.summary, state.epoch, state.upper_seq) == ("Ana moved to Lisbon.", 2, 4)


def test_a_stale_write_changes_nothing_and_is_no_error(harness: SessionHarness) -> None:
    written(harness, "The newer one.", expected_epoch=0)
    answer = harness.do(harness.summaries.set("talk", "The slower one.", "agent", expected_epoch=0, upper_seq=6))
    assert answer.value == SummaryWritten(False, 1)
    assert not answer.changes.areas
    assert not answer.changes.ids
    state = harness.do(harness.summaries.get("talk"))
    assert (state.summary, state.upper_seq) == ("The newer one.", 0)


def test_without_an_epoch_it_is_replaced(harness: SessionHarness) -> None:
    written(harness, "one")
    assert written(harness, "two") == SummaryWritten(True, 2)


def test_a_write_names_the_conversation(harness: SessionHarness) -> None:
    changes = harness.do(harness.summaries.set("talk", "one", "agent")).changes
    assert (changes.areas, changes.ids, changes.actor) == (frozenset({"sessions"}), ("talk",), "agent")


@pytest.mark.parametrize("upper", [-1, 7])
def test_a_turn_that_is_not_there_cannot_be_summarised(harness: SessionHarness, upper: int) -> None:
    with pytest.raises(InputError, match="from 0 to 6"):
        written(harness, "one", upper_seq=upper)
    assert harness.do(harness.summaries.get("talk")).epoch == 0


def test_a_summary_has_a_length(harness: SessionHarness) -> None:
    with pytest.raises(InputError, match="characters"):
        written(harness, "x" * (MAX_SUMMARY_CHARACTERS + 1))


def test_what_cannot_be_stored_is_made_visible(harness: SessionHarness) -> None:
    written(harness, "a\x00b")
    assert harness.do(harness.summaries.get("talk")).summary == "a\u2400b"


def test_no_summary_of_what_is_not_there(harness: SessionHarness) -> None:
    with pytest.raises(NotFoundError):
        harness.do(harness.summaries.get("other"))
    harness.do(harness.sessions.forget("talk", "person"))
    with pytest.raises(NotFoundError):
        harness.do(harness.summaries.get("talk"))
    with pytest.raises(NotFoundError):
        written(harness, "one")


def test_of_many_writers_one_wins_each_epoch(harness: SessionHarness) -> None:
    async def race(epoch: int) -> list[SummaryWritten]:
        writes = (harness.summaries.set("talk", f"writer {n}", "agent", expected_epoch=epoch) for n in range(20))
        return [answer.value for answer in await asyncio.gather(*writes)]

    for epoch in range(5):
        answers = harness.do(race(epoch))
        assert sum(answer.applied for answer in answers) == 1
        assert {answer.epoch for answer in answers} == {epoch + 1}


def undo(host: Host, *entries: int) -> tuple[int, ...]:
    return host.call("memory.undo", {"history_ids": list(entries)}).result().changes.history_ids


def test_undoing_brings_the_earlier_summary_back(host: Host) -> None:
    host.ask("session.append", session="talk", messages=[{"role": "user", "content": f"turn {n}"} for n in range(4)])
    host.ask("session.summary.set", session="talk", summary="Ana moved.", upper_seq=2)
    summary = host.call("session.summary.set", {"session": "talk", "summary": "All is lost.", "upper_seq": 4}).result()
    host.ask("session.rename", session="talk", title="Another title")
    (back,) = undo(host, *summary.changes.history_ids)
    state = host.ask("session.summary.get", session="talk")
    assert (state.summary, state.upper_seq, state.epoch) == ("Ana moved.", 2, 3)
    assert host.ask("session.get", session="talk").title == "Another title"
    undo(host, back)
    assert host.ask("session.summary.get", session="talk").summary == "All is lost."


def test_undoing_everything_leaves_no_summary(host: Host) -> None:
    turns = [{"role": "user", "content": f"turn {n} of a long talk about herons"} for n in range(40)]
    host.ask("session.append", session="talk", messages=turns, title="Herons")
    host.ask("session.summary.set", session="talk", summary="Ana moved.", upper_seq=2)
    host.ask("session.rename", session="talk", title="Another title")
    host.ask("session.compact", session="talk", retain_recent=4)
    host.ask("session.forget", session="talk")
    undo(host, *(entry.id for entry in host.ask("memory.history", target="talk")))
    state = host.ask("session.summary.get", session="talk")
    assert (state.summary, state.upper_seq) == ("", 0)
    assert host.ask("session.get", session="talk").title == "Herons"


def test_a_later_summary_has_to_be_undone_first(host: Host) -> None:
    host.ask("session.append", session="talk", messages=[{"role": "user", "content": "turn"}])
    first = host.call("session.summary.set", {"session": "talk", "summary": "one"}).result()
    host.ask("session.summary.set", session="talk", summary="two")
    with pytest.raises(StaleError, match=r"changed again since \(summary\)"):
        undo(host, *first.changes.history_ids)
