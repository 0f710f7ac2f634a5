"""The system's keyring: kept, read, removed; locked, slow, absent, broken; never waited for without end."""

import logging
import subprocess
import sys
import threading
from typing import Any

import pytest
from keyring.backends.chainer import ChainerBackend
from keyring.backends.fail import Keyring as FailKeyring
from keyring.backends.null import Keyring as NullKeyring
from keyring.errors import KeyringLocked, NoKeyringError

from app.config import keyring as keyring_module
from app.config.keyring import Keyring
from app.errors import KeyringUnavailableError, MissingKeyringError
from tests.helpers.keyrings import ForgetfulKeyring, MemoryKeyring, PlaintextKeyring, used

KEY = "sk-very-secret-0123456789"


def test_kept_read_and_removed(memory_keyring: MemoryKeyring) -> None:
    ours = Keyring()
    assert ours.name() == "keyrings MemoryKeyring"
    assert ours.read("openai") == ""
    ours.write("openai", KEY)
    assert memory_keyring.kept == {("Keepsake", "openai"): KEY}
    assert Keyring().read("openai") == KEY
    assert ours.remove("openai")
    assert not ours.remove("openai")
    assert memory_keyring.kept == {}


def test_keyring_is_called_in_a_thread_of_its_own(memory_keyring: MemoryKeyring) -> None:
    Keyring().read("openai")
    assert memory_keyring.threads == {"keepsake-keyring"}


def test_a_thread_that_is_slow_to_end_does_not_refuse_the_next_question(
    memory_keyring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, held = keyring_module._work, threading.Event()

    def answer_and_linger(*arguments: Any) -> None:
        work(*arguments)
        held.wait(30)

    monkeypatch.setattr(keyring_module, "_work", answer_and_linger)
    ours = Keyring()
    try:
        assert ours.read("openai") == ""
        assert ours.read("openai") == ""
    finally:
        held.set()


@pytest.mark.parametrize("backend", [FailKeyring, NullKeyring])
def test_a_machine_without_one(no_keyring: None, backend: type) -> None:
    used(backend())
    for ask in (Keyring().name, lambda: Keyring().read("x"), lambda: Keyring().write("x", KEY)):
        with pytest.raises(MissingKeyringError) as caught:
            ask()
        assert caught.value.message == (
            "This machine has no keyring that Keepsake can use. Put the key into an environment variable, and its name"
            " into embedding.api_key_env."
        )


def test_a_file_that_anyone_can_read_is_no_keyring(no_keyring: None) -> None:
    backend = used(PlaintextKeyring())
    with pytest.raises(MissingKeyringError, match="a file that anyone with access to it can read"):
        Keyring().write("openai", KEY)
    assert backend.kept == {}


def test_of_several_keyrings_the_first_counts(no_keyring: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ChainerBackend, "backends", [MemoryKeyring(), PlaintextKeyring()])
    used(ChainerBackend())  # type: ignore[no-untyped-call]
    ours = Keyring()
    ours.write("openai", KEY)
    assert (ours.name(), ours.read("openai")) == ("keyrings MemoryKeyring", KEY)
    monkeypatch.setattr(ChainerBackend, "backends", [PlaintextKeyring()])
    with pytest.raises(MissingKeyringError):
        ours.write("openai", KEY)


def test_what_was_not_kept_is_said(no_keyring: None) -> None:
    used(ForgetfulKeyring())
    with pytest.raises(KeyringUnavailableError, match="did not keep the key"):
        Keyring().write("openai", KEY)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (KeyringLocked("Failed to unlock"), "stayed locked; unlock it"),
        (NoKeyringError("none"), "has no keyring that Keepsake can use"),
        (OSError(f"no such {KEY}"), r"gave no answer \(OSError\)"),
        (ValueError(KEY), r"gave no answer \(ValueError\)"),
    ],
)
def test_what_goes_wrong_is_said_and_no_key_repeated(
    memory_keyring: MemoryKeyring, caplog: pytest.LogCaptureFixture, fault: Exception, said: str
) -> None:
    caplog.set_level(logging.DEBUG)
    memory_keyring.fault = fault
    with pytest.raises(KeyringUnavailableError, match=said) as caught:
        Keyring().write("openai", KEY)
    assert KEY not in f"{caught.value.as_dict()} {caught.value.__cause__!r} {caught.value.__context__!r} {caplog.text}"


def test_a_locked_keyring_is_not_waited_for_without_end(memory_keyring: MemoryKeyring) -> None:
    memory_keyring.kept["Keepsake", "openai"] = KEY
    memory_keyring.unlocked.clear()
    ours = Keyring(unattended_s=0.05)
    for _ in range(3):
        with pytest.raises(KeyringUnavailableError, match=r"does not answer within 0\.05 seconds"):
            ours.read("openai")
    assert memory_keyring.requested == 1  # one question waits, not one for each time it was asked
    memory_keyring.unlocked.set()
    assert Keyring().read("openai") == KEY


def test_once_it_is_unlocked_it_answers(memory_keyring: MemoryKeyring) -> None:
    memory_keyring.kept["Keepsake", "openai"] = KEY
    memory_keyring.unlocked.clear()
    ours = Keyring(unattended_s=0.05)
    with pytest.raises(KeyringUnavailableError):
        ours.read("openai")
    memory_keyring.unlocked.set()
    assert ours._thread is not None
    ours._thread.join(10)
    assert ours.read("openai") == KEY


def test_refusal_of_the_person_is_remembered_for_a_while(memory_keyring: MemoryKeyring) -> None:
    seconds = [0.0]
    ours = Keyring(again_s=300, now=lambda: seconds[0])
    memory_keyring.fault = KeyringLocked()
    for _ in range(5):
        with pytest.raises(KeyringUnavailableError, match="stayed locked"):
            ours.read("openai")
    assert memory_keyring.requested == 1
    seconds[0] = 301
    with pytest.raises(KeyringUnavailableError):
        ours.read("openai")
    assert memory_keyring.requested == 2
    memory_keyring.fault = None
    assert ours.read("openai", attended=True) == ""  # the person asks
    assert ours.read("openai") == ""


def test_closing_releases_waiting_callers(memory_keyring: MemoryKeyring) -> None:
    memory_keyring.unlocked.clear()
    ours = Keyring(unattended_s=60)
    said: list[str] = []

    def ask() -> None:
        with pytest.raises(KeyringUnavailableError) as caught:
            ours.read("openai")
        said.append(caught.value.message)

    waiting = [threading.Thread(target=ask) for _ in range(3)]
    for thread in waiting:
        thread.start()
    assert memory_keyring.reached.wait(10)
    ours.close()
    for thread in waiting:
        thread.join(10)
    assert said == ["Keepsake is closing; the keyring is not asked any more."] * 3


def test_many_may_ask_at_once(memory_keyring: MemoryKeyring) -> None:
    ours = Keyring()
    ours.write("openai", KEY)
    found: list[str] = []
    asking = [threading.Thread(target=lambda: found.append(ours.read("openai"))) for _ in range(20)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join(10)
    assert found == [KEY] * 20


def test_the_library_waits_until_a_key_is_wanted() -> None:
    script = (
        "import sys, app.host, app.api.operations.vault.secrets, app.embed.remote.api_keys\n"
        "from app.config.keyring import Keyring\n"
        "ours = Keyring()\n"
        "print('keyring' in sys.modules)\n"
        "try:\n    ours.read('openai')\nexcept Exception as error:\n    print(error.code)\n"
        "print('keyring' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "keyring_missing", "True"]


def test_a_keyring_that_cannot_even_be_loaded() -> None:
    script = (
        "import os\nos.environ['PYTHON_KEYRING_BACKEND'] = 'no.such.Backend'\n"
        "from app.config.keyring import Keyring\n"
        "try:\n    Keyring().read('openai')\nexcept Exception as error:\n    print(error.message)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("The keyring of this machine gave no answer (ModuleNotFoundError).")
    assert done.stderr == ""
