"""Rolling summaries by a language model: only where wanted, and never over a newer one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import ModelUnavailableError
from app.llm.model import ChatAnswer, ChatRequest
from app.sessions.compaction.extractive_summary import HEADING
from app.sessions.compaction.model_summary import ModelSummariser
from app.sessions.model import NewMessage
from tests.helpers.guards.unexpected_logs import AllowLogs
from tests.helpers.models.scripted_model import ScriptedModel
from tests.unit.app.sessions.session_harness import SessionHarness, open_harness


@pytest.fixture
def harness(vault: Path) -> Iterator[SessionHarness]:
    with open_harness(vault, ModelSummariser(MODEL, lambda: WANTED[0])) as made:
        yield made


MODEL = ScriptedModel({"summary": ""})
WANTED = [True]


def use(*answers: object) -> ScriptedModel:
    MODEL.__init__(*answers)  # type: ignore[misc]
    WANTED[0] = True
    return MODEL


def talk(harness: SessionHarness) -> None:
    harness.append(*[NewMessage("user", f"Saying {number}.") for number in range(30)])


def test_the_model_writes_and_its_name_is_kept(harness: SessionHarness) -> None:
    model = use({"summary": "They counted sayings."})
    talk(harness)
    done = harness.do(harness.compaction.compact("talk", "person", retain=5)).value
    assert (done.summary, done.made_by, done.upper_seq) == ("They counted sayings.", "scripted", 25)
    assert "Saying 24." in model.prompts[0]
    assert "Saying 25." not in model.prompts[0]
    talk(harness)
    harness.do(harness.compaction.compact("talk", "person", retain=5))
    assert "They counted sayings." in model.prompts[1]


@pytest.mark.parametrize("how", ["not wanted", "not there"])
def test_without_the_model_messages_are_listed(harness: SessionHarness, how: str) -> None:
    model = use({"summary": "They counted sayings."})
    WANTED[0] = how != "not wanted"
    model.is_available = how != "not there"
    talk(harness)
    done = harness.do(harness.compaction.compact("talk", "person", retain=5)).value
    assert done.summary.startswith(HEADING)
    assert done.made_by == "condensed"
    assert model.requests == []


@pytest.mark.parametrize(
    "bad",
    [
        ModelUnavailableError("Asleep.", purpose="rolling-summary"),
        "no JSON",
        {"summary": " "},
        {"summary": "too long " * 5000},
    ],
)
def test_what_the_model_cannot_do_is_listed_with_the_reason(
    harness: SessionHarness, allow_logs: AllowLogs, bad: object
) -> None:
    allow_logs("wrote no summary")
    use(bad)
    talk(harness)
    done = harness.do(harness.compaction.compact("talk", "person", retain=5)).value
    assert done.summary.startswith(HEADING)
    assert done.note


def test_a_slow_model_does_not_overwrite_a_newer_summary(harness: SessionHarness) -> None:
    talk(harness)

    class Slow(ScriptedModel):
        async def complete(self, request: ChatRequest) -> ChatAnswer:
            await harness.summaries.set("talk", "Newer.", "scout", upper_seq=3)
            return await super().complete(request)

    harness.compaction._summariser = ModelSummariser(Slow({"summary": "Older."}), lambda: True)
    done = harness.do(harness.compaction.compact("talk", "person", retain=5)).value
    assert (done.applied, done.reason, done.summary) == (False, "stale", "Newer.")
