"""The enrichment job in a running host: with and without a model, merges in the inbox, undo, and what it says."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.errors import AccessDeniedError, KeepsakeError, ModelUnavailableError, NotFoundError
from app.host import Host
from app.llm.model import ChatRequest
from tests.helpers.engine import engine_of
from tests.helpers.models.scripted_model import Answer, ScriptedModel

NAMES = {"ada": "person", "lovelace": "person", "tern": "location"}


def by_list(request: ChatRequest) -> Answer:
    text = request.messages[-1].content
    return json.dumps({"names": [{"text": name, "type": kind} for name, kind in NAMES.items() if name in text]})


def start(vault: Path, **overrides: Any) -> Host:
    settings = {"embedding.model": "hashed", "backup.daily": False, "ner.spacy_pipeline": "none", **overrides}
    host = Host(vault, serve=False, overrides=settings)
    host.start()
    host.ask("vault.settle", names=True)
    return host


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    running = start(vault)
    yield running
    running.stop()


def with_model(host: Host, model: ScriptedModel) -> ScriptedModel:
    engine_of(host).entities.enrichment.strategy.model._model = model
    return model


def names(host: Host) -> dict[str, int]:
    host.ask("vault.settle", names=True)
    return {row.name: row.mentions for row in host.ask("entity.list")}


def run(host: Host) -> Any:
    run = host.ask("upkeep.run", job="enrichment")
    assert run.status == "succeeded", run.output
    return run


def notes(host: Host, *texts: str, **fields: Any) -> None:
    for text in texts:
        host.ask("note.save", content=text, **fields)
    host.ask("vault.settle", names=True)


def test_without_model_or_spacy_it_says_so_and_still_proposes(host: Host) -> None:
    notes(host, "Eugene Schwartz and Mary came.", "Eugene Schwartz, again.", "Eugene Shwartz called.")
    plan = host.ask("upkeep.plan", job="enrichment")
    assert [change.action for change in plan.changes] == ["propose"]
    assert "Neither spaCy nor a language model" in plan.notes[0]
    assert host.ask("inbox.count") == 0
    output = run(host).output
    assert "No text was searched again. Neither spaCy nor a language model" in output
    assert "Proposed 1 merge of entities" in output
    assert host.ask("inbox.count") == 1


def test_switched_off_in_the_settings_no_model_is_used(host: Host) -> None:
    model = with_model(host, ScriptedModel(by_list))
    host.ask("settings.set", name="ner.accurate", value=False)
    notes(host, "yesterday ada came")
    assert "switched off in the settings" in run(host).output
    assert model.requests == []


def test_names_are_linked_once_and_undone_as_one(host: Host) -> None:
    model = with_model(host, ScriptedModel(by_list))
    notes(host, "yesterday ada came", "yesterday lovelace came")
    host.ask("session.append", session="s", messages=[{"role": "user", "content": "there is a tern over there"}])
    before = names(host)
    assert host.ask("upkeep.plan", job="enrichment").total == 3
    made = run(host)
    assert made.output == "Searched 3 texts again. Linked 3 names."
    assert names(host) == before | {"ada": 1, "lovelace": 1, "tern": 1}
    again = run(host)
    assert again.output == "Searched 0 texts again. Linked 0 names."
    assert len(model.requests) == 3
    host.ask("memory.undo", run_id=made.run_id)
    assert names(host) == before
    assert run(host).output.startswith("Searched 0 texts")
    with pytest.raises(NotFoundError):
        host.ask("memory.undo", run_id=made.run_id)


def test_it_goes_on_where_it_was(vault: Path) -> None:
    host = start(vault, **{"enrichment.limit": 2})
    with_model(host, ScriptedModel(by_list))
    notes(host, *(f"yesterday ada came {number} times" for number in range(5)))
    assert "Searched 2 texts" in run(host).output
    host.stop()
    host = start(vault, **{"enrichment.limit": 2})
    with_model(host, ScriptedModel(by_list))
    assert "Searched 2 texts" in run(host).output
    assert "Searched 1 text again" in run(host).output
    assert names(host) == {"ada": 5}
    host.stop()


def test_a_model_that_is_away_is_left_alone_after_three_tries(host: Host) -> None:
    model = with_model(host, ScriptedModel(lambda _: ModelUnavailableError("The model is away.")))
    notes(host, *(f"yesterday ada came {number} times" for number in range(6)))
    assert "The model is away." in run(host).output
    assert len(model.requests) == 3
    model._answers[:] = [by_list]
    assert "Searched 6 texts" in run(host).output


def test_one_text_without_a_usable_answer_does_not_come_back_every_night(host: Host) -> None:
    def answer(request: ChatRequest) -> Answer:
        return "I cannot." if "poison" in request.messages[1].content else by_list(request)

    model = with_model(host, ScriptedModel(answer))
    notes(host, "yesterday ada came", "this is poison for the model")
    assert "Searched 1 text again" in run(host).output
    requests = len(model.requests)
    run(host)
    assert len(model.requests) == requests


def test_private_texts_stay_and_others_are_searched(host: Host) -> None:
    def answer(request: ChatRequest) -> Answer | KeepsakeError:
        if "private" in request.stores:
            return AccessDeniedError("Private texts stay on this machine.")
        return by_list(request)

    model = with_model(host, ScriptedModel(answer))
    notes(host, "yesterday lovelace came", store="shared")
    notes(host, "yesterday ada came", "the day before ada came")
    output = run(host).output
    assert "Searched 1 text again. Linked 1 name." in output
    assert "Private texts were left out" in output
    assert names(host) == {"lovelace": 1}
    assert len(model.requests) == 2


def test_a_merge_is_accepted_and_undone_for_good(host: Host) -> None:
    notes(host, "Eugene Schwartz and Mary came.", "Eugene Schwartz, again.", "Eugene Shwartz called.")
    run(host)
    (proposal,) = host.ask("inbox.list")
    assert (proposal.agent, proposal.operation, proposal.kind) == ("keepsake", "entity.merge", "entity")
    assert "“Eugene Shwartz” may be “Eugene Schwartz”" in proposal.reason
    assert {change.target_kind for change in proposal.preview.changes} == {"entity"}
    assert host.ask("entity.duplicates")[0].proposal == proposal.id
    (decision,) = host.ask("inbox.accept", id=proposal.id)
    assert decision.state == "accepted", decision
    assert names(host)["Eugene Schwartz"] == 3
    assert host.ask("entity.duplicates") == []
    host.ask("memory.undo", run_id=decision.run_id)
    assert names(host)["Eugene Schwartz"] == 2
    run(host)
    assert host.ask("inbox.count") == 1  # it waits again
    assert host.ask("entity.duplicates") == []


def test_a_refused_pair_is_never_proposed_again(host: Host) -> None:
    notes(host, "Eugene Schwartz and Mary came.", "Eugene Schwartz, again.", "Eugene Shwartz called.")
    run(host)
    (proposal,) = host.ask("inbox.list")
    host.ask("inbox.reject", id=proposal.id)
    assert host.ask("entity.duplicates") == []
    run(host)
    assert host.ask("inbox.count") == 0
    assert host.ask("inbox.count", state="rejected") == 1


def test_undo_of_a_run_withdraws_its_proposals(host: Host) -> None:
    notes(host, "Eugene Schwartz and Mary came.", "Eugene Schwartz, again.", "Eugene Shwartz called.")
    made = run(host)
    host.ask("memory.undo", run_id=made.run_id)
    assert host.ask("inbox.count", state="all") == 0
    run(host)
    assert host.ask("inbox.count") == 0
    assert [pair.proposal for pair in host.ask("entity.duplicates")] == [None]


def test_at_most_twenty_proposals_wait(host: Host) -> None:
    people = ["Abbot", "Barker", "Carver", "Denman", "Eldred", "Fowler", "Garner", "Hooper"]
    for given in ("Alice", "Peter", "Laura"):
        notes(host, *(f"We met {given} {name} there. Then {given} B. {name} called." for name in people))
    pairs = host.ask("entity.duplicates", limit=100)
    assert len(pairs) > 20
    assert "Proposed 20 merges" in run(host).output
    assert "Proposed" not in run(host).output
    host.ask("inbox.reject", ids=[one.id for one in host.ask("inbox.list")])
    assert f"Proposed {min(20, len(pairs) - 20)} merge" in run(host).output


def test_an_erased_name_stays_in_no_proposal_and_no_found_names(host: Host) -> None:
    with_model(host, ScriptedModel(by_list))
    notes(host, "Eugene Schwartz and Mary came.", "Eugene Schwartz, again.", "Eugene Shwartz called, with ada.")
    run(host)
    assert host.ask("inbox.count") == 1
    (erased,) = [row.id for row in host.ask("note.rows", ids=host.ask("note.ids")) if "Shwartz" in row.preview]
    receipt = host.ask("memory.forget_forever", ids=[erased], confirm=True)
    assert receipt.verified, receipt
    assert host.ask("inbox.count", state="all") == 0
    assert "ada" not in names(host)


def test_only_merges_are_done_in_keepsakes_own_name(host: Host) -> None:
    notes(host, "Eugene Schwartz and Mary came.", "Eugene Schwartz, again.", "Eugene Shwartz called.")
    run(host)
    (proposal,) = host.ask("inbox.list")
    with pytest.raises(KeepsakeError):
        host.ask("inbox.edit", id=proposal.id, arguments={"ids": [], "into": "ent-none"})
    store = engine_of(host).store

    def plant(connection: Any) -> None:
        sql = "UPDATE inbox SET operation = 'memory.forget_forever', arguments = '{\"ids\": [\"x\"]}'"
        connection.execute(sql)

    host.submit(store.write(plant)).result()
    (decision,) = host.ask("inbox.accept", id=proposal.id)
    assert decision.state == "failed"


def test_a_first_name_that_a_person_decided_about_is_asked_about_first(host: Host) -> None:
    notes(host, "Kenji Tanaka came to dinner, and Kenji brought tea.", "Kenji said it was good. Kenji Tanaka laughed.")
    notes(host, "Eugene Schwartz and Mary came.", "Eugene Schwartz, again.", "Eugene Shwartz called.")
    (full,) = [row.id for row in host.ask("entity.list") if row.name == "Kenji Tanaka"]
    host.ask("entity.protect", id=full)
    before = names(host)
    planned = [change.title for change in host.ask("upkeep.plan", job="enrichment").changes]
    assert sorted(planned) == ["Eugene Shwartz → Eugene Schwartz", "Kenji → Kenji Tanaka"]
    run(host)
    assert names(host) == before
    assert before["Kenji"] == before["Kenji Tanaka"] == 2
    host.ask("inbox.accept", ids=[one.id for one in host.ask("inbox.list")])
    assert names(host)["Kenji Tanaka"] == 4


def test_a_first_name_in_a_note_that_links_to_the_full_name_is_joined(host: Host) -> None:
    notes(host, "Kenji Tanaka plays chess.", title="Lunch")
    notes(host, "Kenji brought tea, see [[Lunch]].")
    assert "Joined 1 short name" in run(host).output


@pytest.mark.parametrize(
    "texts",
    [
        ("Kenji Tanaka came.", "Kenji Mori came.", "Kenji said so."),
        ("Kenji Tanaka came.", "Kenji said so elsewhere."),
    ],
    ids=["a rival", "far away"],
)
def test_a_first_name_with_a_rival_or_far_away_is_neither_joined_nor_asked_about(
    host: Host, texts: tuple[str, ...]
) -> None:
    notes(host, *texts)
    run(host)
    assert host.ask("inbox.count") == 0
