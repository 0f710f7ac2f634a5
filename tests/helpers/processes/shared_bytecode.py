"""What is compiled once serves all workers of a run, and the processes that tests start.

Each would compile the whole program and rewrite the assertions of all tests, which takes longer than half a minute.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Final

import pytest

_FOLDER: Final = "TESTS_BYTECODE"
_KEY: Final = pytest.StashKey[Path]()


@pytest.hookimpl(trylast=True)  # the surroundings are saved by then, and are given back in the end
def pytest_configure(config: pytest.Config) -> None:
    """Make a folder for the run, where nothing may be written beside the sources, and let all of it use that."""
    if not sys.dont_write_bytecode:
        return
    if _FOLDER not in os.environ:
        config.stash[_KEY] = Path(tempfile.mkdtemp(prefix="kt-bytecode-"))
        os.environ[_FOLDER] = str(config.stash[_KEY])
    if config.getoption("dist", "no") == "no":
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = os.environ[_FOLDER]
    if _share_of(config) is not None:
        sys.dont_write_bytecode, sys.pycache_prefix = False, os.environ[_FOLDER]


def pytest_sessionstart(session: pytest.Session) -> None:
    """Load this worker's share of the tests before all collect them in the same order."""
    share = _share_of(session.config)
    if share is None:
        return
    number, workers = share
    for name in sorted(_test_modules(session.config))[number::workers]:
        # What cannot be loaded is told when it is collected.
        with suppress(Exception, pytest.skip.Exception):
            import_module(name)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the folder."""
    if _KEY in config.stash:
        # Windows keeps files of a process that is still ending open.
        shutil.rmtree(config.stash[_KEY], ignore_errors=sys.platform == "win32")


def _share_of(config: pytest.Config) -> tuple[int, int] | None:
    """Return the number of this worker and how many there are, ``None`` where there is no other."""
    worker = getattr(config, "workerinput", {"workercount": 1})
    return (int(worker["workerid"].removeprefix("gw")), worker["workercount"]) if worker["workercount"] > 1 else None


def _test_modules(config: pytest.Config) -> Iterator[str]:
    for argument in config.args:
        place = config.rootpath / argument.partition("::")[0]
        for path in place.rglob("test_*.py") if place.is_dir() else (place,):
            yield ".".join(path.relative_to(config.rootpath).with_suffix("").parts)
