"""Enrichment: accurate names are linked, outlive a second reading, go with a changed text, and can be taken back."""

import json
from functools import partial

import pytest

from app.core.stores import STORES
from app.entities.enrichment import repo
from app.entities.enrichment.service import EnrichedText, EnrichmentService
from app.entities.ner.language_model_provider import LanguageModelProvider
from app.entities.ner.spacy_provider import SpacyProvider
from app.entities.ner.strategy import AccurateStrategy
from app.errors import AccessDeniedError, ModelUnavailableError
from app.llm.model import ChatRequest
from tests.helpers.access import EVERYTHING
from tests.helpers.models.scripted_model import Answer, ScriptedModel
from tests.unit.app.entities.conftest import EntityHarness

NAMES = {"heron": "person", "ada": "person", "lovelace": "person", "Tern": "project"}


def by_list(request: ChatRequest) -> Answer:
    """Answer as a model that knows some names, and invents one."""
    text = request.messages[-1].content
    found = [{"text": name, "type": kind} for name, kind in NAMES.items() if name in text]
    return json.dumps({"names": [*found, {"text": "Nobody", "type": "person"}]})


class Enriching:
    """A harness with a scripted model."""

    def __init__(self, harness: EntityHarness) -> None:
        self.harness = harness
        self.model = ScriptedModel(by_list)
        provider = LanguageModelProvider(self.model, lambda: "Find names.")
        strategy = AccurateStrategy(SpacyProvider(lambda: "none"), provider)
        self.service = EnrichmentService(harness.store, harness.clock, strategy)

    def candidates(self, most: int = 2, limit: int = 50) -> list[tuple[str, str]]:
        return [*self.harness.do(self.service.candidates(most, limit, STORES))]

    def enrich(self, owner: str, kind: str = "memory", run: str = "run-1") -> EnrichedText:
        known = self.harness.do(self.service.known())
        return self.harness.do(self.service.enrich(kind, owner, known, run))  # type: ignore[arg-type]

    def undo(self, run: str = "run-1") -> bool:
        return self.harness.write(partial(self.service.undo_run, run_id=run))


@pytest.fixture
def enriching(harness: EntityHarness) -> Enriching:
    return Enriching(harness)


def test_what_the_model_finds_is_linked_and_counts(enriching: Enriching) -> None:
    harness = enriching.harness
    note = harness.note("yesterday ada and lovelace came to Berlin", title="about ada")
    harness.read_all()
    assert harness.names() == {"Berlin": 1}
    assert enriching.candidates() == [("memory", note.id)]
    found = enriching.enrich(note.id)
    assert (found.outcome, found.links, found.usage.output_tokens) == ("searched", 2, 10)
    assert harness.names() == {"Berlin": 1, "ada": 2, "lovelace": 1}
    mentions = harness.rows("SELECT start, length, provider FROM mentions WHERE surface = 'person:ada' ORDER BY 1")
    assert mentions == [(-1, 3, "llm"), (10, 3, "llm")]
    assert enriching.candidates() == []


def test_accurate_names_outlive_a_second_reading(enriching: Enriching) -> None:
    harness = enriching.harness
    note = harness.note("yesterday ada came", title="ada")
    harness.say("we saw the heron over there", session="s")
    harness.read_all()
    enriching.enrich(note.id)
    enriching.enrich("s#1", "message")
    before = harness.names()
    assert before == {"ada": 2, "heron": 1}
    harness.do(harness.sync.start_over())
    harness.read_all()
    assert harness.names() == before
    harness.do(harness.memories.update(EVERYTHING, note.id, 1, tags=["x"]))
    harness.read_all()
    assert harness.names() == before


def test_a_changed_text_is_searched_again_and_keeps_no_old_name(enriching: Enriching) -> None:
    harness = enriching.harness
    note = harness.note("yesterday ada came")
    harness.read_all()
    enriching.enrich(note.id)
    harness.do(harness.memories.update(EVERYTHING, note.id, 1, content="yesterday lovelace came"))
    assert enriching.candidates() == []  # the fast rules come first
    harness.read_all()
    assert harness.names() == {}
    assert enriching.candidates() == [("memory", note.id)]
    enriching.enrich(note.id)
    assert harness.names() == {"lovelace": 1}


def test_a_text_that_changes_meanwhile_is_left_alone(enriching: Enriching) -> None:
    harness = enriching.harness
    note = harness.note("yesterday ada came")
    harness.read_all()
    plain = enriching.service._record

    def change_first(connection, **arguments):  # type: ignore[no-untyped-def]
        connection.execute("UPDATE memories SET content = 'other words here', version = version + 1")
        return plain(connection, **arguments)

    enriching.service._record = change_first  # type: ignore[method-assign]
    assert enriching.enrich(note.id).outcome == "gone"
    assert harness.rows("SELECT * FROM enriched_texts") == []


@pytest.mark.parametrize("owner", ["note-none", "s#99", "none#1"])
def test_what_is_gone_is_no_error(enriching: Enriching, owner: str) -> None:
    assert enriching.enrich(owner, "message" if "#" in owner else "memory").outcome == "gone"


def test_undo_takes_the_links_of_one_run_back_and_does_not_find_them_again(enriching: Enriching) -> None:
    harness = enriching.harness
    first, second = harness.note("yesterday ada came"), harness.note("yesterday lovelace came")
    harness.say("we saw the blue heron there", session="s")
    harness.read_all()
    picture = harness.picture()
    enriching.enrich(first.id, run="run-1")
    enriching.enrich("s#1", "message", run="run-1")
    enriching.enrich(second.id, run="run-2")
    assert enriching.undo("run-1")
    harness.read_all()
    assert harness.names() == {"lovelace": 1}
    assert not enriching.undo("run-1")
    assert enriching.undo("run-2")
    harness.read_all()
    assert harness.picture() == picture
    assert enriching.candidates() == []


def test_a_mistaken_fast_name_that_was_displaced_comes_back_with_undo(enriching: Enriching) -> None:
    harness = enriching.harness
    note = harness.note("We launched Tern Labs last week, and it was Tern again.")
    harness.read_all()
    before = harness.names()
    enriching.enrich(note.id)
    assert harness.names() != before
    enriching.undo()
    harness.read_all()
    assert harness.names() == before


def test_candidates_are_few_named_newest_first_and_bounded(enriching: Enriching) -> None:
    harness = enriching.harness
    many = "Alice Jones, Bob Miller and Carla Brown met in Berlin."
    harness.say("hello out there, it is me", many, "ok", session="s")
    harness.say("a tool said all of this", role="tool", session="s")
    old = harness.note("the first of the notes")
    harness.note(many)
    new = harness.note("the second of the notes")
    deleted = harness.note("this one is deleted again")
    harness.do(harness.memories.delete(EVERYTHING, deleted.id))
    harness.read_all()
    assert enriching.candidates() == [("memory", new.id), ("memory", old.id), ("message", "s#1")]
    assert enriching.candidates(limit=1) == [("memory", new.id)]
    assert len(enriching.candidates(most=100)) == 5
    assert harness.do(enriching.service.candidates(2, 50, ("shared",))) == []
    harness.do(harness.sessions.forget("s", "person"))
    assert ("message", "s#1") not in enriching.candidates()


def test_nothing_is_marked_when_nobody_could_read_it(enriching: Enriching) -> None:
    harness = enriching.harness
    note = harness.note("yesterday ada came")
    harness.read_all()
    enriching.model._answers[:] = [lambda _: ModelUnavailableError("Away.")]
    assert enriching.enrich(note.id).outcome == "unanswered"
    enriching.model._answers[:] = [lambda _: AccessDeniedError("Not private texts.")]
    found = enriching.enrich(note.id)
    assert (found.outcome, found.store, found.refusal) == ("withheld", "private", "Not private texts.")
    assert enriching.candidates() == [("memory", note.id)]


def test_what_keepsake_told_an_agent_names_nobody(enriching: Enriching) -> None:
    harness = enriching.harness
    from app.core.text_rules.recall_fence import entry, fence_text

    fenced, _ = fence_text(entry("note-1", "a note", "lovelace wrote it"))
    harness.say(f"{fenced}\nand then ada came by", session="s")
    harness.read_all()
    enriching.enrich("s#1", "message")
    assert harness.names() == {"ada": 1}


def test_erased_texts_leave_no_names_behind(enriching: Enriching) -> None:
    harness = enriching.harness
    note = harness.note("yesterday ada came")
    harness.say("and lovelace came too", session="s")
    harness.read_all()
    enriching.enrich(note.id)
    enriching.enrich("s#1", "message")
    harness.write(lambda connection: connection.execute("DELETE FROM memories").fetchall())
    harness.write(lambda connection: connection.execute("DELETE FROM messages").fetchall())
    assert harness.rows("SELECT * FROM enriched_texts") == []
    assert harness.names() == {}


def test_a_damaged_row_of_names_is_not_believed(enriching: Enriching) -> None:
    harness = enriching.harness
    note = harness.note("yesterday ada came")
    harness.read_all()
    names = json.dumps([[0, 0, 4, "evil", "person", 1.0, "llm"], [1, 5, 99, "evil", "person", 1.0, "llm"]])
    sql = "INSERT INTO enriched_texts (owner_kind, owner_id, run_id, at, names) VALUES ('memory', ?, 'run-1', 0, ?)"
    harness.write(lambda connection: connection.execute(sql, (note.id, names)).fetchall())
    assert set(harness.write(partial(repo.names, kind="memory", owners=[note.id]))) == {note.id}
    harness.do(harness.sync.start_over())
    harness.read_all()
    assert harness.names() == {}
