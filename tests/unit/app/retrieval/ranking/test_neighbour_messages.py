"""Cached neighbours never show text that has changed since."""

from typing import Any

import pytest

from app.host import Host
from app.retrieval.model import Found, Hit


def hits(host: Host, query: str, **fields: Any) -> dict[str, Hit]:
    result: Found = host.ask("memory.search", query=query, recipe="learned", **fields)
    return {hit.id: hit for hit in result.hits}


@pytest.fixture
def filled(host: Host) -> Host:
    messages = [
        {"role": "user", "author": "Ana", "content": "Where do the herons nest?"},
        {"role": "assistant", "content": "In the old elm."},
        {"role": "user", "author": "Ben", "content": "I saw two of them last week."},
    ]
    host.ask("session.append", session="birds", messages=messages)
    host.ask("vault.settle")
    hits(host, "When did Ben see the herons nest")
    return host


def test_a_memory_that_was_changed_is_weighed_by_what_it_says_now(filled: Host) -> None:
    note = filled.ask("note.save", content="I keep my herons here", title="Pond")
    filled.ask("vault.settle")
    before = hits(filled, "herons")[note.id]
    filled.ask("note.update", id=note.id, version=note.version, content="Herons")
    filled.ask("vault.settle")
    after = hits(filled, "herons")[note.id]
    assert before.why.features != after.why.features
    assert hits(filled, "herons")[note.id].why.features == after.why.features


def test_later_messages_are_added_to_the_cache(filled: Host) -> None:
    assert "birds#5" not in hits(filled, "herons nest")
    more = [{"role": "user", "author": "Cleo", "content": text} for text in ("Do they?", "Cleo counted nine herons")]
    filled.ask("session.append", session="birds", messages=more)
    filled.ask("vault.settle")
    found = hits(filled, "When did Cleo count herons")
    assert "birds#5" in found
    assert found["birds#5"].why.features.get("speaker", 0) != 0


def test_a_forgotten_conversation_lends_nothing_and_comes_back_as_it_was(filled: Host) -> None:
    filled.ask("session.append", session="other", messages=[{"role": "user", "content": "herons on the lake"}])
    filled.ask("vault.settle")
    query_text = "When did Ben see herons"
    before = hits(filled, query_text)
    filled.ask("session.forget", session="birds")
    assert hits(filled, query_text).keys() == {"other#1"}
    filled.ask("memory.undo", history_ids=[filled.ask("memory.history", target="birds")[0].id])
    filled.ask("vault.settle")
    after = hits(filled, query_text)
    # How frequent words are is counted with what went.
    was = {name: pytest.approx(hit.score, abs=0.01) for name, hit in before.items()}
    assert {name: hit.score for name, hit in after.items()} == was
