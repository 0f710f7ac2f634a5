"""Session summaries by a language model: rarely written, kept when it fails."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import ModelUnavailableError
from app.sessions.model import NewMessage
from app.sessions.narrative import MAX_CHARACTERS, SessionNarrator
from app.sessions.session_summaries import NEW_MESSAGES, SessionSummaryService
from tests.helpers.models.scripted_model import ScriptedModel
from tests.unit.app.sessions.session_harness import SessionHarness, open_harness


@pytest.fixture
def harness(vault: Path) -> Iterator[SessionHarness]:
    with open_harness(vault) as made:
        yield made


def talk(harness: SessionHarness, count: int, text: str = "I moved to Lisbon.") -> None:
    harness.append(*[NewMessage("user", f"{text} {n}") for n in range(count)])


def rolled(harness: SessionHarness, model: ScriptedModel) -> str:
    service = SessionSummaryService(harness.store, harness.clock, SessionNarrator(model))
    harness.clock.ms += 1000
    done = harness.do(service.roll("talk", "after-turn")).value
    return "" if done is None else done.summary


def test_an_account_is_written_once_for_several_messages(harness: SessionHarness) -> None:
    model = ScriptedModel({"summary": "First."}, {"summary": "Second."})
    talk(harness, NEW_MESSAGES - 1)
    assert "I moved to Lisbon." in rolled(harness, model)
    assert model.requests == []
    talk(harness, 1)
    assert rolled(harness, model) == "First."
    talk(harness, NEW_MESSAGES - 1)
    assert rolled(harness, model) == "First."
    assert len(model.requests) == 1
    talk(harness, 1, "I left Lisbon.")
    assert rolled(harness, model) == "Second."
    assert "First." in model.prompts[1]
    assert "I left Lisbon." in model.prompts[1]
    assert "⟦1⟧" not in model.prompts[1]


@pytest.mark.parametrize(
    "bad", [ModelUnavailableError("Asleep.", purpose="session-summary"), "no JSON", {"summary": ""}]
)
def test_a_model_that_fails_leaves_the_account(harness: SessionHarness, bad: object) -> None:
    model = ScriptedModel({"summary": "First."}, bad)  # type: ignore[arg-type]
    talk(harness, NEW_MESSAGES)
    assert rolled(harness, model) == "First."
    talk(harness, NEW_MESSAGES)
    assert rolled(harness, model) == "First."


def test_without_a_usable_account_the_summary_lists_what_there_is(harness: SessionHarness) -> None:
    talk(harness, NEW_MESSAGES)
    for model in (ScriptedModel("no JSON"), ScriptedModel({"summary": "x" * (MAX_CHARACTERS + 1)})):
        assert "I moved to Lisbon." in rolled(harness, model)


def test_with_no_model_any_more_the_list_takes_over_in_time(harness: SessionHarness) -> None:
    model = ScriptedModel({"summary": "First."})
    talk(harness, NEW_MESSAGES)
    assert rolled(harness, model) == "First."
    model.is_available = False
    talk(harness, 1)
    assert rolled(harness, model) == "First."
    talk(harness, NEW_MESSAGES)
    assert "I moved to Lisbon." in rolled(harness, model)


def test_a_slow_model_does_not_overwrite_a_newer_account(harness: SessionHarness) -> None:
    talk(harness, NEW_MESSAGES)

    class Slow(ScriptedModel):
        async def complete(self, request):  # type: ignore[no-untyped-def]
            quick = SessionSummaryService(
                harness.store, harness.clock, SessionNarrator(ScriptedModel({"summary": "Newer."}))
            )
            await quick.roll("talk", "somebody")
            return await super().complete(request)

    assert rolled(harness, Slow({"summary": "Older."})) == "Newer."
