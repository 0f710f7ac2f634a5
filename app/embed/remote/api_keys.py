"""Which key a remote service is asked with: from the variable that the settings name, or from the keyring."""

import re
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from app.config.keyring import Keyring
from app.config.model import SecretStatus
from app.embed.embedder_source import REMOTE, EmbedderSource
from app.errors import InputError, KeyringUnavailableError, MissingKeyringError, ModelUnavailableError

if TYPE_CHECKING:
    from app.embed.remote.providers import ProviderApi

LONGEST: Final = 1_200
"""Characters of a key; the keyring of Windows takes no more."""

COMPATIBLE: Final = "openai-compatible"

_NAME: Final = re.compile(r"[A-Z][A-Z0-9_]{0,60}_(KEY|TOKEN|SECRET)")


class ApiKeys:
    """Finds, keeps and removes keys. Every method may ask the keyring, which may take long.

    What was read is remembered until it is refused, changed or removed, so that the keyring is asked once.

    Args:
        environment: The environment variables.
        keyring: Where keys are kept; without one only variables count.
    """

    def __init__(self, environment: Mapping[str, str], keyring: Keyring | None = None) -> None:
        self._environment = environment
        self._keyring = keyring
        self._lock = threading.Lock()
        self._read: dict[str, str] = {}

    def key_of(self, source: EmbedderSource) -> "ApiKey":
        """Return the key of a remote service, which is looked up when it is needed."""
        return ApiKey(self, source)

    def find(self, source: EmbedderSource) -> tuple[str, str]:
        """Return the key to ask with, and where it comes from in words; two empty texts where none is needed.

        Raises:
            ModelUnavailableError: There is none, or the keyring does not say.
        """
        if source.api_key_env:
            return self._named(source), _variable(source.api_key_env)
        missing: KeyringUnavailableError | None = None
        try:
            if value := self._kept(source, attended=False):
                return value, "the keyring"
        except KeyringUnavailableError as error:
            missing = error
        usual = _shape(source).key_name
        if value := self._environment.get(usual, "").strip() if usual else "":
            return value, _variable(usual)
        if missing is not None and not isinstance(missing, MissingKeyringError):
            raise ModelUnavailableError(missing.message)
        if source.is_nearby:
            return "", ""
        raise ModelUnavailableError(self._how_to_give(source, has_keyring=missing is None))

    def status(self, source: EmbedderSource) -> SecretStatus:
        """Return where the key of a service comes from; a person asked, so a locked keyring may ask back."""
        keyring, kept, note = "", False, ""
        if self._keyring is not None:
            try:
                keyring = self._keyring.name()
                kept = bool(self._keyring.read(_secret(source), attended=True))
            except KeyringUnavailableError as error:
                note = error.message
        usual = _shape(source).key_name
        named = source.api_key_env
        variable = named or (usual if not kept else "")
        if variable and self._environment.get(variable, "").strip():
            over = f" It counts before the one in {keyring}." if kept else ""
            return SecretStatus(source.provider, "variable", _variable(variable), keyring, kept, over.strip())
        if named:
            return SecretStatus(source.provider, "none", "", keyring, kept, _empty(named, source.provider))
        if kept:
            return SecretStatus(source.provider, "keyring", keyring, keyring, kept)
        return SecretStatus(source.provider, "none", "", keyring, kept, note)

    def set(self, source: EmbedderSource, value: str) -> None:
        """Keep a key in the keyring.

        Raises:
            InputError: It is no key, or the service has no address yet; the key is not repeated.
            KeyringUnavailableError: The keyring does not take it.
        """
        key = value.strip()
        if not (0 < len(key) <= LONGEST and is_usable(key)):
            raise InputError(
                f"That is no key: it is empty, longer than {LONGEST:,} characters, or has characters that no key has."
                " Copy it again."
            )
        self._own_keyring().write(_secret(source), key)
        self.forget(source)

    def remove(self, source: EmbedderSource) -> bool:
        """Remove a key from the keyring, and forget it here at once; false where it has none.

        Raises:
            KeyringUnavailableError: The keyring does not answer.
        """
        try:
            return self._own_keyring().remove(_secret(source))
        finally:
            self.forget(source)

    def forget(self, source: EmbedderSource) -> None:
        """Ask the keyring again next time, and not what is remembered."""
        with self._lock:
            self._read.pop(_secret(source), None)

    def close(self) -> None:
        """Let go of the keyring and of what was read."""
        if self._keyring is not None:
            self._keyring.close()
        with self._lock:
            self._read.clear()

    def _named(self, source: EmbedderSource) -> str:
        name = source.api_key_env
        value = self._environment.get(name, "").strip()
        if not value:
            raise ModelUnavailableError(_empty(name, source.provider))
        return value

    def _kept(self, source: EmbedderSource, *, attended: bool) -> str:
        secret = _secret(source)
        with self._lock:
            if value := self._read.get(secret, ""):
                return value
        value = self._own_keyring().read(secret, attended=attended)
        if value:
            with self._lock:
                self._read[secret] = value
        return value

    def _own_keyring(self) -> Keyring:
        if self._keyring is None:
            raise MissingKeyringError("No keyring is asked here; name an environment variable.")
        return self._keyring

    def _how_to_give(self, source: EmbedderSource, *, has_keyring: bool) -> str:
        usual = _shape(source).key_name
        if not usual and not has_keyring:
            return "Set embedding.api_key_env to the name of the environment variable that holds the key."
        if not has_keyring:
            return _empty(usual, source.provider)
        return (
            f"There is no key for {source.provider}. Give it in the settings or with"
            f" 'keepsake secret set {source.provider}', or name the environment variable that holds it in"
            " embedding.api_key_env."
        )


class ApiKey:
    """The key of one service, looked up each time it is used.

    Args:
        keys: Where it is found.
        source: Whose it is.
    """

    def __init__(self, keys: ApiKeys, source: EmbedderSource) -> None:
        self._keys = keys
        self._source = source
        self.place = ""

    def value(self) -> str:
        """Return the key; empty where none is needed.

        Raises:
            ModelUnavailableError: There is none, or it is none.
        """
        value, self.place = self._keys.find(self._source)
        if not is_usable(value):
            raise InputError(f"{self.place[:1].upper()}{self.place[1:]} holds no usable key; copy it again.")
        return value

    def refused(self) -> None:
        """Say that the service refused it."""
        self._keys.forget(self._source)


def is_usable(key: str) -> bool:
    """Return whether a text can stand in a request's header."""
    return key.isascii() and key.isprintable()


def _secret(source: EmbedderSource) -> str:
    """Return the name of a service's key in the keyring; a key is never sent to another address than its own.

    Raises:
        InputError: There is no such service, or nobody knows where it is.
    """
    if source.provider not in REMOTE:
        raise InputError(f"Only a remote service has a key: {', '.join(sorted(REMOTE))}.", allowed=sorted(REMOTE))
    if source.provider != COMPATIBLE:
        return source.provider
    if not source.base_url:
        raise InputError(f"A key of {COMPATIBLE} belongs to its address; set embedding.base_url first.")
    address = source.address()
    return f"{COMPATIBLE} {address.scheme}://{address.netloc.lower()}"


def _shape(source: EmbedderSource) -> "ProviderApi":
    from app.embed.remote.providers import PROVIDER_APIS  # noqa: PLC0415

    return PROVIDER_APIS[source.provider]


def _variable(name: str) -> str:
    """Return a variable in words; by its name only where that is surely none of the keys it should hold."""
    return f"the environment variable {name if _NAME.fullmatch(name) else 'that embedding.api_key_env names'}"


def _empty(variable: str, provider: str) -> str:
    return f"T{_variable(variable)[1:]} holds no key for {provider}; set it before Keepsake starts."
