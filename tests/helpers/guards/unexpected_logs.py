"""A test fails when anything logs a warning that the test did not announce."""

import logging
import re
from collections.abc import Callable, Iterator

import pytest

AllowLogs = Callable[[str], None]


class Listener(logging.Handler):
    """Keep every record at WARNING or above."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the record."""
        self.records.append(record)


LISTENER = Listener()


def pytest_configure() -> None:
    """Listen on the root logger for the whole run, so that other threads are heard too."""
    logging.getLogger().addHandler(LISTENER)


def pytest_unconfigure() -> None:
    """Stop listening."""
    logging.getLogger().removeHandler(LISTENER)


@pytest.fixture
def allow_logs() -> AllowLogs:
    """Announce warnings: ``allow_logs(r"regular expression")`` over ``logger: message``."""
    return _patterns.append


_patterns: list[str] = []


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Fail at the end of a test that logged a warning nobody announced."""
    _patterns.clear()
    LISTENER.records.clear()
    yield
    lines = [f"{record.name}: {record.levelname}: {record.getMessage()}" for record in LISTENER.records]
    unexpected = [line for line in lines if not any(re.search(pattern, line) for pattern in _patterns)]
    LISTENER.records.clear()
    if unexpected:
        pytest.fail("unexpected log records:\n" + "\n".join(unexpected), pytrace=False)
