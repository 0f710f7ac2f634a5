"""A test fails when the program opens a database with ``open`` while SQLite has it open in the same process.

Closing such a file gives back the locks of SQLite; see ``app.store.files.database_file``.
"""

import os
import sys
import traceback
from collections.abc import Iterator

import pytest

from app.core.process.open_databases import is_open
from tests.helpers.sample_data import ROOT

_ENDINGS = (".db", ".db-shm")
_APP = str(ROOT / "app") + os.sep

_opened: list[str] = []


def _hear(event: str, arguments: tuple[object, ...]) -> None:
    if event != "open" or not isinstance(arguments[0], str | os.PathLike):
        return
    path = os.fspath(arguments[0])
    if isinstance(path, str) and path.endswith(_ENDINGS) and is_open(path):
        stack = [frame for frame in traceback.extract_stack() if frame.filename.startswith(_APP)]
        if stack:
            _opened.append(f"{path} by " + " < ".join(f"{frame.filename}:{frame.lineno}" for frame in stack[::-1]))


sys.addaudithook(_hear)


@pytest.fixture(autouse=True)
def _databases_opened_by_sqlite_alone() -> Iterator[None]:
    _opened.clear()
    yield
    if _opened:
        pytest.fail("opened although SQLite has it open:\n" + "\n".join(_opened), pytrace=False)
