"""Names of those who speak, left out of what is compared in meaning."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.host import Host
from app.retrieval.model import Leg
from app.retrieval.ranking.linear_ranker import LinearRanker
from app.retrieval.ranking.speaker_names import SpeakerNameCache
from app.sessions.model import NewMessage
from app.sessions.service import NewSession
from tests.unit.app.embed.sentence_model import NAME, write_sentence_model
from tests.unit.app.vault_harness import VaultHarness

WORDS = ("Caroline", "group", "tent", "fire", "when")


def opened(vault: Path, folder: Path) -> Host:
    host = Host(vault, serve=False, overrides={"embedding.model": NAME, "embedding.model_folder": str(folder)})
    host.start()
    return host


@pytest.fixture
def gazer(vault: Path, tmp_path: Path) -> Iterator[Host]:
    host = opened(vault, write_sentence_model(tmp_path / "gazer", WORDS))
    say(host, "Caroline", "group tent fire")
    say(host, "Mel", "Caroline")
    host.ask("vault.settle")
    yield host
    host.stop()


def say(host: Host, author: str, text: str) -> None:
    host.ask("session.append", session="s", messages=[{"role": "user", "author": author, "content": text}])


class Known:
    """Messages with authors, and who knows them."""

    def __init__(self, vault_harness: VaultHarness) -> None:
        self.vault_harness = vault_harness
        self.speakers = SpeakerNameCache(vault_harness.store)

    def say(self, author: str, text: str = "hello") -> None:
        message = NewMessage("user", text, author=author)
        self.vault_harness.do(self.vault_harness.sessions.append([message], "s", NewSession(), "person", owner=None))

    def strip_speakers(self, text: str) -> str:
        return self.vault_harness.do(self.speakers.strip_speakers(text))


@pytest.fixture
def known(vault: Path) -> Iterator[Known]:
    vault_harness = VaultHarness(vault)
    known = Known(vault_harness)
    for author in ("Caroline", "", "Mel", "Caroline"):
        known.say(author)
    yield known
    vault_harness.close()


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("When did Caroline go to the group?", "When did go to the group?"),
        ("what is caroline's plan", "what is plan"),
        ("What did CAROLINE, or Mel, say", "What did or say"),
        ("Caroline?", "Caroline?"),
        ("Caroline ?", "Caroline ?"),
        ("Carolines group", "Carolines group"),
        ("", ""),
        ("how does a team work", "how does a team work"),
    ],
)
def test_names_are_left_out_unless_nothing_else_remains(known: Known, question: str, left: str) -> None:
    assert known.strip_speakers(question) == left


def test_parts_of_a_name_count_with_a_capital(known: Known) -> None:
    assert known.strip_speakers("When did Zoë meet the Green party") == "When did Zoë meet the Green party"
    known.say("Zoë Green")
    assert known.strip_speakers("When did Zoë meet the green party of Zoe Green") == "When did meet the green party of"
    assert known.strip_speakers("when is zoë in") == "when is zoë in"


def test_forgotten_names_are_read_again(known: Known) -> None:
    assert known.strip_speakers("Mel sings") == "sings"
    known.speakers.clear()
    assert known.speakers._read_to == 0
    assert known.strip_speakers("Mel sings") == "sings"


@pytest.mark.parametrize("operation", ["memory.search", "memory.context"])
def test_what_a_model_finds_is_ranked_by_weights_of_its_own(
    gazer: Host, monkeypatch: pytest.MonkeyPatch, operation: str
) -> None:
    query_text, weights = [], LinearRanker.weights

    def recorded(ranker: LinearRanker, legs: Iterable[Leg], *, is_contextual: bool) -> Any:
        query_text.append(is_contextual)
        return weights(ranker, legs, is_contextual=is_contextual)

    monkeypatch.setattr(LinearRanker, "weights", recorded)
    gazer.ask(operation, **{"query" if operation == "memory.search" else "prompt": "group tent"})
    assert set(query_text) == {True}


def test_a_speaker_name_does_not_outweigh_the_question(gazer: Host) -> None:
    def best(question: str) -> str:
        return str(gazer.ask("memory.search", query=question, legs=["vector"]).hits[0].id)

    assert best("Caroline group") == "s#1"
    assert best("Caroline") == "s#2"
    for place, item in enumerate(("s#1", "s#2"), 1):
        explained = gazer.ask("search.explain", query="Caroline group", id=item)
        assert {leg.leg: leg.rank for leg in explained.legs}["vector"] == place


def test_built_in_vectors_are_compared_with_the_whole_question(vault: Path) -> None:
    host = Host(vault, serve=False, overrides={"embedding.model": "hashed"})
    host.start()
    try:
        say(host, "Caroline", "group tent fire")
        say(host, "Mel", "Caroline group")
        host.ask("vault.settle")
        assert host.ask("memory.search", query="Caroline group", legs=["vector"]).hits[0].id == "s#2"
    finally:
        host.stop()
