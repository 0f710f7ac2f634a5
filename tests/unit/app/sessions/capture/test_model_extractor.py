"""Observations from completed turns by a language model."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest

from app.errors import AccessDeniedError, ModelUnavailableError
from app.host import Host
from app.sessions.capture.model_extractor import MAX_OBSERVATIONS, ModelExtractor
from app.sessions.model import Message, Session
from tests.helpers.engine import engine_of
from tests.helpers.models.scripted_model import ScriptedModel

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SESSION = Session("talk", "", "scout", "", NOW, NOW, 2)


def observation(title: str, *sources: int, **fields: Any) -> dict[str, Any]:
    return {"title": title, "sources": list(sources), **fields}


def turn(seq: int, text: str, role: Any = "user") -> Message:
    return Message("talk", seq, role, "", text, NOW, 0.5, 10)


def extract(model: ScriptedModel, *messages: Message) -> Any:
    return asyncio.run(ModelExtractor(model).extract(SESSION, messages))


def test_an_observation_has_type_title_narrative_facts_and_sources() -> None:
    found = observation("Ship on Friday", 2, type="Decision", narrative="They ship.", facts=["They ship on Friday."])
    model = ScriptedModel({"observations": [found]})
    (draft,) = extract(model, turn(1, "When?"), turn(2, "On Friday.", "assistant"))
    assert (draft.kind, draft.type, draft.title, draft.content) == (
        "observation",
        "decision",
        "Ship on Friday",
        "They ship.",
    )
    assert draft.facts == ("They ship on Friday.",)
    assert [source.id for source in draft.sources] == ["talk#2"]
    assert draft.attributes == {"model": "scripted", "prompt": "auto-capture 1"}
    assert model.requests[0].stores == ("private",)


@pytest.mark.parametrize(
    "bad",
    [
        observation("", 1),
        observation("x" * 121, 1),
        observation("No source."),
        observation("Another conversation's turn", 99),
        observation("A secret", 1, narrative="It is [secret: password]."),
    ],
)
def test_what_is_not_of_the_agreed_form_is_dropped(bad: dict[str, Any]) -> None:
    drafts = extract(ScriptedModel({"observations": [bad, observation("Good", 1, type="order")]}), turn(1, "Hi."))
    assert [(draft.title, draft.type) for draft in drafts] == [("Good", "note")]


def test_no_more_than_a_few_are_taken() -> None:
    many = [observation(f"Number {number}", 1) for number in range(100)]
    assert len(extract(ScriptedModel({"observations": many}), turn(1, "Hi."))) == MAX_OBSERVATIONS


def test_secrets_and_tools_are_not_shown() -> None:
    model = ScriptedModel({"observations": []})
    extract(model, turn(1, "My password is hunter2!Xq9"), turn(2, "Secret output", "tool"), turn(3, "Fine."))
    assert "hunter2" not in model.prompts[0]
    assert "Secret output" not in model.prompts[0]
    assert "Fine." in model.prompts[0]


def test_without_anything_said_nobody_is_asked() -> None:
    model = ScriptedModel({"observations": []})
    assert extract(model, turn(1, "Output", "tool")) == ()
    assert model.requests == []


def test_a_model_that_may_not_read_it_finds_nothing_and_one_that_fails_says_so() -> None:
    assert extract(ScriptedModel(AccessDeniedError("Private text stays here.")), turn(1, "Hi.")) == ()
    with pytest.raises(ModelUnavailableError):
        extract(ScriptedModel(ModelUnavailableError("Asleep.", purpose="auto-capture")), turn(1, "Hi."))


def test_in_a_running_vault_turns_become_observations(host: Host) -> None:
    engine: Any = engine_of(host)
    found = observation("Ship on Friday", 4, type="decision", facts=["They ship on Friday."])
    model = ScriptedModel({"observations": [found]})
    capture = engine.sessions.after_turn._capture
    capture._extractor._model = model
    turns = [{"role": role, "content": f"About shipping, {n}."} for n in range(2) for role in ("user", "assistant")]
    model.is_available = False
    host.ask("session.append", session="talk", messages=turns[:3])
    host.submit(engine.sessions.after_turn.look_after_all(0.0)).result()
    assert model.requests == []
    model.is_available = True
    host.ask("session.append", session="talk", messages=turns[3:])
    host.submit(engine.sessions.after_turn.look_after_all(0.0)).result()
    host.submit(engine.sessions.after_turn.look_after_all(0.0)).result()
    assert len(model.requests) == 1
    (row,) = host.ask("memory.list")
    (kept,) = host.ask("memory.get", id=row.id).memories
    assert (kept.source, kept.store, kept.type, kept.facts) == (
        "auto_capture",
        "private",
        "decision",
        ("They ship on Friday.",),
    )
