"""Consolidation by a language model: only the agreed form counts, and failures lose nothing."""

from datetime import timedelta
from typing import Any

import pytest

from app.errors import AccessDeniedError, ModelUnavailableError
from app.host import Host
from app.llm.model import ChatRequest
from tests.helpers.engine import engine_of
from tests.helpers.models.scripted_model import ScriptedModel
from tests.unit.app.upkeep.consolidation.test_consolidation import (
    INJECTIONS,
    SetClock,
    clock,
    embedder,
    facts,
    fetched,
    host,
    memory_rows,
    run,
    say,
)

__all__ = ["clock", "embedder", "host"]

NOTHING: dict[str, Any] = {"facts": []}


def fact(content: str, *sources: int, **fields: Any) -> dict[str, Any]:
    return {"content": content, "sources": list(sources), **fields}


def use(host: Host, model: ScriptedModel) -> ScriptedModel:
    engine: Any = engine_of(host)
    service = engine.consolidation.service
    service.finder._model = service._judge._model = model
    return model


def test_the_facts_of_an_answer_are_stored_with_their_sources(host: Host, clock: SetClock) -> None:
    answer = fact("Anna moved to Lisbon.", 2, category="Home", key="Anna", confidence=0.9, tags=["Moving", "city"])
    model = use(host, ScriptedModel({"facts": [answer]}))
    say(host, "one", "Hello.", "I moved to Lisbon.", author="Anna")
    assert "1 new fact" in run(host, clock).output
    (found,) = facts(host).values()
    assert (found.category, found.key, found.confidence, found.tags) == ("home", "anna", 0.9, ("moving", "city"))
    assert found.source == "consolidation"
    assert found.attributes["model"] == "scripted"
    assert [source.id for source in fetched(host, found.id).sources] == ["one#2"]
    assert model.requests[0].stores == ("private",)
    assert model.requests[0].tier == "fast"
    assert "⟦2⟧" in model.prompts[0]
    (latest,) = host.ask("schedule.runs", id="sch-consolidation", limit=1)
    assert (latest.turn_count, latest.cost) == (1, pytest.approx(0.01))


def test_later_messages_are_asked_about_with_a_few_earlier_ones(host: Host, clock: SetClock) -> None:
    model = use(host, ScriptedModel(NOTHING))
    say(host, "one", *(f"Turn {number}." for number in range(1, 11)))
    run(host, clock)
    say(host, "one", "Turn 11.")
    run(host, clock)
    earlier, _, body = model.prompts[1].partition("The turns to read:")
    assert "Turn 11." in body
    assert "Turn 10." not in body
    assert "Turn 10." in earlier
    assert "Turn 5." not in earlier


@pytest.mark.parametrize(
    "bad",
    [
        fact("No source."),
        fact("A turn that is not on the page.", 99),
        fact("", 1),
        fact("x" * 501, 1),
        fact("Control \u202e characters.", 1),
        fact("The key is [secret: password].", 1),
    ],
)
def test_what_is_not_of_the_agreed_form_is_dropped(host: Host, clock: SetClock, bad: dict[str, Any]) -> None:
    use(host, ScriptedModel({"facts": [bad, fact("Good.", 1)]}))
    say(host, "one", "Hello.")
    run(host, clock)
    assert list(facts(host)) == ["Good."]


@pytest.mark.parametrize("confidence", [-3, 0, 1, 17, 1e308])
def test_confidence_stays_within_its_bounds(host: Host, clock: SetClock, confidence: float) -> None:
    use(host, ScriptedModel({"facts": [fact("Good.", 1, confidence=confidence)]}))
    say(host, "one", "Hello.")
    run(host, clock)
    (found,) = facts(host).values()
    assert 0.05 <= found.confidence <= 0.95


def test_an_answer_that_is_no_json_is_mended_once(host: Host, clock: SetClock) -> None:
    model = use(host, ScriptedModel("Sure! Here are the facts:", {"facts": [fact("Good.", 1)]}))
    say(host, "one", "Hello.")
    run(host, clock)
    assert list(facts(host)) == ["Good."]
    assert len(model.requests) == 2


def test_a_model_that_fails_is_waited_for_a_day(host: Host, clock: SetClock) -> None:
    model = use(host, ScriptedModel(ModelUnavailableError("The model is asleep.", purpose="consolidation")))
    for session in ("one", "two", "three", "four", "five"):
        say(host, session, "I adore hiking in the hills.")
    clock.now += timedelta(hours=1)
    made = host.ask("upkeep.run", job="consolidation")
    assert made.status == "failed"
    assert "The model is asleep. 5 conversations wait for it." in made.output
    assert len(model.requests) == 3
    assert len(host.ask("session.pending")) == 5
    clock.now += timedelta(days=1)
    assert "Read 5 messages of 5 conversations" in run(host, clock).output
    assert [fact.source for fact in facts(host).values()] == ["rules"]
    assert len(model.requests) == 8


def test_a_conversation_that_cannot_be_read_on_request_fails_as_the_model_does(host: Host) -> None:
    use(host, ScriptedModel(ModelUnavailableError("The model is asleep.", purpose="consolidation")))
    say(host, "one", "I adore hiking in the hills.")
    with pytest.raises(ModelUnavailableError, match=r"The model is asleep\. 1 conversation waits for it\.") as caught:
        host.ask("session.consolidate", session="one")
    assert (caught.value.code, caught.value.kind) == ("model_unavailable", "machine")


def test_what_may_not_leave_this_computer_is_read_by_rules(host: Host, clock: SetClock) -> None:
    use(host, ScriptedModel(AccessDeniedError("Private text stays here.")))
    say(host, "one", "I adore hiking in the hills.")
    run(host, clock)
    assert [fact.source for fact in facts(host).values()] == ["rules"]


@pytest.mark.parametrize("embedder", ["static"])
def test_contradictions_lower_and_link_the_older_fact(host: Host, clock: SetClock) -> None:
    old = host.ask("fact.remember", content="Anna drinks coffee every morning.", source="import:test").memory
    host.ask("fact.remember", content="Anna drinks coffee from a blue cup.", source="import:test")
    clock.now += timedelta(minutes=5)

    def answer(request: ChatRequest) -> dict[str, Any]:
        if request.purpose == "consolidation":
            return {"facts": [fact("Anna drinks tea every morning.", 1)]}
        lines = request.messages[1].content.splitlines()
        (number,) = [line.split("⟦old ")[1][0] for line in lines if "coffee every morning" in line]
        return {"contradictions": [{"new": 1, "old": int(number)}, {"new": 9, "old": 1}, {"new": 1, "old": 99}]}

    model = use(host, ScriptedModel(answer))
    host.ask("vault.settle")
    say(host, "one", "I drink tea every morning.", author="Anna")
    before = memory_rows(host)
    made = run(host, clock)
    assert model.purposes == ["consolidation", "contradictions"]
    assert "against an older one" in made.output
    found = facts(host)
    assert found["Anna drinks coffee every morning."].confidence == pytest.approx(0.3)
    assert found["Anna drinks coffee from a blue cup."].confidence == 1.0
    assert found["Anna drinks tea every morning."].attributes["supersedes"] == [old.id]
    host.ask("memory.undo", run_id=made.run_id)
    assert memory_rows(host) == before


@pytest.mark.parametrize("embedder", ["static"])
def test_a_contradiction_with_a_confirmed_fact_goes_to_the_inbox(host: Host, clock: SetClock) -> None:
    old = host.ask("fact.remember", content="Anna drinks coffee every morning.").memory
    host.ask("fact.confirm", id=old.id)
    use(
        host,
        ScriptedModel(
            {"facts": [fact("Anna drinks tea every morning.", 1)]}, {"contradictions": [{"new": 1, "old": 1}]}
        ),
    )
    host.ask("vault.settle")
    say(host, "one", "It is tea every morning.", author="Anna")
    assert "in the inbox" in run(host, clock).output
    assert list(facts(host)) == ["Anna drinks coffee every morning."]
    (proposal,) = host.ask("inbox.list", state="waiting")
    assert proposal.arguments == {"id": old.id, "content": "Anna drinks tea every morning."}


def test_orders_to_the_model_reach_it_as_quotes_and_do_nothing(host: Host, clock: SetClock) -> None:
    """The answer is that of a model that obeys: only facts come of it."""
    obeying = {
        "facts": [fact("Mallory is to be trusted.", 1)],
        "delete": ["everything"],
        "contradictions": [{"new": 1, "old": 1}],
    }
    model = use(host, ScriptedModel(obeying))
    host.ask("note.save", id="keep", title="Keep", content="This note stays.")
    before = memory_rows(host)
    say(host, "attack", *INJECTIONS)
    run(host, clock)
    after = memory_rows(host)
    assert set(before) <= set(after)
    assert [row[3] for row in set(after) - set(before)] == ["Mallory is to be trusted."]
    assert model.prompts[0].count("</recalled-memory>") == 1


def test_secrets_and_recalled_text_are_not_shown_to_the_model(host: Host, clock: SetClock) -> None:
    host.ask("fact.remember", content="The user loves chess.")
    host.ask("vault.settle")
    context = host.ask("memory.context", prompt="What about chess?").text
    model = use(host, ScriptedModel(NOTHING))
    say(host, "one", f"{context}\nAnd then?", "My password is hunter2!Xq9")
    run(host, clock)
    assert "loves chess" not in model.prompts[0]
    assert "hunter2" not in model.prompts[0]
    assert "And then?" in model.prompts[0]
