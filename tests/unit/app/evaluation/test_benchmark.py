"""Tests of the search with the person's own questions, on a real vault."""

from typing import Any

import pytest

from app.api.caller import Caller
from app.changes import Progress
from app.errors import AccessDeniedError, InputError, NotFoundError
from app.host import Host
from tests.helpers.engine import engine_of

WORDS = ("heron", "elm", "lock", "quince", "umbrella", "potato", "canal", "viola", "hojicha", "sward", "ledger", "weir")


@pytest.fixture
def filled(host: Host) -> Host:
    said = [
        {
            "role": "user",
            "content": " ".join(f"{word}{number % 7}x{place}" for place, word in enumerate(WORDS[number:])),
        }
        for number in range(9)
    ]
    said.append({"role": "user", "content": "我们今天去植物园看梨树和苹果树，然后喝了两杯绿茶。"})
    said.append({"role": "tool", "content": "logged crate barrel anchor rudder compass"})
    host.ask("session.append", session="s", messages=said)
    host.ask("note.save", content="Saint-Remy pears ripen late behind the tar shed", title="Pears")
    host.ask("vault.settle")
    return host


@pytest.mark.parametrize(
    "query_text", [{"questions": 0}, {"questions": 5_001}, {"recipe": "none"}, {"model": "fastembed:none"}]
)
def test_invalid_arguments_are_refused_and_leave_no_job(filled: Host, query_text: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        filled.ask("trial.run", **query_text)
    assert filled.ask("trial.list") == []
    assert filled.ask("vault.status").jobs == ()


def test_an_empty_vault_has_nothing_to_ask(host: Host) -> None:
    with pytest.raises(InputError, match="too little"):
        host.ask("trial.run")


def test_agents_learn_nothing_of_it(filled: Host) -> None:
    for name, query_text in (
        ("trial.run", {}),
        ("trial.list", {}),
        ("trial.judged", {}),
        ("trial.judge", {"query": "x", "id": "s#1"}),
    ):
        with pytest.raises(AccessDeniedError):
            filled.call(name, query_text, Caller("agent", "inner")).result()


def test_a_test_is_repeatable_and_kept(filled: Host) -> None:
    progress: list[Progress] = []
    filled.subscribe(lambda event: progress.append(event) if isinstance(event, Progress) else None)
    first = filled.ask("trial.run", questions=50, recipe="words", job="mine")
    again = filled.ask("trial.run", questions=50, recipe="words")
    assert (first.score, first.parts, first.missed) == (again.score, again.parts, again.missed)
    assert first.score.questions == 11
    assert first.score.recall_10 == 1.0
    assert {part.name for part in first.parts} >= {"latin", "han", "turns", "memories"}
    assert [trial.id for trial in filled.ask("trial.list")] == [again.id, first.id]
    assert filled.ask("trial.list", limit=1) == [again]
    assert [one.state for one in progress if one.job == "mine"][-1] == "finished"


def test_an_answer_is_searched_by_its_question_whose_message_is_ignored(host: Host) -> None:
    said = [
        {"role": "user", "content": "Where does the grey heron sleep at night?"},
        {"role": "assistant", "content": "Behind the tar shed beside Saint-Remy weir"},
        {"role": "user", "content": "Thanks"},
    ]
    host.ask("session.append", session="s", messages=said)
    host.ask("vault.settle")
    done = host.ask("trial.run", questions=5, recipe="words", seed=3)
    query_text = next(part for part in done.parts if part.name == "asked")
    # By words alone only the question has its words, and nothing is left when it is passed over.
    assert (query_text.questions, query_text.recall_10) == (1, 0.0)
    assert done.missed == ("s#2",)


def test_a_test_that_is_stopped_is_not_kept(filled: Host) -> None:
    filled.subscribe(lambda event: _stop(filled, event))
    done = filled.ask("trial.run", questions=50, job="mine")
    assert done.cancelled
    assert done.score.questions < 11
    assert filled.ask("trial.list") == []


def _stop(host: Host, event: object) -> None:
    if isinstance(event, Progress) and event.job == "mine":
        engine_of(host).jobs.cancel("mine")


def test_recipes_get_the_same_questions(filled: Host) -> None:
    words, vector = (filled.ask("trial.run", recipe=recipe, questions=50) for recipe in ("words", "vector"))
    assert words.score.questions == vector.score.questions == 11
    assert {part.name for part in words.parts} == {part.name for part in vector.parts}


def test_judged_queries_are_included(filled: Host) -> None:
    assert filled.ask("trial.judge", query=" pears  tar ", id="s#2", good=False).query == "pears tar"
    note = filled.ask("memory.search", query="pears").hits[0].id
    filled.ask("trial.judge", query="pears tar", id=note)
    filled.ask("trial.judge", query="ripen", id=note, good=False)
    filled.ask("trial.judge", query="ripen", id=note, good=True)
    assert {(one.query, one.id, one.good) for one in filled.ask("trial.judged")} == {
        ("pears tar", "s#2", False),
        ("pears tar", note, True),
        ("ripen", note, True),
    }
    done = filled.ask("trial.run", questions=1, recipe="words")
    assert (done.judged.questions, done.judged.recall_1) == (2, 1.0)
    assert done.wrong == (0, 1)
    filled.ask("trial.judge", query="ripen", id=note, good=None)
    assert len(filled.ask("trial.judged")) == 2


@pytest.mark.parametrize("query", ["", "  ", "x" * 1_001])
def test_a_judgement_needs_a_query(filled: Host, query: str) -> None:
    with pytest.raises(InputError):
        filled.ask("trial.judge", query=query, id="s#1")


@pytest.mark.parametrize("target", ["", "nobody", "s#99", "s#x", "#"])
def test_a_judgement_needs_an_item(filled: Host, target: str) -> None:
    with pytest.raises(NotFoundError):
        filled.ask("trial.judge", query="heron", id=target)


def test_a_judgement_goes_for_ever_with_what_it_is_about(filled: Host) -> None:
    note = filled.ask("memory.search", query="pears").hits[0].id
    filled.ask("trial.judge", query="pears", id=note)
    filled.ask("trial.judge", query="heron", id="s#1")
    filled.ask("note.delete", id=note)
    assert len(filled.ask("trial.judged")) == 2
    filled.ask("memory.forget_forever", ids=[note], confirm=True)
    assert [one.id for one in filled.ask("trial.judged")] == ["s#1"]
