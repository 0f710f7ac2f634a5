"""What is kept of turns and memories never stands for what they say no more."""

from typing import Any

import pytest

from app.host import Host
from app.retrieval.model import Found, Hit


def hits(host: Host, query: str, **fields: Any) -> dict[str, Hit]:
    found: Found = host.ask("memory.search", query=query, recipe="learned", **fields)
    return {hit.id: hit for hit in found.hits}


@pytest.fixture
def told(host: Host) -> Host:
    messages = [
        {"role": "user", "author": "Ana", "content": "Where do the herons nest?"},
        {"role": "assistant", "content": "In the old elm."},
        {"role": "user", "author": "Ben", "content": "I saw two of them last week."},
    ]
    host.ask("session.append", session="birds", messages=messages)
    host.ask("vault.settle")
    hits(host, "When did Ben see the herons nest")
    return host


def test_a_memory_that_was_changed_is_weighed_by_what_it_says_now(told: Host) -> None:
    note = told.ask("note.save", content="I keep my herons here", title="Pond")
    told.ask("vault.settle")
    before = hits(told, "herons")[note.id]
    told.ask("note.update", id=note.id, version=note.version, content="Herons")
    told.ask("vault.settle")
    after = hits(told, "herons")[note.id]
    assert before.why.features != after.why.features
    assert hits(told, "herons")[note.id].why.features == after.why.features


def test_turns_said_later_are_read_beside_those_known(told: Host) -> None:
    assert "birds#5" not in hits(told, "herons nest")
    more = [{"role": "user", "author": "Cleo", "content": text} for text in ("Do they?", "Cleo counted nine herons")]
    told.ask("session.append", session="birds", messages=more)
    told.ask("vault.settle")
    found = hits(told, "When did Cleo count herons")
    assert "birds#5" in found
    assert found["birds#5"].why.features.get("speaker", 0) != 0


def test_a_forgotten_conversation_lends_nothing_and_comes_back_as_it_was(told: Host) -> None:
    told.ask("session.append", session="other", messages=[{"role": "user", "content": "herons on the lake"}])
    told.ask("vault.settle")
    asked = "When did Ben see herons"
    before = hits(told, asked)
    told.ask("session.forget", session="birds")
    assert hits(told, asked).keys() == {"other#1"}
    told.ask("memory.undo", history_ids=[told.ask("memory.history", target="birds")[0].id])
    told.ask("vault.settle")
    after = hits(told, asked)
    # How frequent words are is counted with what went.
    was = {name: pytest.approx(hit.score, abs=0.01) for name, hit in before.items()}
    assert {name: hit.score for name, hit in after.items()} == was
