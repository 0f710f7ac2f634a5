"""How many questions each of two models finds, on a real vault."""

import threading
from typing import Any

import pytest

from app.api.caller import Caller
from app.changes import ChangeSet, Event, Progress
from app.errors import AccessDeniedError, InputError, ModelUnavailableError, NotFoundError
from app.evaluation.comparison import answer_rank
from app.evaluation.known_item_questions import KnownItemQuestion
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
    number: int = next(
        generation.id for generation in host.ask("embedding.status").generations if generation.model == model
    )
    return number


# What cannot be compared --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [{"questions": 0}, {"questions": 5_001}, {"recipe": "none"}, {"other": 1}])
def test_invalid_arguments_are_refused_and_leave_no_job(ready: Host, arguments: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        ready.ask("embedding.compare", **arguments)
    assert ready.ask("vault.status").jobs == ()


def test_nothing_to_compare_with(filled: Host) -> None:
    with pytest.raises(InputError, match=r"no other vectors"):
        filled.ask("embedding.compare")
    with pytest.raises(NotFoundError, match="no vectors with the number 99"):
        filled.ask("embedding.compare", other=99)


def test_what_is_still_being_made(filled: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.embed.hashed_embedder.HashedEmbedder.embed", fail)
    filled.ask("embedding.change", model="hashed", waits=True)
    with pytest.raises(InputError, match=r"hashed are not complete: 0 of 10"):
        filled.ask("embedding.compare")
    with pytest.raises(InputError, match="not complete"):
        filled.ask("embedding.compare", other=number_of(filled, "hashed"))


def test_a_model_that_fails_on_the_way_is_counted(ready: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.embed.hashed_embedder.HashedEmbedder.embed", fail)
    comparison = ready.ask("embedding.compare", questions=5)
    assert (comparison.now.without_meaning, comparison.other.without_meaning) == (0, 5)


def test_a_model_that_is_gone(ready: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    turned = Turned(ready)
    ready.ask("embedding.switch")
    turned.wait()
    monkeypatch.setattr("app.index.embedder_opener.open_source", fail)
    with pytest.raises(ModelUnavailableError, match="is out"):
        ready.ask("embedding.compare")


def test_agents_learn_nothing_of_it(filled: Host) -> None:
    for name in ("embedding.compare", "embedding.switch"):
        with pytest.raises(AccessDeniedError):
            filled.call(name, {}, Caller("agent", "inner")).result()


def test_a_vault_with_too_little_text_has_nothing_to_ask(host: Host) -> None:
    host.ask("note.save", content="pears")
    host.ask("vault.settle")
    turned = Turned(host)
    host.ask("embedding.change", model="hashed", waits=True)
    turned.wait()
    with pytest.raises(InputError, match="too little to ask about"):
        host.ask("embedding.compare")


# Two models ---------------------------------------------------------------------------------------------------------


def test_it_counts_what_each_model_finds(ready: Host) -> None:
    comparison = ready.ask("embedding.compare", questions=50, recipe="vector")
    assert (comparison.now.model, comparison.other.model) == ("static", "hashed")
    assert (comparison.questions, comparison.notes, comparison.cancelled) == (10, (), False)
    assert comparison.now.found == 10  # every text is among the first ten of ten
    assert 0 < comparison.other.found <= 10
    assert ready.ask("embedding.compare", questions=50, recipe="vector") == comparison


def test_what_was_judged_right_is_asked_too(ready: Host) -> None:
    pears = ready.ask("memory.search", query="pears").hits[0].id
    ready.ask("trial.judge", query="pears", id=pears)
    ready.ask("trial.judge", query="heron0x0", id="s#2", good=False)
    comparison = ready.ask("embedding.compare", questions=1)
    assert comparison.questions == 2
    assert comparison.now.found == 2


def test_the_one_that_served_before_lacks_what_came_since(ready: Host) -> None:
    turned = Turned(ready)
    ready.ask("embedding.switch")
    turned.wait()
    note = ready.ask("note.save", content="quinces and medlars in the new bed")
    ready.ask("trial.judge", query="quinces and medlars in the new bed", id=note.id)
    ready.ask("vault.settle")
    comparison = ready.ask("embedding.compare", questions=1, recipe="vector")
    assert (comparison.now.model, comparison.other.model) == ("hashed", "static")
    assert (comparison.now.missing, comparison.other.missing) == (0, 1)
    assert comparison.now.found >= 1
    assert comparison.other.found < comparison.questions  # the new text has no vector there
    assert ready.ask("embedding.status").serving.model == "hashed"


def test_nothing_is_changed_by_comparing(ready: Host) -> None:
    before = ready.ask("embedding.status")
    ready.ask("embedding.compare", questions=5, other=number_of(ready, "hashed"))
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
    comparison = ready.ask("embedding.compare", questions=50, job="mine")
    assert comparison.cancelled
    assert 0 < comparison.questions < 10
    assert (progress[-1].state, progress[-1].unit) == ("cancelled", "questions")


def test_neighbours_count_as_found_and_the_question_itself_is_ignored() -> None:
    question = KnownItemQuestion("heron", "s#2", "latin", "asked", ("s#3",), "s#1")
    others = [f"t#{number}" for number in range(10)]
    assert answer_rank(question, ["s#1", "t#1", "s#3", "s#2"]) == 2
    assert answer_rank(question, ["s#1", *others[:9], "s#2"]) == 10
    assert answer_rank(question, [*others, "s#2"]) is None
    assert answer_rank(question, ["s#1"]) is None
