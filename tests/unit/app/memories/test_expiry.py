"""A memory that is to be kept until a time is set aside when that time comes."""

import threading
from datetime import UTC, datetime, timedelta

from app.changes import ChangeSet
from app.host import Host
from app.memories.expiry import ACTOR

_LONGEST_S = 30.0


def test_it_is_set_aside_when_its_time_comes_though_nothing_else_happens(host: Host) -> None:
    gone = threading.Event()
    swept: list[ChangeSet] = []

    def received(change: object) -> None:
        if isinstance(change, ChangeSet) and change.actor == ACTOR:
            swept.append(change)
            gone.set()

    stop = host.subscribe(received)
    now = datetime.now(UTC)
    later = host.ask("memory.write", content="The shop is open", expires_at=now + timedelta(days=1)).memory.id
    soon = host.ask("memory.write", content="Bread is cheap", expires_at=now + timedelta(seconds=1)).memory.id
    assert gone.wait(_LONGEST_S)
    stop()
    assert datetime.now(UTC) >= now + timedelta(seconds=1)
    assert len(swept) == 1
    assert host.ask("memory.get", id=soon).memories[0].deleted_at is not None
    assert host.ask("memory.get", id=later).memories[0].deleted_at is None
