"""Judgements of the person about answers of the search, on a real vault."""

from typing import Any

import pytest

from app.api.caller import Caller
from app.errors import AccessDeniedError, InputError, NotFoundError
from app.host import Host


@pytest.fixture
def filled(host: Host) -> Host:
    turns = ("heron elm lock quince", "elm lock quince umbrella")
    host.ask("session.append", session="s", messages=[{"role": "user", "content": text} for text in turns])
    host.ask("note.save", content="Saint-Remy pears ripen late behind the tar shed", title="Pears")
    host.ask("vault.settle")
    return host


@pytest.mark.parametrize(("name", "arguments"), [("trial.judged", {}), ("trial.judge", {"query": "x", "id": "s#1"})])
def test_agents_learn_nothing_of_it(filled: Host, name: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(AccessDeniedError):
        filled.call(name, arguments, Caller("agent", "inner")).result()


def test_a_later_judgement_replaces_an_earlier_one_or_takes_it_back(filled: Host) -> None:
    assert filled.ask("trial.judge", query=" pears  tar ", id="s#2", good=False).query == "pears tar"
    note = filled.ask("memory.search", query="pears").hits[0].id
    filled.ask("trial.judge", query="pears tar", id=note)
    filled.ask("trial.judge", query="ripen", id=note, good=False)
    filled.ask("trial.judge", query="ripen", id=note, good=True)
    assert {(judged.query, judged.id, judged.good) for judged in filled.ask("trial.judged")} == {
        ("pears tar", "s#2", False),
        ("pears tar", note, True),
        ("ripen", note, True),
    }
    filled.ask("trial.judge", query="ripen", id=note, good=None)
    assert len(filled.ask("trial.judged")) == 2
    assert len(filled.ask("trial.judged", limit=1)) == 1


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
