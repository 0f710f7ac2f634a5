"""Facts drawn from old conversations carry the date when they were said, wherever they are shown."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.core.text_rules.short_ids import short_id
from app.host import Host

SAID = "2019-06-04T10:00:00+00:00"


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    running = Host(vault, overrides={"embedding.model": "hashed"})
    running.start()
    yield running
    running.stop()


def search(host: Host, query: str) -> list[Any]:
    """Return the hits of a search once everything is indexed."""
    for _ in range(250):
        if hits := host.ask("memory.search", query=query).hits:
            return list(hits)
        time.sleep(0.02)
    return []


def test_a_fact_has_the_date_when_it_was_said(host: Host) -> None:
    old = host.ask("fact.remember", content="The harbour of Vannes is renovated.", attributes={"said_at": SAID}).memory
    new = host.ask("fact.remember", content="The harbour master of Vannes plays chess.").memory
    for said_at in ("now", "nonsense", "2019-06-04", 7, None):  # foreign attributes break nothing
        host.ask("fact.remember", content=f"A boat called {said_at} lies there.", attributes={"said_at": said_at})
    dates = {hit.id: hit.created_at for hit in search(host, "harbour Vannes")}
    assert dates[old.id].isoformat() == SAID
    assert dates[new.id] == new.updated_at
    since = [hit.id for hit in search(host, 'harbour after:"2020-01-01"')]
    assert new.id in since
    assert old.id not in since
    until = [hit.id for hit in search(host, 'harbour before:"2020-01-01"')]
    assert old.id in until
    assert new.id not in until
    line = host.ask("memory.timeline", around="2019-06-05T00:00:00+00:00", before=3, after=0)
    assert [(item.id, item.at.isoformat()) for item in line.items] == [(old.id, SAID)]
    line = host.ask("memory.timeline", around=new.id, before=0, after=50)
    assert old.id not in [item.id for item in line.items]
    line = host.ask("memory.timeline", around=old.id, before=1, after=1)
    assert line.items[0].id == old.id


def test_the_memory_index_begins_with_what_was_said_lately(host: Host) -> None:
    old = host.ask("fact.remember", content="The harbour of Vannes is renovated.", attributes={"said_at": SAID}).memory
    new = host.ask("note.save", content="The mole of Vannes is repaired.")
    search(host, "harbour")
    context = host.ask("memory.context", prompt="zebra", sections=["index"])
    assert short_id(new.id) in context.text
    assert short_id(old.id) not in context.text
    context = host.ask("memory.context", prompt="What of the harbour of Vannes?", sections=["facts"])
    line = next(line for line in context.text.splitlines() if short_id(old.id) in line)
    assert "2019-06-04, fact" in line
