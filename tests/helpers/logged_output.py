"""What a host tells of itself: its log, its trace, and the text of its failures."""

import io
import logging
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import KeepsakeError

# A key that is to be found nowhere but where keys are kept.
KEY = "sk-live-QuuxPassphrase-8c1f"


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Hear everything that is logged, with tracebacks."""
    received = io.StringIO()
    handler = logging.StreamHandler(received)
    root, level = logging.getLogger(), logging.getLogger().level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield received
    root.removeHandler(handler)
    root.setLevel(level)


def texts_of(error: BaseException) -> str:
    """Return all that a failure says: its traceback, and what another program is told."""
    data = ascii(error.as_dict()) if isinstance(error, KeepsakeError) else ""
    return "".join(traceback.format_exception(error)) + data


def trace_of(vault: Path) -> str:
    """Return the lines of a vault's trace."""
    return "".join(path.read_text() for path in (vault / "trace").iterdir())
