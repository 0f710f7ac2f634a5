"""The system's keyring, called on a thread of its own with a time limit."""

import contextlib
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from typing import TYPE_CHECKING, Any, Final, TypeVar

from app.errors import KeyringUnavailableError, MissingKeyringError
from app.sentence import Sentence

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

T = TypeVar("T")

SERVICE: Final = "Keepsake"
UNATTENDED_S: Final = 10.0
ATTENDED_S: Final = 60.0
AGAIN_S: Final = 300.0

FOR_API_KEYS: Final = "Put the key into an environment variable, and its name into embedding.api_key_env."
"""Advice for a computer without a keyring, about the key of a model."""
_ABSENT: Final = frozenset({"keyring.backends.fail", "keyring.backends.null"})
_NAMES: Final = {
    "keyring.backends.SecretService": "the keyring of the desktop (Secret Service)",
    "keyring.backends.libsecret": "the keyring of the desktop (Secret Service)",
    "keyring.backends.kwallet": "KWallet",
    "keyring.backends.macOS": "the macOS Keychain",
    "keyring.backends.Windows": "the Windows Credential Manager",
}


class Keyring:
    """Secrets by name in the system's keyring.

    Every method may take long; none belongs on an event loop or on the window's thread.

    The library behind it is loaded with the first question, for looking for a keyring may itself wait for one.

    Args:
        unattended_s: Seconds at most to wait where nobody asked for the secret just now.
        attended_s: Seconds at most to wait for a person, who may have to type the keyring's password.
        again_s: Seconds for which a keyring that refused is not asked again where nobody asked for the secret, so that
            the system does not ask for its password over and over.
        now: A clock that only goes forward.
        instead: What helps where there is no keyring, as a sentence.
    """

    def __init__(
        self,
        *,
        unattended_s: float = UNATTENDED_S,
        attended_s: float = ATTENDED_S,
        again_s: float = AGAIN_S,
        now: Callable[[], float] = time.monotonic,
        instead: str = FOR_API_KEYS,
    ) -> None:
        self._instead = instead
        self._wait_s = {False: unattended_s, True: attended_s}
        self._again_s = again_s
        self._now = now
        self._turn = threading.Lock()
        self._thread: threading.Thread | None = None
        self._pending: Future[Any] = Future()
        self._is_closed = False
        self._refusal = ""
        self._quiet_until = 0.0

    def name(self) -> str:
        """Return what this machine's keyring is called.

        Raises:
            MissingKeyringError: There is none, or none that is safe.
            KeyringUnavailableError: It does not answer.
        """
        return self._ask(_name_of, attended=True)

    def read(self, secret: str, *, attended: bool = False) -> str:
        """Return a secret by its name, ``""`` where there is none.

        Args:
            secret: Its name.
            attended: Whether a person asked for it and waits.

        Raises:
            MissingKeyringError: There is no keyring.
            KeyringUnavailableError: It is locked, or does not answer.
        """
        return self._ask(lambda backend: (backend.get_password(SERVICE, secret) or "").strip(), attended=attended)

    def write(self, secret: str, value: str) -> None:
        """Store a secret by its name, replacing an earlier one; raises like ``read``."""

        def keep(backend: "KeyringBackend") -> bool:
            backend.set_password(SERVICE, secret, value)
            return backend.get_password(SERVICE, secret) == value

        if not self._ask(keep, attended=True):
            raise KeyringUnavailableError(
                Sentence("The keyring of this machine did not keep the key. {instead}", instead=self._instead)
            )

    def remove(self, secret: str) -> bool:
        """Remove a secret by its name; False where there is none.

        Raises like ``read``.
        """

        def drop(backend: "KeyringBackend") -> bool:
            if backend.get_password(SERVICE, secret) is None:
                return False
            backend.delete_password(SERVICE, secret)
            return backend.get_password(SERVICE, secret) is None

        return self._ask(drop, attended=True)

    def close(self) -> None:
        """Release all waiting callers, and ask the keyring nothing more."""
        self._is_closed = True
        _settle(self._pending.set_exception, _closed())

    def _ask(self, work: "Callable[[KeyringBackend], T]", *, attended: bool) -> T:
        if not attended and self._now() < self._quiet_until:
            raise KeyringUnavailableError(self._refusal)
        wait_s = self._wait_s[attended]
        try:
            answer = self._answer(work, wait_s)
        except TimeoutError:
            raise _slow(wait_s) from None
        except MissingKeyringError:
            raise
        except KeyringUnavailableError as error:
            self._refusal, self._quiet_until = error.sentence, self._now() + self._again_s
            raise
        self._quiet_until = 0.0
        return answer

    def _answer(self, work: "Callable[[KeyringBackend], T]", wait_s: float) -> T:
        with self._turn:
            if self._is_closed:
                raise _closed()
            # A thread that has answered may take a moment to end.
            if self._thread is not None and self._thread.is_alive() and not self._pending.done():
                raise TimeoutError
            answer: Future[T] = Future()
            self._pending = answer
            # Not a pool's thread: it cannot be ended, and the program must not wait for it at exit.
            self._thread = threading.Thread(
                target=_work, args=(work, answer, self._instead), name="keepsake-keyring", daemon=True
            )
            self._thread.start()
            return answer.result(wait_s)


def _work(work: "Callable[[KeyringBackend], T]", answer: "Future[T]", instead: str) -> None:
    try:
        result = work(_backend(instead))
    except KeyringUnavailableError as error:
        _settle(answer.set_exception, error)
    except Exception as error:  # noqa: BLE001  (each keyring of each system has failures of its own)
        _settle(answer.set_exception, _failure(error, instead))
    else:
        _settle(answer.set_result, result)


def _settle(settled: Callable[[Any], None], value: object) -> None:
    with contextlib.suppress(InvalidStateError):  # the caller does not wait any more
        settled(value)


def _backend(instead: str) -> "KeyringBackend":
    from keyring import get_keyring  # noqa: PLC0415

    backend = get_keyring()
    first = type(_first(backend))
    if first.__module__ in _ABSENT:
        raise MissingKeyringError(
            Sentence("This machine has no keyring that Keepsake can use. {instead}", instead=instead)
        )
    if "plaintext" in first.__name__.lower():
        raise MissingKeyringError(
            Sentence(
                "The only keyring of this machine is a file that anyone with access to it can read. {instead}",
                instead=instead,
            )
        )
    return backend


def _first(backend: "KeyringBackend") -> "KeyringBackend":
    """Return where a secret would be kept: several keyrings may stand behind one."""
    return next(iter(getattr(backend, "backends", ())), backend)


def _name_of(backend: "KeyringBackend") -> str:
    kind = type(_first(backend))
    return _NAMES.get(kind.__module__, kind.name)


def _failure(error: Exception, instead: str) -> KeyringUnavailableError:
    from keyring.errors import KeyringLocked, NoKeyringError  # noqa: PLC0415

    if isinstance(error, NoKeyringError):
        return MissingKeyringError(
            Sentence("This machine has no keyring that Keepsake can use. {instead}", instead=instead)
        )
    if isinstance(error, KeyringLocked):
        return KeyringUnavailableError("The keyring of this machine stayed locked; unlock it and try again.")
    # Only the kind: its text may repeat what was kept.
    kind = type(error).__name__
    return KeyringUnavailableError(
        Sentence(
            "The keyring of this machine gave no answer ({kind}). Try again, or: {instead}", kind=kind, instead=instead
        )
    )


def _slow(seconds: float) -> KeyringUnavailableError:
    return KeyringUnavailableError(
        Sentence(
            "The keyring of this machine does not answer within {seconds} seconds; it may wait for its password. "
            "Unlock it and try again.",
            seconds=f"{seconds:g}",
        )
    )


def _closed() -> KeyringUnavailableError:
    return KeyringUnavailableError("Keepsake is closing; the keyring is not asked any more.")
