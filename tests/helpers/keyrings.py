"""Keyrings of the library's own kind: one that keeps in memory, and one that waits, refuses or forgets when told to."""

import threading
from collections.abc import Iterator
from typing import Any, ClassVar

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoKeyring


class MemoryKeyring(KeyringBackend):
    """Keeps passwords while the process runs."""

    priority: ClassVar[float] = 0.1

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.kept: dict[tuple[str, str], str] = {}
        self.requested = 0
        self.threads: set[str] = set()
        self.fault: Exception | None = None
        self.reached = threading.Event()
        self.unlocked = threading.Event()
        self.unlocked.set()

    def get_password(self, service: str, username: str) -> str | None:
        """Return a password."""
        self._enter()
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep a password."""
        self._enter()
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        """Remove a password."""
        self._enter()
        del self.kept[service, username]

    def _enter(self) -> None:
        self.requested += 1
        self.reached.set()
        self.threads.add(threading.current_thread().name)
        self.unlocked.wait(30)
        if self.fault is not None:
            raise self.fault


class ForgetfulKeyring(MemoryKeyring):
    """Takes passwords and keeps none."""

    def set_password(self, service: str, username: str, password: str) -> None:
        """Do nothing."""


class PlaintextKeyring(MemoryKeyring):
    """Named like the one that writes passwords into a readable file."""


@pytest.fixture
def memory_keyring() -> Iterator[MemoryKeyring]:
    """Let this process have a keyring, for this test."""
    keyring = MemoryKeyring()
    yield used(keyring)
    keyring.unlocked.set()
    used(NoKeyring())  # type: ignore[no-untyped-call]


@pytest.fixture
def no_keyring() -> Iterator[None]:
    """Put back after the test that this process has none."""
    yield
    used(NoKeyring())  # type: ignore[no-untyped-call]


def used(backend: Any) -> Any:
    """Let this process have ``backend`` as its keyring, and return it."""
    keyring.set_keyring(backend)
    return backend
