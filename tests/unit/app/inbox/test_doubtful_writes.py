"""Agents' writes that wait whatever the agent's settings: removals, contradictions, and Keepsake's own jobs."""

from dataclasses import replace
from typing import Any

import pytest

from app.api.caller import Caller
from app.errors import AccessDeniedError
from app.host import Host

SCOUT = Caller("scout", "full", agent_id="agt-1")
INNER = Caller("other", "inner", agent_id="agt-2")
STRICT = Caller("strict", "full", agent_id="agt-3", review=True)


def call(host: Host, caller: Caller, operation: str, **arguments: Any) -> Any:
    return host.call(operation, arguments, caller).result(30)


def why(host: Host) -> str:
    (proposal,) = host.ask("inbox.list")
    host.ask("inbox.reject", id=proposal.id)
    return str(proposal.preview.why)


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("note.delete", {"id": "note"}),
        ("fact.forget", {"id": "fact"}),
        ("note.delete_many", {"ids": ["note", "mine"]}),
        ("archive.put", {"ids": ["note"]}),
        ("note.merge", {"ids": ["note", "second"], "into": "mine"}),
        ("session.forget", {"session": "talk"}),
        ("graph.delete_observations", {"observations": [{"entity": "Riga", "contents": ["A city."]}]}),
    ],
)
def test_removing_what_others_wrote_waits_unless_the_client_asked(
    host: Host, operation: str, arguments: dict[str, Any]
) -> None:
    ids = {
        "note": host.ask("note.save", content="The person's own").id,
        "second": host.ask("note.save", content="The person's second").id,
        "fact": host.ask("fact.remember", content="The person likes tea").memory.id,
        "mine": call(host, SCOUT, "note.save", content="An agent's own").value.id,
        "talk": host.ask("session.create", title="A talk").id,
    }
    host.ask("graph.create_entities", entities=[{"name": "Riga", "type": "city", "observations": ["A city."]}])
    given = {
        name: [ids.get(one, one) for one in value] if name == "ids" else ids.get(str(value), value)
        for name, value in arguments.items()
    }
    if operation == "note.merge" and "into" not in _names(host, operation):
        given.pop("into")
    assert call(host, SCOUT, operation, **given).outcome == "proposed"
    assert why(host) == "destructive"
    assert call(host, replace(SCOUT, has_confirmed=True), operation, **given).outcome == "done"


def _names(host: Host, operation: str) -> set[str]:
    return {parameter.name for parameter in host.catalogue.operations[operation].parameters}


def test_what_it_wrote_itself_an_agent_removes_at_once(host: Host) -> None:
    note = call(host, SCOUT, "note.save", content="An agent's own", source="a web page").value
    assert call(host, SCOUT, "note.delete", id=note.id).outcome == "done"
    call(host, SCOUT, "graph.create_entities", entities=[{"name": "Riga", "type": "city", "observations": ["A city."]}])
    assert call(host, SCOUT, "graph.delete_entities", names=["Riga"]).outcome == "done"
    assert host.ask("inbox.count") == 0


def test_a_rule_of_the_person_lets_removals_through(host: Host) -> None:
    note = host.ask("note.save", content="The person's own")
    host.ask("inbox.rule.set", action="accept", agent="scout", kind="note")
    assert call(host, SCOUT, "note.delete", id=note.id).outcome == "done"


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("memory.write", {"content": "Mara lives in Oslo.", "kind": "fact"}),
        ("memory.write", {"content": "We met. Mara lives in Oslo.", "key": "k"}),
        ("memory.write", {"content": "Talk of Mara", "facts": ["Mara lives in Oslo."]}),
        ("fact.remember", {"content": "Mara does not live in Riga."}),
        ("fact.set", {"category": "home", "key": "mara", "value": "Mara lives in Oslo."}),
        ("fact.batch", {"facts": [{"content": "Tea is green."}, {"content": "Mara lives in Oslo."}]}),
    ],
)
def test_what_contradicts_a_confirmed_fact_waits(host: Host, operation: str, arguments: dict[str, Any]) -> None:
    fact = host.ask("fact.remember", content="Mara lives in Riga.", store="shared").memory
    assert call(host, SCOUT, "fact.remember", content="Mara lives in Bonn.").outcome == "done"  # not confirmed yet
    host.ask("fact.confirm", id=fact.id)
    assert call(host, SCOUT, operation, **arguments).outcome == "proposed"
    assert why(host) == "contradiction"
    assert call(host, SCOUT, "fact.remember", content="Mara likes tea from Riga.").outcome == "done"


def test_a_hidden_fact_contradicts_nothing(host: Host) -> None:
    fact = host.ask("fact.remember", content="Mara lives in Riga.", store="private").memory
    host.ask("fact.confirm", id=fact.id)
    assert call(host, INNER, "fact.remember", content="Mara lives in Oslo.").outcome == "done"


@pytest.mark.parametrize("caller", [SCOUT, STRICT])
@pytest.mark.parametrize("operation", ["schedule.run_now", "schedule.update", "schedule.prune"])
def test_keepsakes_own_jobs_are_the_persons(host: Host, caller: Caller, operation: str) -> None:
    given: dict[str, dict[str, Any]] = {
        "schedule.update": {"patch": {"status": "paused"}},
        "schedule.prune": {"keep": 0},
    }
    arguments = {"id": "sch-retention", **given.get(operation, {})}
    before = host.ask("schedule.get", id="sch-retention")
    assert call(host, caller, operation, **arguments).outcome == "proposed"
    assert why(host) == "upkeep"
    after = host.ask("schedule.get", id="sch-retention")
    assert (after.status, after.last_run_at) == (before.status, before.last_run_at)
    host.ask("inbox.rule.set", action="reject", agent=caller.name, kind="upkeep")
    with pytest.raises(AccessDeniedError):
        call(host, caller, operation, **arguments)
    if operation == "schedule.update":
        host.ask("inbox.rule.set", action="accept", agent=caller.name, kind="upkeep")
        assert call(host, caller, operation, **arguments).outcome == "done"


@pytest.mark.parametrize("is_protected", [False, True])
def test_protection_of_what_an_agent_does_not_see_changes_none_of_its_answers(host: Host, is_protected: bool) -> None:
    def relate(target: str) -> Any:
        relation = {"source": "Riga", "target": target, "type": "near"}
        return call(host, INNER, "graph.create_relations", relations=[relation])

    host.ask("note.save", content="I flew from Riga to Tallinn.")
    host.ask("vault.settle", names=True)
    assert relate("Tallinn").outcome == "done"
    if is_protected:
        for row in host.ask("entity.list", limit=10):
            host.ask("entity.protect", id=row.id)
        (riga, _) = (row.id for row in host.ask("entity.list", filter={"protected": True}, order="name"))
    answers = [relate("Vilnius")]
    answers.append(call(host, INNER, "graph.delete_relations", relations=answers[0].value))
    answers.append(call(host, INNER, "graph.delete_entities", names=["Riga", "Nowhere"]))
    assert [(answer.outcome, answer.value) for answer in answers[1:]] == [("done", 1), ("done", 1)]
    assert host.ask("inbox.count") == 0
    if is_protected:
        assert host.ask("entity.info", id=riga).entity.protected
