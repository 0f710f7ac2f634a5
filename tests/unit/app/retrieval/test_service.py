"""Search through the whole pipeline, on a real vault."""

import gc
import threading
from datetime import UTC, datetime, timedelta
from typing import Any, NoReturn

import pytest

from app.api.caller import Caller
from app.embed.static_embedder import StaticEmbedder
from app.errors import InputError, MachineError
from app.host import Host
from app.memories.model import MemoryFilter
from app.retrieval import snapshot
from app.retrieval.model import Found


@pytest.fixture
def filled(host: Host) -> Host:
    when = datetime(2024, 3, 1, tzinfo=UTC).isoformat()
    host.ask(
        "session.append",
        session="birds",
        title="Birds of the canal",
        agent="Guide",
        messages=[
            {"role": "user", "content": "Did you see the grey heron?", "created_at": when},
            {"role": "assistant", "content": "A heron stood by the lock."},
            {"role": "user", "content": "long " * 400 + "kingfisher at the end"},
        ],
    )
    host.ask("note.save", content="Herons nest in the old elm. #birds/heron", title="Elm", store="shared")
    host.ask("note.save", content="Buy bread", title="Shopping")
    host.ask("vault.settle")
    return host


def search(host: Host, query: str, **fields: Any) -> Found:
    result: Found = host.ask("memory.search", query=query, **fields)
    return result


def ids(found: Found) -> set[str]:
    return {hit.id for hit in found.hits}


def test_each_hit_says_why(filled: Host) -> None:
    found = search(filled, "heron", recipe="balanced")
    assert {"birds#1", "birds#2"} <= ids(found)
    assert set(found.legs) == {"words", "vector"}
    best = found.hits[0]
    assert {leg.leg for leg in best.why.legs} == {"words", "vector"}
    assert best.why.terms
    assert all(best.snippet[span.start : span.end].lower().startswith("heron") for span in best.highlights)
    assert found.milliseconds.keys() == {"parse", "candidates", "hits"}
    assert found.notes == ()


def test_words_in_a_title_alone_are_listed(filled: Host) -> None:
    filled.ask("fact.set", category="person", key="shoe_size", value="43")
    filled.ask("vault.settle")
    found = search(filled, "shopping herons shoe", recipe="words", per_session=1)
    memories = {hit.kind + hit.title: hit for hit in found.hits if hit.target == "memory"}
    assert memories["noteShopping"].why.terms == ("Shopping",)
    assert memories["noteShopping"].highlights == ()
    assert memories["noteElm"].why.terms == ("Herons",)
    assert [hit.why.terms for hit in memories.values() if hit.kind == "fact"] == [("shoe",)]


def test_legs_can_be_chosen(filled: Host) -> None:
    assert search(filled, "heron", legs=["words"]).legs == ("words",)
    assert search(filled, "heron", recipe="vector").legs == ("vector",)
    assert search(filled, "heron", recipe="words", legs=["vector"]).legs == ()


def test_a_turn_stands_once_whatever_was_found_of_it(filled: Host) -> None:
    found = search(filled, "kingfisher long")
    assert [hit.id for hit in found.hits].count("birds#3") == 1
    assert "kingfisher" in search(filled, "kingfisher", recipe="words").hits[0].snippet


def test_operators_narrow_both_legs(filled: Host) -> None:
    assert {hit.kind for hit in search(filled, "heron kind:note").hits} == {"note"}
    assert {hit.kind for hit in search(filled, "heron kind:message").hits} == {"message"}
    assert {hit.title for hit in search(filled, "heron tag:birds").hits} == {"Elm"}
    assert {hit.store for hit in search(filled, "heron -store:shared").hits} == {"private"}
    assert ids(search(filled, "heron role:assistant")) == {"birds#2"}
    assert ids(search(filled, "heron before:2024-04")) == {"birds#1"}
    assert {hit.session_id for hit in search(filled, 'session:"birds of"').hits} == {"birds"}
    assert {hit.agent for hit in search(filled, "agent:guide").hits} == {"Guide"}


def test_operators_alone_give_the_newest(filled: Host) -> None:
    found = search(filled, "kind:note")
    assert [hit.title for hit in found.hits] == ["Shopping", "Elm"]
    assert found.legs == ()


def test_operators_alone_count_all_that_match_and_page_to_the_end(host: Host) -> None:
    said = [{"role": "user", "content": f"turn {number}"} for number in range(230)]
    host.ask("session.append", session="a", messages=said, agent="Guide")
    host.ask("session.append", session="b", messages=said[:20], agent="Other")
    host.ask("note.save", content="long " * 3_000, title="Long", tags=["deep"])
    host.ask("vault.settle")
    found = search(host, "kind:message", limit=10)
    assert (len(found.hits), found.candidates) == (10, 250)
    counts = {(facet.name, facet.value): facet.count for facet in found.facets}
    assert counts["agent", "Guide"] == 230
    assert counts["agent", "Other"] == 20
    assert counts["role", "user"] == 250
    assert len(ids(search(host, "kind:message", limit=40, offset=220))) == 30
    whole = search(host, "-agent:guide", limit=100)
    assert whole.candidates == len(whole.hits) == 21
    assert {(facet.name, facet.value): facet.count for facet in whole.facets}["tag", "deep"] == 1
    assert search(host, "kind:message", per_session=3, limit=1).candidates == 6


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("-kind:note", {"birds#1", "birds#2", "birds#3"}),
        ("-role:user", {"birds#2", "Elm", "Shopping"}),
        ("-tag:birds", {"birds#1", "birds#2", "birds#3", "Shopping"}),
        ("-store:shared -kind:message", {"Shopping"}),
        ("-session:birds", {"Elm", "Shopping"}),
        ("-is:pinned -entity:nobody kind:note", {"Elm", "Shopping"}),
        ("before:2024-04", {"birds#1"}),
        ("after:2024-04 -kind:note", {"birds#2", "birds#3"}),
        ("role:user -kingfisher", {"birds#1"}),
        ("agent:guide -agent:guide", set()),
    ],
)
def test_what_operators_alone_leave(filled: Host, query: str, expected: set[str]) -> None:
    found = search(filled, query)
    assert {hit.title if hit.target == "memory" else hit.id for hit in found.hits} == expected
    assert found.candidates == len(expected)


@pytest.mark.parametrize("is_looked_for_first", [False, True])
def test_operators_alone_leave_out_what_was_forgotten(filled: Host, is_looked_for_first: bool) -> None:
    if is_looked_for_first:
        assert search(filled, "").candidates == 5
    filled.ask("session.append", session="again", messages=[{"role": "user", "content": "one"}])
    filled.ask("session.forget", session="birds")
    filled.ask("vault.settle")
    assert ids(search(filled, "role:user")) == {"again#1"}
    assert search(filled, "").candidates == 3
    assert search(filled, "kind:note").candidates == 2


def test_a_caller_counts_what_it_may_see(filled: Host) -> None:
    found = filled.call("memory.search", {"query": "kind:note"}, Caller("agent", "inner")).result().value
    assert [hit.title for hit in found.hits] == ["Elm"]
    assert found.candidates == 1


def test_what_is_excluded_is_in_neither_leg(filled: Host) -> None:
    assert "birds#1" not in ids(search(filled, "heron -grey"))
    assert "birds#2" in ids(search(filled, "heron -grey"))
    assert not ids(search(filled, "-heron")) & {"birds#1", "birds#2"}


def test_paging_is_one_list_in_parts(filled: Host) -> None:
    whole = [hit.id for hit in search(filled, "heron elm bread lock", limit=50).hits]
    parts = [
        hit.id
        for start in range(len(whole))
        for hit in search(filled, "heron elm bread lock", limit=1, offset=start).hits
    ]
    assert parts == whole
    assert search(filled, "heron", offset=1_000_000).hits == ()


def test_one_conversation_does_not_fill_the_page(filled: Host) -> None:
    found = search(filled, "heron", per_session=1)
    assert sum(hit.session_id == "birds" for hit in found.hits) == 1
    assert any(hit.kind == "note" for hit in found.hits)


def test_facets_count_all_candidates(filled: Host) -> None:
    facets = {
        (facet.name, facet.value): facet.count for facet in search(filled, "heron", recipe="words", limit=1).facets
    }
    assert facets["kind", "message"] == 2
    assert facets["kind", "note"] == 1
    assert facets["tag", "birds/heron"] == 1
    assert facets["agent", "Guide"] == 2


@pytest.mark.parametrize("query", ["heron", "kind:note"], ids=["by words", "by operators alone"])
def test_a_facet_counts_what_its_tag_finds(host: Host, query: str) -> None:
    tagged = [["Bjørn"], ["Bjoern"], ["Bjoern"], ["Bjorn"], ["café", "cafe"], ["cafe"], ["café"], ["cafe"]]
    for number, tags in enumerate(tagged):
        host.ask("note.save", content=f"heron number {number}", tags=tags)
    host.ask("vault.settle")
    facets = {
        facet.value: facet.count
        for facet in search(host, query, recipe="words", limit=100).facets
        if facet.name == "tag"
    }
    assert facets == {"bjørn": 4, "cafe": 4}
    for tag, count in facets.items():
        assert len(search(host, f"{query} tag:{tag}", recipe="words", limit=100).hits) == count


@pytest.mark.parametrize("legs", [None, ["words"]])
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Ines", {"Ines came to tea"}),
        ('"ines"', {"Ines came to tea"}),
        ("ines*", {"Ines came to tea"}),
        ("ate", {"they ate fish"}),
        ("ones", {"the ones there"}),
        ("using", {"a pen he used", "a pen for good use"}),
        ("others", {"the others left", "any other pen"}),
        ("in", {"put it in the box"}),
        ("on", {"it is on the shelf of one"}),
        ("tea -ines", {"tea for us"}),
    ],
)
def test_a_word_with_the_stem_of_a_stop_word_is_no_stop_word(
    host: Host, query: str, expected: set[str], legs: list[str] | None
) -> None:
    said = (
        "Ines came to tea", "put it in the box", "they ate fish", "look at that", "the ones there", "tea for us",
        "it is on the shelf of one", "a pen he used", "a pen for good use", "the others left", "any other pen",
    )  # fmt: skip
    host.ask("session.append", session="talk", messages=[{"role": "user", "content": text} for text in said])
    host.ask("vault.settle")
    hits = search(host, query, recipe="words", legs=legs).hits
    found = {hit.snippet for hit in hits}
    assert expected <= found
    if query not in ("in", "on"):  # the index has the stems of all words too
        assert found == expected


@pytest.mark.parametrize(
    ("said", "query", "is_found"),
    [
        ("the new PC", "PCs", True),
        ("a TV for mum", "TVs", True),
        ("an ID expired", "IDs", True),
        ("the CV of Jo", "CVs", True),
        ("he owns a flat", "owned", True),
        ("a flat of her own", "owned", True),
        ("a study of ageing bees", "aging", True),
        ("let us go to Rome", "going", True),
        ("a will was written", "wills", True),
        ("the old mine", "mining", True),
        ("a used pen", "uses", True),
        ("give it to us", "used", False),
        ("look at that", "ate", False),
        ("put it in the box", "Ines", False),
        ("this is on", "ones", False),
        ("he saw her", "herring", False),
    ],
)
def test_a_quoted_inflection_finds_its_base_and_no_other_word(
    host: Host, said: str, query: str, is_found: bool
) -> None:
    host.ask("note.save", content=said)
    host.ask("vault.settle")
    assert bool(search(host, f'"{query}"').hits) is is_found


@pytest.mark.parametrize("legs", [None, ["words"]])
def test_a_facet_counts_the_tags_nested_in_its_tag(host: Host, legs: list[str] | None) -> None:
    for number, tags in enumerate([["a"], ["a/b"], ["a/b/c", "a/d"], ["ab"], ["łódź/x"], ["lodz"]]):
        host.ask("note.save", content=f"heron number {number}", tags=tags)
    host.ask("vault.settle")
    found = search(host, "heron", limit=100, legs=legs)
    facets = {facet.value: facet.count for facet in found.facets if facet.name == "tag"}
    assert facets == {"a": 3, "a/b": 2, "lodz": 2, "a/b/c": 1, "a/d": 1, "ab": 1, "łódź/x": 1}
    for tag, count in facets.items():
        assert len(search(host, f"heron tag:{tag}", limit=100, legs=legs).hits) == count


def test_a_spelling_that_another_tag_does_not_find_is_a_facet_of_its_own(host: Host) -> None:
    for number, tags in enumerate([["øl"], ["oel"], ["søl", "øl"], ["sol"], ["sol"]]):
        host.ask("note.save", content=f"heron number {number}", tags=tags)
    for number in range(2):
        host.ask("note.save", content=f"heron of both {number}", tags=["soel", "søl"])
    host.ask("vault.settle")
    found = search(host, "kind:note")
    facets = [(facet.value, facet.count) for facet in found.facets if facet.name == "tag"]
    assert facets == [("søl", 5), ("øl", 3)]


@pytest.mark.parametrize("fields", [{"limit": 0}, {"limit": 100_000}, {"per_session": 0}, {"recipe": "none"}])
def test_numbers_and_names_out_of_bounds(filled: Host, fields: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        search(filled, "heron", **fields)


@pytest.mark.parametrize("query", ["", "   ", "!!!", "\u200b", "🦩", "...", '""', "\0"])
def test_queries_without_words(filled: Host, query: str) -> None:
    for recipe in ("words", "vector", "balanced", "rrf", "weighted"):
        search(filled, query, recipe=recipe)


def test_what_is_not_embedded_yet_is_said(host: Host) -> None:
    host.ask("settings.set", name="search.recipe", value="balanced")
    host.ask("session.append", session="s", messages=[{"role": "user", "content": f"heron {n}"} for n in range(3_000)])
    found = search(host, "heron")
    assert found.hits
    assert found.notes == () or "not yet indexed" in found.notes[0]
    host.ask("vault.settle")
    assert search(host, "heron").notes == ()


def test_a_forgotten_conversation_and_a_deleted_note_are_gone_at_once(filled: Host) -> None:
    [note] = [hit.id for hit in search(filled, "elm kind:note tag:birds").hits]
    filled.ask("session.forget", session="birds")
    filled.ask("note.delete", id=note)
    assert ids(search(filled, "heron", recipe="words")) == set()
    assert not ids(search(filled, "heron")) & {note, "birds#1", "birds#2", "birds#3"}


def test_a_conversation_without_a_title_is_called_by_its_first_words(host: Host) -> None:
    turns = [{"role": "user", "content": "**Where** do [[Herons]] nest?"}, {"role": "assistant", "content": "In elms."}]
    host.ask("session.append", session="nests", messages=turns)
    host.ask("vault.settle")
    assert {(hit.id, hit.title) for hit in search(host, "elms").hits} >= {("nests#2", "Where do Herons nest?")}


@pytest.mark.parametrize("query", ["kind:zzz", "heron kind:zzz", "is:zzz", "store:zzz", "role:zzz", "before:notadate"])
@pytest.mark.parametrize("more", [{}, {"recipe": "words"}, {"as_of": "2999-01-01T00:00:00Z"}])
def test_a_value_that_an_operator_does_not_know_finds_nothing_and_says_so(
    filled: Host, query: str, more: dict[str, str]
) -> None:
    found = search(filled, query, **more)
    assert (found.hits, found.candidates) == ((), 0)
    assert "does not know" in found.notes[0]


@pytest.mark.parametrize("query", ["-", "()*&^%", "…", "on:"])
def test_nothing_to_search_for_finds_nothing(filled: Host, query: str) -> None:
    found = search(filled, query)
    assert found.hits == ()
    assert len(found.notes) == 1
    assert search(filled, "").hits


def test_an_explanation_names_the_operator_that_nothing_meets(filled: Host) -> None:
    explanation = filled.ask("search.explain", query="heron kind:zzz", id="birds#1")
    assert explanation.stage != "shown"
    assert any("does not know" in note for note in explanation.notes)


def test_observations_are_narrowed_by_their_type(filled: Host) -> None:
    made = {
        name: filled.ask("memory.write", content=f"About the heron, a {name}", type=name).memory.id
        for name in ("decision", "Discovery")
    }
    filled.ask("vault.settle")
    for query in ("heron type:decision", "type:Decision", "kind:observation -type:discovery"):
        for recipe in ("learned", "words", "balanced"):
            assert ids(search(filled, query, recipe=recipe)) == {made["decision"]}
    assert ids(search(filled, "heron type:decision,discovery")) == {*made.values()}
    assert ids(search(filled, "heron -type:decision")) >= {"birds#1", made["Discovery"]}
    assert ids(search(filled, "heron type:decision", as_of="2999-01-01T00:00:00Z")) == {made["decision"]}
    chosen = filled.ask("memory.list", filter=MemoryFilter(types=("DECISION",)))
    assert [row.id for row in chosen] == [made["decision"]]
    then = filled.ask("memory.list", filter=MemoryFilter(types=("decision",)), as_of="2999-01-01T00:00:00Z")
    assert [row.id for row in then] == [made["decision"]]


def test_memories_of_a_file_are_found_by_its_path_or_the_end_of_it(filled: Host) -> None:
    files = {"buffer": "src/importer/reader.py", "windows": "src\\export\\Reader.py", "other": "src/my_reader.py"}
    made = {
        name: filled.ask("memory.write", content=f"About the heron, {name}", related_files=[path]).memory.id
        for name, path in files.items()
    }
    filled.ask("vault.settle")
    for recipe in ("learned", "words", "balanced"):
        assert ids(search(filled, "heron file:reader.py", recipe=recipe)) == {made["buffer"], made["windows"]}
        assert ids(search(filled, "file:importer/reader.py", recipe=recipe)) == {made["buffer"]}
        assert ids(search(filled, 'file:"/home/ann/mill/src/importer/reader.py"', recipe=recipe)) == {made["buffer"]}
        assert made["other"] in ids(search(filled, "heron -file:reader.py", recipe=recipe))
        assert ids(search(filled, "heron file:eader.py", recipe=recipe)) == set()
    assert search(filled, "what do we know about src/importer/reader.py?").hits[0].id == made["buffer"]


@pytest.mark.parametrize("recipe", ["learned", "words", "rrf", "balanced"])
def test_of_chosen_legs_each_hit_was_found_by_one(filled: Host, recipe: str) -> None:
    found = search(filled, "heron", legs=["words"], recipe=recipe, limit=1)
    assert found.candidates == 3
    found = search(filled, "heron", legs=["words"], recipe=recipe)
    assert {hit.id for hit in found.hits if hit.target == "message"} == {"birds#1", "birds#2"}
    assert all(hit.why.terms and [leg.leg for leg in hit.why.legs] == ["words"] for hit in found.hits)


@pytest.mark.parametrize("query", ["rice noodles", '"rice noodles"'])
def test_matching_tool_arguments_are_shown(host: Host, query: str) -> None:
    call = {"name": "artifacts", "input": {"title": "Recipe", "content": "225g flat rice noodles, soaked"}}
    turn = {"role": "assistant", "content": "Here is what you asked for.", "tool_calls": [call]}
    host.ask("session.append", session="cooking", messages=[turn])
    hit = search(host, query).hits[0]
    assert hit.id == "cooking#1"
    assert hit.why.terms in {("rice", "noodles"), ("rice noodles",)}
    assert [hit.snippet[span.start : span.end] for span in hit.highlights]
    assert "225g flat rice noodles" in hit.snippet


def test_a_call_may_weigh_words_and_meaning_itself(filled: Host) -> None:
    for weights in ({"vector_weight": 0.2, "fts_weight": 0.8}, {"fts_weight": 0.1}):
        found = search(filled, "heron by the lock", **weights)
        assert found.recipe == "weighted"
        reported = {leg.leg: leg.weight for hit in found.hits for leg in hit.why.legs}
        assert reported == {"vector": weights.get("vector_weight", 0.7), "words": weights["fts_weight"]}
    words = search(filled, "heron by the lock", vector_weight=0, fts_weight=1)
    assert words.hits[0].score == pytest.approx(1.0)
    assert search(filled, "heron", recipe="balanced", fts_weight=1).recipe == "balanced"
    assert search(filled, "heron").recipe == "learned"


@pytest.mark.parametrize(
    "fields",
    [
        {"vector_weight": 0, "fts_weight": 0},
        {"vector_weight": -1},
        {"fts_weight": 1e9},
        {"recipe": "learned", "fts_weight": 1},
        {"recipe": "words", "vector_weight": 1},
        {"query_embedding": [1.0]},
        {"query_embedding": [0.0] * 256},
        {"query_embedding": []},
    ],
)
def test_weights_and_vectors_that_cannot_be_used_are_refused(filled: Host, fields: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        search(filled, "heron", **fields)


def test_a_vector_of_the_callers_own_is_compared(filled: Host) -> None:
    other = StaticEmbedder().embed_query("Buy bread")
    found = search(filled, "heron", recipe="vector", query_embedding=(other * 3).tolist())
    assert found.hits[0].title == "Shopping"
    assert found.hits[0].why.legs[0].score > search(filled, "heron", recipe="vector").hits[0].why.legs[0].score
    ours = StaticEmbedder().embed_query("heron").tolist()
    plain = search(filled, "heron", recipe="weighted")
    assert [hit.id for hit in search(filled, "heron", recipe="weighted", query_embedding=ours).hits] == [
        hit.id for hit in plain.hits
    ]


@pytest.mark.parametrize("recipe", ["words", "learned", "balanced"])
def test_a_time_begins_with_its_first_moment(host: Host, recipe: str) -> None:
    day = datetime(2024, 3, 2).astimezone()
    moments = [day - timedelta(milliseconds=1), day, day + timedelta(days=1)]
    turns = [{"role": "user", "content": "heron", "created_at": moment.isoformat()} for moment in moments]
    host.ask("session.append", session="s", messages=turns)
    host.ask("vault.settle")
    for query, seqs in (("after:2024-03-02", {2, 3}), ("before:2024-03-02", {1}), ("on:2024-03-02", {2})):
        assert {hit.seq for hit in search(host, f"heron {query}", recipe=recipe).hits} == seqs
        assert {hit.seq for hit in search(host, query).hits} == seqs


@pytest.mark.parametrize("recipe", ["words", "learned", "balanced"])
def test_so_many_turns_of_a_conversation_are_shown(filled: Host, recipe: str) -> None:
    whole = [hit.id for hit in search(filled, "heron", recipe=recipe).hits if hit.target == "message"]
    for most in (1, 2):
        found = search(filled, "heron", recipe=recipe, per_session=most)
        assert [hit.id for hit in found.hits if hit.target == "message"] == whole[:most]
        assert [hit.title for hit in found.hits if hit.title == "Elm"]


def test_a_read_that_fails_when_no_search_waits_for_it_is_not_logged(
    host: Host, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    has_begun, may_end = threading.Event(), threading.Event()

    def failing(_connection: object) -> NoReturn:
        has_begun.set()
        may_end.wait(10)
        raise MachineError("The vault is closing.")

    monkeypatch.setattr(snapshot, "last_chunk", failing)
    search = host.call("memory.search", {"query": "heron"})
    assert has_begun.wait(10)
    search.cancel()
    host.ask("vault.stats")
    may_end.set()
    for _ in range(5):  # until the engine has heard of the failure
        host.ask("vault.stats")
    host.stop()
    gc.collect()
    assert [record.getMessage() for record in caplog.records if record.name == "asyncio"] == []
