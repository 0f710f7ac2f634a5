"""Search for mentions of named people and things under all their aliases."""

from typing import Any

import pytest

from app.api.caller import Caller
from app.entities.model import EntityFilter
from app.host import Host
from app.retrieval.candidates.entity_retriever import possible_names
from app.retrieval.model import Found, Hit
from app.retrieval.query.parser import parse
from app.retrieval.recipes import RECIPES

WITH_MENTIONS = sorted(name for name, recipe in RECIPES.items() if "entity" in recipe.legs)


@pytest.fixture
def people(host: Host) -> Host:
    host.ask(
        "session.append",
        session="club",
        messages=[
            {"role": "user", "content": "Robert Smith plays chess on Sundays."},
            {"role": "assistant", "content": "The library opens at nine."},
            {"role": "user", "content": "A tournament of chess is in Dover."},
            {"role": "user", "content": "Yesterday Robert Smith went rowing."},
        ],
    )
    host.ask("note.save", content="Robert Smith lives in Vienna.", store="shared")
    host.ask("note.save", content="Buy bread and milk.")
    host.ask("vault.settle", names=True)
    return host


def entity(host: Host, name: str) -> str:
    rows = host.ask("entity.list", filter=EntityFilter(prefix=name))
    return next(str(row.id) for row in rows if row.name == name)


def search(host: Host, query: str, stores: str = "full", **fields: Any) -> Found:
    result: Found = host.ask("memory.search", query=query, **fields)
    return result


def mentioning(found: Found) -> set[str]:
    return {hit.id if hit.target == "message" else "note" for hit in found.hits if entity_leg(hit)}


def entity_leg(hit: Hit) -> bool:
    return any(leg.leg == "entity" for leg in hit.why.legs)


@pytest.mark.parametrize("recipe", WITH_MENTIONS)
def test_a_new_name_finds_what_was_said_under_the_old_one(people: Host, recipe: str) -> None:
    assert mentioning(search(people, "Qwertina", recipe=recipe)) == set()
    people.ask("entity.rename", id=entity(people, "Robert Smith"), name="Qwertina")
    found = search(people, "What about Qwertina's week?", recipe=recipe)
    first = {hit.id if hit.target == "message" else "note" for hit in found.hits[:3]}
    assert first == mentioning(found) == {"club#1", "club#4", "note"}
    assert "entity" in found.legs
    best = search(people, "Qwertina chess", recipe=recipe).hits[0]
    assert best.id == "club#1"


def test_the_recipes_that_fuse_mentions() -> None:
    assert WITH_MENTIONS == ["balanced", "learned", "rrf", "words"]


def test_the_names_of_a_merged_entity_find_each_other(people: Host) -> None:
    people.ask("note.save", content="Bobby Tables bought a drum.", title="Drum")
    people.ask("vault.settle", names=True)
    people.ask("entity.merge", ids=[entity(people, "Bobby Tables")], into=entity(people, "Robert Smith"))
    found = search(people, "Bobby Tables", recipe="words")
    assert {"club#1", "club#4"} <= mentioning(found)
    assert not entity_leg(found.hits[0])
    assert found.hits[0].title == "Drum"


def test_rrf_adds_up_the_list_of_all_mentions(people: Host) -> None:
    hit = next(hit for hit in search(people, "Robert Smith", recipe="rrf").hits if hit.id == "club#1")
    ranks = {leg.leg: leg.rank for leg in hit.why.legs}
    assert {"words", "entity"} <= ranks.keys()
    assert hit.score == pytest.approx(sum(1 / (60 + rank) for rank in ranks.values()))


@pytest.mark.parametrize("recipe", ["words", "learned", "balanced"])
@pytest.mark.parametrize("query", ["Robert Smith", "robert", "chess tournament", '"Robert Smith"', "Rob*"])
def test_words_that_stand_in_the_texts_find_the_same_as_without_entities(people: Host, recipe: str, query: str) -> None:
    found = search(people, query, recipe=recipe)
    assert mentioning(found) == set()
    assert "entity" not in found.legs


def test_operators_and_excluded_words_narrow_mentions(people: Host) -> None:
    people.ask("entity.rename", id=entity(people, "Robert Smith"), name="Qwertina")
    assert mentioning(search(people, "Qwertina kind:note")) == {"note"}
    assert mentioning(search(people, "Qwertina -rowing")) == {"club#1", "note"}
    assert mentioning(search(people, "Qwertina session:club", recipe="rrf")) == {"club#1", "club#4"}
    assert mentioning(search(people, '"Qwertina"')) == set()
    assert mentioning(search(people, "Qwertina", legs=["words"])) == set()
    assert mentioning(search(people, "Qwertina", legs=["entity"], recipe="rrf")) == {"club#1", "club#4", "note"}


def test_a_caller_finds_mentions_only_by_names_that_stand_in_what_it_may_read(people: Host) -> None:
    agent = Caller("helper", "inner")

    def query_text(query: str, recipe: str) -> Found:
        found: Found = people.call("memory.search", {"query": query, "recipe": recipe}, agent).result().value
        return found

    people.ask("entity.rename", id=entity(people, "Robert Smith"), name="Qwertina")
    for recipe in WITH_MENTIONS:
        assert mentioning(query_text("Qwertina", recipe)) == set()
    assert mentioning(query_text("Robert Smith", "rrf")) == {"note"}


def test_a_context_includes_mentions_under_other_aliases(people: Host) -> None:
    people.ask("entity.rename", id=entity(people, "Robert Smith"), name="Qwertina")
    reported = people.ask("memory.context", prompt="Tell me about Qwertina", session="now").text
    assert "lives in Vienna" in reported
    assert "went rowing" in reported


def test_an_explanation_names_the_place_among_the_mentions(people: Host) -> None:
    people.ask("entity.rename", id=entity(people, "Robert Smith"), name="Qwertina")
    explanation = people.ask("search.explain", query="Qwertina", id="club#1")
    assert explanation.stage == "shown"
    assert "by what it mentions it is number" in explanation.sentence.lower()
    other = people.ask("search.explain", query="Qwertina", id="club#2")
    assert [leg.rank for leg in other.legs if leg.leg == "entity"] == [None]


def test_names_are_looked_for_among_words_side_by_side() -> None:
    names = possible_names(parse("did Robert Smith’s dog -Anna visit the “old town” ber*?", 0))
    assert {"robert", "robert smith", "robert smith dog"} <= {*names}
    assert not {"anna", "old town", "ber", "the", "did"} & {*names}
    assert possible_names(parse("kind:note", 0)) == []
