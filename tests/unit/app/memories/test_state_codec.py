"""A memory's recorded state is JSON and gives the memory back."""

import json
from dataclasses import replace
from datetime import UTC, datetime

from app.history.state_diff import differing
from app.memories.model import Memory
from app.memories.state_codec import from_state, to_state

WHEN = datetime(2024, 5, 1, 12, 0, 0, 123_000, tzinfo=UTC)
MEMORY = Memory(
    id="note-1",
    kind="note",
    title="Garden",
    content="Soil\r\n",
    store="shared",
    source="person",
    created_at=WHEN,
    updated_at=WHEN,
    tags=("b", "a"),
    facts=("one",),
    event_time=WHEN,
    attributes={"aliases": ["plot"], "deep": {"x": [1, 2.5, None]}},
)


def test_state_goes_through_json_and_back() -> None:
    assert from_state(json.loads(json.dumps(to_state(MEMORY)))) == MEMORY


def test_differing_names_fields_but_no_counters() -> None:
    other = replace(MEMORY, content="new", tags=(), version=9, mention_count=4)
    assert differing(to_state(MEMORY), to_state(other)) == ("content", "tags")
    assert differing(to_state(MEMORY), None) == ("existence",)
    assert differing(None, None) == ()
