"""Keys of remote services, from an environment variable or the keyring."""

import re
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from app.config.keyring import Keyring
from app.config.model import SecretStatus
from app.embed.embedder_source import REMOTE, EmbedderSource
from app.errors import InputError, KeyringUnavailableError, MissingKeyringError, ModelUnavailableError
from app.sentence import Sentence

if TYPE_CHECKING:
    from app.embed.remote.providers import ProviderApi

LONGEST: Final = 1_200
"""Longest key in characters; the keyring of Windows takes no more."""

COMPATIBLE: Final = "openai-compatible"

_NAME: Final = re.compile(r"[A-Z][A-Z0-9_]{0,60}_(KEY|TOKEN|SECRET)")


class ApiKeys:
    """Keys of remote services. Every method may query the keyring, which may take long.

    A key that was read is cached until it is refused, changed or removed, so that the keyring is queried once.

    Args:
        environment: The environment variables.
        keyring: The keyring; without one only environment variables are used.
    """

    def __init__(self, environment: Mapping[str, str], keyring: Keyring | None = None) -> None:
        self._environment = environment
        self._keyring = keyring
        self._lock = threading.Lock()
        self._read: dict[str, str] = {}

    def key_of(self, source: EmbedderSource) -> "ApiKey":
        """Return the key of a remote service, to be looked up when it is used."""
        return ApiKey(self, source)

    def find(self, source: EmbedderSource) -> tuple[str, str]:
        """Return the key, and its origin in words.

        Two empty texts if the service needs none.

        Raises:
            ModelUnavailableError: The key is missing, or the keyring cannot be read.
        """
        if source.api_key_env:
            return self._named(source), _variable(source.api_key_env, source.section)
        missing: KeyringUnavailableError | None = None
        try:
            if value := self._kept(source, attended=False):
                return value, Sentence("the keyring")
        except KeyringUnavailableError as error:
            missing = error
        usual = _api(source).key_name
        if value := self._environment.get(usual, "").strip() if usual else "":
            return value, _variable(usual, source.section)
        if missing is not None and not isinstance(missing, MissingKeyringError):
            raise ModelUnavailableError(missing.sentence)
        if source.is_nearby:
            return "", ""
        raise ModelUnavailableError(self._how_to_give(source, has_keyring=missing is None))

    def status(self, source: EmbedderSource) -> SecretStatus:
        """Return the origin of a service's key.

        A locked keyring may prompt the person, who requested this.
        """
        keyring, kept, note = "", False, ""
        if self._keyring is not None:
            try:
                keyring = self._keyring.name()
                kept = bool(self._keyring.read(_secret(source), attended=True))
            except KeyringUnavailableError as error:
                note = error.sentence
        usual = _api(source).key_name
        named = source.api_key_env
        variable = named or (usual if not kept else "")
        if variable and self._environment.get(variable, "").strip():
            over = f" It counts before the one in {keyring}." if kept else ""
            return SecretStatus(
                source.service, "variable", str(_variable(variable, source.section)), keyring, kept, over.strip()
            )
        if named:
            return SecretStatus(source.service, "none", "", keyring, kept, str(_empty(named, source)))
        if kept:
            return SecretStatus(source.service, "keyring", keyring, keyring, kept)
        return SecretStatus(source.service, "none", "", keyring, kept, note)

    def set(self, source: EmbedderSource, value: str) -> None:
        """Keep a key in the keyring.

        Raises:
            InputError: The value is not a key, or the service has no address yet; the message omits the value.
            KeyringUnavailableError: The keyring refused it.
        """
        key = value.strip()
        if not (0 < len(key) <= LONGEST and is_usable(key)):
            raise InputError(
                Sentence(
                    "That is no key: it is empty, longer than {most} characters, or has characters no key"
                    " has. Copy it again.",
                    most=LONGEST,
                )
            )
        self._own_keyring().write(_secret(source), key)
        self.forget(source)

    def remove(self, source: EmbedderSource) -> bool:
        """Remove a key from the keyring and from memory; return whether the keyring had it.

        Raises:
            KeyringUnavailableError: The keyring does not answer.
        """
        try:
            return self._own_keyring().remove(_secret(source))
        finally:
            self.forget(source)

    def forget(self, source: EmbedderSource) -> None:
        """Drop the cached key, so that the keyring is queried again."""
        with self._lock:
            self._read.pop(_secret(source), None)

    def close(self) -> None:
        """Close the keyring and drop the cached keys."""
        if self._keyring is not None:
            self._keyring.close()
        with self._lock:
            self._read.clear()

    def _named(self, source: EmbedderSource) -> str:
        name = source.api_key_env
        value = self._environment.get(name, "").strip()
        if not value:
            raise ModelUnavailableError(_empty(name, source))
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
            raise MissingKeyringError("No keyring is used here; name an environment variable.")
        return self._keyring

    def _how_to_give(self, source: EmbedderSource, *, has_keyring: bool) -> Sentence:
        usual = _api(source).key_name
        if not usual and not has_keyring:
            return Sentence(
                "Set {section}.api_key_env to the name of the environment variable that holds the key.",
                section=source.section,
            )
        if not has_keyring:
            return _empty(usual, source)
        return Sentence(
            "There is no key for {service}. Give it in the settings or with 'keepsake secret set {service}', or name"
            " the environment variable that holds it in {section}.api_key_env.",
            service=source.service,
            section=source.section,
        )


class ApiKey:
    """The key of one service, looked up each time it is used.

    Args:
        keys: Finds the key.
        source: The service.
    """

    def __init__(self, keys: ApiKeys, source: EmbedderSource) -> None:
        self._keys = keys
        self._source = source
        self.place = ""

    def value(self) -> str:
        """Return the key; empty if the service needs none.

        Raises:
            ModelUnavailableError: The key is missing or unusable.
        """
        value, self.place = self._keys.find(self._source)
        if not is_usable(value):
            raise InputError(Sentence("The key in {place} is not usable; copy it again.", place=self.place))
        return value

    def refused(self) -> None:
        """Report that the service refused the key."""
        self._keys.forget(self._source)


def is_usable(key: str) -> bool:
    """Return whether a text can be sent as a key in a request's header."""
    return key.isascii() and key.isprintable()


def _secret(source: EmbedderSource) -> str:
    """Return the name of a service's key in the keyring.

    It contains the address, so no other service gets the key.

    Raises:
        InputError: The service is unknown, or has no address yet.
    """
    if source.provider not in REMOTE:
        raise InputError(
            Sentence("Only a remote service has a key: {choices}.", choices=", ".join(sorted(REMOTE))),
            allowed=sorted(REMOTE),
        )
    if source.provider != COMPATIBLE:
        return source.provider
    if not source.base_url:
        raise InputError(
            Sentence(
                "A key of {service} belongs to its address; set {section}.base_url first.",
                service=source.service,
                section=source.section,
            )
        )
    address = source.address()
    return f"{COMPATIBLE} {address.scheme}://{address.netloc.lower()}"


def _api(source: EmbedderSource) -> "ProviderApi":
    from app.embed.remote.providers import PROVIDER_APIS  # noqa: PLC0415

    return PROVIDER_APIS[source.provider]


def _variable(name: str, section: str) -> Sentence:
    """Return a description of a variable.

    Its name is included only if it cannot be a key entered by mistake.
    """
    if _NAME.fullmatch(name):
        return Sentence("the environment variable {name}", name=name)
    return Sentence("the environment variable that {section}.api_key_env names", section=section)


def _empty(variable: str, source: EmbedderSource) -> Sentence:
    if _NAME.fullmatch(variable):
        return Sentence(
            "The environment variable {name} holds no key for {service}; set it before Keepsake starts.",
            name=variable,
            service=source.service,
        )
    return Sentence(
        "The environment variable that {section}.api_key_env names holds no key for {service}; set it before Keepsake"
        " starts.",
        section=source.section,
        service=source.service,
    )
