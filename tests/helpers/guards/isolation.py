"""No test sees the person's home, vault, settings or screen, or takes all the memory.

Properties are tried with sixty examples each, the same in each run; ``HYPOTHESIS_PROFILE=thorough`` tries a thousand
others.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

if sys.platform == "linux":
    import resource

HOME_KEY = pytest.StashKey[Path]()
SAVED_KEY = pytest.StashKey[dict[str, str]]()

# Where platforms look for a person's files, and the folder under the test home each is sent to.
FOLDERS = {
    "HOME": "",
    "USERPROFILE": "",
    "APPDATA": "roaming",
    "LOCALAPPDATA": "local",
    "WIN_PD_OVERRIDE_APPDATA": "roaming",
    "WIN_PD_OVERRIDE_LOCAL_APPDATA": "local",
    "XDG_CONFIG_HOME": "config",
    "XDG_DATA_HOME": "data",
    "XDG_CACHE_HOME": "cache",
    "XDG_STATE_HOME": "state",
    "XDG_RUNTIME_DIR": "run",
    "FASTEMBED_CACHE_PATH": "cache",
}

# A run that goes astray ends in MemoryError instead of taking the machine with it.
MEMORY_BYTES = 6 * 1024**3

settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=60,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("thorough", deadline=None, max_examples=1_000, print_blob=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--headed``."""
    parser.addoption("--headed", action="store_true", help="show the windows under test on the real screen")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return one worker more than there are cores: for a third of the time tests wait for disks and processes."""
    return (os.cpu_count() or 1) + 1


def pytest_configure(config: pytest.Config) -> None:
    """Point every per-person folder at a fresh one, before anything asks where they are."""
    config.stash[SAVED_KEY] = dict(os.environ)
    # Short, because a Unix socket's whole path has about 100 bytes.
    home = Path(tempfile.mkdtemp(prefix="kt-"))
    config.stash[HOME_KEY] = home
    for name, folder in FOLDERS.items():
        place = home / folder
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.environ[name] = str(place)
    for name in [name for name in os.environ if name.startswith("KEEPSAKE_")]:
        del os.environ[name]
    # The window speaks the language of the system.
    os.environ["LC_ALL"] = "C.UTF-8"
    os.environ.pop("LANGUAGE", None)
    # Workers share the cores: threads that wait for one another's turn at a matrix cost many times what they save.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    # The person's own keyring is nothing to a test.
    os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
    if not config.getoption("--headed"):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    _limit_memory()
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def _limit_memory() -> None:
    if sys.platform != "linux":
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    known = [limit for limit in (soft, hard, MEMORY_BYTES) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min(known), hard))


def pytest_unconfigure(config: pytest.Config) -> None:
    """Give the environment back and remove the test home."""
    saved = config.stash.get(SAVED_KEY, None)
    if saved is None:
        return
    os.environ.clear()
    os.environ.update(saved)
    # Windows keeps files of a process that is still ending open.
    shutil.rmtree(config.stash[HOME_KEY], ignore_errors=sys.platform == "win32")


@pytest.fixture(scope="session")
def test_home(pytestconfig: pytest.Config) -> Path:
    """Return the folder that stands for the person's home."""
    return pytestconfig.stash[HOME_KEY]
