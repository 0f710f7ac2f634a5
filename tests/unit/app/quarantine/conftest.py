"""A host without a socket for tests of quarantine, and calls to it as an agent."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.api.caller import Caller
from app.host import Host

SCOUT, RIVAL = Caller("scout"), Caller("rival")


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    running = Host(vault, serve=False, overrides={"embedding.model": "hashed"})
    running.start()
    yield running
    running.stop()


def do(host: Host, caller: Caller, operation: str, **arguments: Any) -> Any:
    return host.call(operation, arguments, caller).result().value
