import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import InputError, NotFoundError
from app.sessions.summary import MAX_SUMMARY_CHARACTERS, SummaryWritten
from tests.unit.app.sessions.talks import Desk, open_desk, sized


@pytest.fixture
def desk(vault: Path) -> Iterator[Desk]:
    with open_desk(vault) as made:
        made.append(*sized(6))
        yield made


def written(desk: Desk, text: str, **given: int | None) -> SummaryWritten:
    return desk.do(desk.summaries.set("talk", text, "agent", **given)).value


def test_a_new_conversation_has_an_empty_summary(desk: Desk) -> None:
    state = desk.do(desk.summaries.get("talk"))
    assert (state.summary, state.epoch, state.upper_seq, state.last_seq) == ("", 0, 0, 6)


def test_a_write_counts_the_epoch_on(desk: Desk) -> None:
    assert written(desk, "Ana moved.", expected_epoch=0, upper_seq=4) == SummaryWritten(True, 1)
    assert written(desk, "Ana moved to Lisbon.", expected_epoch=1) == SummaryWritten(True, 2)
    state = desk.do(desk.summaries.get("talk"))
    assert (state.summary, state.epoch, state.upper_seq) == ("Ana moved to Lisbon.", 2, 4)


def test_a_stale_write_changes_nothing_and_is_no_error(desk: Desk) -> None:
    written(desk, "The newer one.", expected_epoch=0)
    answer = desk.do(desk.summaries.set("talk", "The slower one.", "agent", expected_epoch=0, upper_seq=6))
    assert answer.value == SummaryWritten(False, 1)
    assert not answer.changes.areas
    assert not answer.changes.ids
    state = desk.do(desk.summaries.get("talk"))
    assert (state.summary, state.upper_seq) == ("The newer one.", 0)


def test_without_an_epoch_it_is_replaced(desk: Desk) -> None:
    written(desk, "one")
    assert written(desk, "two") == SummaryWritten(True, 2)


def test_a_write_names_the_conversation(desk: Desk) -> None:
    changes = desk.do(desk.summaries.set("talk", "one", "agent")).changes
    assert (changes.areas, changes.ids, changes.actor) == (frozenset({"sessions"}), ("talk",), "agent")


@pytest.mark.parametrize("upper", [-1, 7])
def test_a_turn_that_is_not_there_cannot_be_summarised(desk: Desk, upper: int) -> None:
    with pytest.raises(InputError, match="from 0 to 6"):
        written(desk, "one", upper_seq=upper)
    assert desk.do(desk.summaries.get("talk")).epoch == 0


def test_a_summary_has_a_length(desk: Desk) -> None:
    with pytest.raises(InputError, match="characters"):
        written(desk, "x" * (MAX_SUMMARY_CHARACTERS + 1))


def test_what_cannot_be_stored_is_made_visible(desk: Desk) -> None:
    written(desk, "a\x00b")
    assert desk.do(desk.summaries.get("talk")).summary == "a\u2400b"


def test_no_summary_of_what_is_not_there(desk: Desk) -> None:
    with pytest.raises(NotFoundError):
        desk.do(desk.summaries.get("other"))
    desk.do(desk.sessions.forget("talk", "person"))
    with pytest.raises(NotFoundError):
        desk.do(desk.summaries.get("talk"))
    with pytest.raises(NotFoundError):
        written(desk, "one")


def test_of_many_writers_one_wins_each_epoch(desk: Desk) -> None:
    async def race(epoch: int) -> list[SummaryWritten]:
        writes = (desk.summaries.set("talk", f"writer {n}", "agent", expected_epoch=epoch) for n in range(20))
        return [answer.value for answer in await asyncio.gather(*writes)]

    for epoch in range(5):
        answers = desk.do(race(epoch))
        assert sum(answer.applied for answer in answers) == 1
        assert {answer.epoch for answer in answers} == {epoch + 1}
