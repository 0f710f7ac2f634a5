"""The same queries answered by two models or two recipes, on a real vault."""

import threading
from typing import Any

import pytest

from app.api.caller import Caller
from app.changes import ChangeSet, Event, Progress
from app.errors import AccessDeniedError, InputError, ModelUnavailableError, NotFoundError
from app.evaluation.comparison import MAX_CHARACTERS, MAX_QUERIES
from app.host import Host
from tests.helpers.engine import engine_of

WORDS = ("heron", "elm", "lock", "quince", "umbrella", "potato", "canal", "viola", "hojicha", "sward", "ledger", "weir")


@pytest.fixture
def filled(host: Host) -> Host:
    said = [" ".join(f"{word}{number % 7}x{place}" for place, word in enumerate(WORDS[number:])) for number in range(9)]
    host.ask("session.append", session="s", messages=[{"role": "user", "content": text} for text in said])
    host.ask("note.save", content="Saint-Remy pears ripen late behind the tar shed", title="Pears")
    host.ask("vault.settle")
    return host


class Turned:
    """Waits until other vectors are ready or serve."""

    def __init__(self, host: Host) -> None:
        self._turned = threading.Event()
        host.subscribe(self._hear)

    def _hear(self, event: Event) -> None:
        if isinstance(event, ChangeSet) and event.actor == "embedding":
            self._turned.set()

    def wait(self) -> None:
        assert self._turned.wait(60)
        self._turned.clear()


@pytest.fixture
def ready(filled: Host) -> Host:
    """Return a vault in which another model is ready and waits."""
    turned = Turned(filled)
    filled.ask("embedding.change", model="hashed", waits=True)
    turned.wait()
    return filled


def fail(*_: object, **__: object) -> None:
    raise ModelUnavailableError("The model is out.")


def number_of(host: Host, model: str) -> int:
    number: int = next(one.id for one in host.ask("embedding.status").generations if one.model == model)
    return number


# What cannot be compared --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query_text",
    [
        {"hits": 0},
        {"hits": 21},
        {"questions": 5_001},
        {"recipe": "none"},
        {"queries": [], "questions": 0},
        {"queries": ["  ", ""], "questions": 0},
        {"queries": ["x" * (MAX_CHARACTERS + 1)]},
        {"queries": [f"q{number}" for number in range(MAX_QUERIES + 1)]},
        {"other": 1},
    ],
)
def test_invalid_arguments_are_refused_and_leave_no_job(ready: Host, query_text: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        ready.ask("embedding.compare", **query_text)
    assert ready.ask("vault.status").jobs == ()


def test_nothing_to_compare_with(filled: Host) -> None:
    with pytest.raises(InputError, match=r"no other vectors"):
        filled.ask("embedding.compare", queries=["pears"])
    with pytest.raises(NotFoundError, match="no vectors with the number 99"):
        filled.ask("embedding.compare", other=99, queries=["pears"])


def test_what_is_still_being_made(filled: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.embed.hashed_embedder.HashedEmbedder.embed", fail)
    filled.ask("embedding.change", model="hashed", waits=True)
    with pytest.raises(InputError, match=r"hashed are not complete: 0 of 10"):
        filled.ask("embedding.compare", queries=["pears"])
    with pytest.raises(InputError, match="not complete"):
        filled.ask("embedding.compare", queries=["pears"], other=number_of(filled, "hashed"))


def test_a_model_that_fails_on_the_way_is_said_and_counted(ready: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.embed.hashed_embedder.HashedEmbedder.embed", fail)
    found = ready.ask("embedding.compare", queries=["pears", "quince3x0"], questions=0)
    assert (found.now.without_meaning, found.other.without_meaning) == (0, 2)
    assert {row.other.note for row in found.rows} == {"Search by meaning was left out: The model is out."}
    assert {row.now.note for row in found.rows} == {""}
    assert found.rows[0].other.hits[0].title == "Pears"


def test_a_model_that_is_gone(ready: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    turned = Turned(ready)
    ready.ask("embedding.switch")
    turned.wait()
    monkeypatch.setattr("app.index.embedder_opener.open_source", fail)
    with pytest.raises(ModelUnavailableError, match="is out"):
        ready.ask("embedding.compare", queries=["pears"])


@pytest.mark.parametrize("other", ["learned", "none", ""])
def test_recipes_that_cannot_be_compared(filled: Host, other: str) -> None:
    with pytest.raises(InputError):
        filled.ask("trial.side_by_side", other=other, recipe="learned", queries=["pears"])


def test_agents_learn_nothing_of_it(filled: Host) -> None:
    for name, query_text in (
        ("embedding.compare", {}),
        ("trial.side_by_side", {"other": "words"}),
        ("embedding.switch", {}),
    ):
        with pytest.raises(AccessDeniedError):
            filled.call(name, query_text, Caller("agent", "inner")).result()


def test_an_empty_vault_has_nothing_to_ask(host: Host) -> None:
    with pytest.raises(InputError, match="nothing to ask"):
        host.ask("trial.side_by_side", other="words")


# Two models ---------------------------------------------------------------------------------------------------------


def test_own_queries_by_both_models(ready: Host) -> None:
    found = ready.ask("embedding.compare", queries=["  pears   late ", "pears late", "quince3x0"], questions=0, hits=5)
    assert (found.now.model, found.now.dimensions, found.other.model, found.other.dimensions) == (
        "static",
        256,
        "hashed",
        512,
    )
    assert [row.query for row in found.rows] == ["pears late", "quince3x0"]
    assert {row.origin for row in found.rows} == {"asked"}
    assert (found.queries, found.now.made, found.other.judged) == (2, None, None)
    first = found.rows[0]
    assert first.now.hits[0].title == first.other.hits[0].title == "Pears"
    assert (first.now.hits[0].place, first.now.hits[0].other, first.now.hits[0].kind) == (1, 1, "note")
    assert all(len(row.now.hits) <= 5 for row in found.rows)
    assert all(row.now.ms > 0 and row.other.ms > 0 for row in found.rows)
    assert found.other.p95_ms >= found.other.p50_ms > 0


def test_known_answers_tell_which_model_finds_more(ready: Host) -> None:
    pears = ready.ask("memory.search", query="pears").hits[0].id
    ready.ask("trial.judge", query="pears", id=pears)
    ready.ask("trial.judge", query="heron0x0", id="s#2", good=False)
    found = ready.ask("embedding.compare", questions=50, by_meaning=True)
    assert (found.now.made.questions, found.now.judged.questions) == (10, 1)
    assert found.now.made.mrr > found.other.made.mrr
    assert found.queries == 11
    assert found.worse > found.better
    assert found.overlap <= 1
    assert found.rows[0].origin == "judged"
    assert [row.target for row in found.rows if row.origin == "judged"] == [pears]
    again = ready.ask("embedding.compare", questions=50, by_meaning=True)
    assert (again.now.made, again.other.made) == (found.now.made, found.other.made)
    assert ready.ask("trial.list") == []


def test_the_one_that_served_before_lacks_what_came_since(ready: Host) -> None:
    turned = Turned(ready)
    ready.ask("embedding.switch")
    turned.wait()
    said = "quinces and medlars in the new bed"
    ready.ask("note.save", content=said)
    ready.ask("vault.settle")
    found = ready.ask("embedding.compare", queries=[said], questions=0, by_meaning=True)
    assert (found.now.model, found.other.model) == ("hashed", "static")
    assert (found.now.missing, found.other.missing) == (0, 1)
    [row] = found.rows
    assert row.now.hits[0].snippet == said
    assert said not in [hit.snippet for hit in row.other.hits]
    assert ready.ask("embedding.status").serving.model == "hashed"


def test_nothing_is_changed_by_comparing(ready: Host) -> None:
    before = ready.ask("embedding.status")
    ready.ask("embedding.compare", queries=["pears"], questions=5, other=number_of(ready, "hashed"))
    assert ready.ask("embedding.status") == before
    assert ready.ask("memory.search", query="pears", legs=["vector"]).notes == ()
    assert ready.ask("vault.check").findings == ()


def test_it_is_watched_and_stopped(ready: Host) -> None:
    progress: list[Progress] = []

    def hear(event: Event) -> None:
        if isinstance(event, Progress) and event.job == "mine":
            progress.append(event)
            engine_of(ready).jobs.cancel("mine")

    ready.subscribe(hear)
    found = ready.ask("embedding.compare", questions=50, job="mine")
    assert found.cancelled
    assert 0 < found.queries < 10
    assert (progress[-1].state, progress[-1].unit) == ("cancelled", "queries")


# Two recipes --------------------------------------------------------------------------------------------------------


def test_two_recipes_hit_for_hit(filled: Host) -> None:
    found = filled.ask("trial.side_by_side", other="words", recipe="vector", queries=["pears late"], questions=20)
    assert (found.now.recipe, found.other.recipe) == ("vector", "words")
    assert found.now.generation == found.other.generation
    assert found.other.made.recall_1 == 1.0
    assert found.rows[0].query == "pears late"
    alike = filled.ask("trial.side_by_side", other="words", queries=["Saint-Remy"], questions=0)
    assert alike.rows[0].other.hits[0].title == "Pears"
    assert alike.now.recipe == "learned"
