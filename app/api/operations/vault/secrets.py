"""Operations on the keys of remote services; no answer, trace or failure ever holds one."""

import asyncio
from dataclasses import replace
from typing import Final

from app.api.caller import Caller
from app.api.registry import operation
from app.changes import Area, Changed, ChangeSet
from app.config.model import LANGUAGE_MODEL, SERVICES, SecretStatus
from app.embed.embedder_source import EmbedderSource
from app.embed.remote.api_keys import COMPATIBLE
from app.engine import Engine
from app.errors import AccessDeniedError, InputError
from app.index.generations.service import configured_source
from app.sentence import Sentence

_AREAS: Final[frozenset[Area]] = frozenset({"settings"})


@operation("secret.list", owner_only=True)
async def list_secrets(engine: Engine, caller: Caller) -> list[SecretStatus]:
    """Return the source of each remote service's key, never the key.

    The system may ask for the password of its keyring. A service at an address of its own is left out until
    ``embedding.base_url`` is set, and so is the language model until ``llm.base_url`` is.
    """
    sources = [_source(engine, name) for name in (*SERVICES, LANGUAGE_MODEL)]
    configured = [source for source in sources if source.base_url or source.provider != COMPATIBLE]
    return [await asyncio.to_thread(engine.keys.status, source) for source in configured]


@operation("secret.status", owner_only=True)
async def status(engine: Engine, caller: Caller, name: str) -> SecretStatus:
    """Return the source of one remote service's key, never the key.

    The system may ask for the password of its keyring.

    Args:
        name: The service, such as ``openai``, or ``llm`` for the language model.
    """
    return await asyncio.to_thread(engine.keys.status, _source(engine, name))


@operation("secret.set", access="write", owner_only=True, review="refused", kind="settings", undo="none")
async def set_secret(engine: Engine, caller: Caller, name: str, value: str) -> Changed[SecretStatus]:
    """Store the key of a remote service in the system's keyring.

    It replaces an earlier one.

    It counts from the next request on, for all vaults of this person; a variable that ``embedding.api_key_env``
    or ``llm.api_key_env`` names counts before it. An isolated agent cannot set one, be its trust full.

    Args:
        name: The service, such as ``openai``; for ``openai-compatible`` the one at ``embedding.base_url``,
            for ``llm`` the language model at ``llm.base_url``.
        value: The key.
    """
    _refuse_isolated(engine)
    source = _source(engine, name)
    await asyncio.to_thread(engine.keys.set, source, value)
    engine.chat.try_again()
    await engine.index.embedding.try_again()
    return _changed(await asyncio.to_thread(engine.keys.status, source), caller)


@operation(
    "secret.remove", access="write", owner_only=True, destructive=True, review="refused", kind="settings", undo="none"
)
async def remove(engine: Engine, caller: Caller, name: str) -> Changed[SecretStatus]:
    """Remove the key of a remote service from the system's keyring.

    It is gone for all vaults of this person.

    Nothing more is sent with it, also where its model is in use.

    Args:
        name: The service, such as ``openai``, or ``llm`` for the language model.
    """
    _refuse_isolated(engine)
    source = _source(engine, name)
    await asyncio.to_thread(engine.keys.remove, source)
    return _changed(await asyncio.to_thread(engine.keys.status, source), caller)


def _source(engine: Engine, name: str) -> EmbedderSource:
    """Return the service as the settings name it.

    The given name is not repeated, for it may be a key.
    """
    if name == LANGUAGE_MODEL:
        return engine.chat_source()
    if name not in SERVICES:
        known = [*SERVICES, LANGUAGE_MODEL]
        raise InputError(
            Sentence("There is no such service; choose one of {names}.", names=", ".join(known)), allowed=known
        )
    settings = configured_source(engine.config)
    in_use = settings.provider == name or not settings.is_remote
    # A variable named for one service says nothing of another's.
    return replace(settings, model=name, api_key_env=settings.api_key_env if in_use else "")


def _refuse_isolated(engine: Engine) -> None:
    if engine.isolated is None:
        raise AccessDeniedError("An isolated agent cannot change keys: they are the person's.")


def _changed(status: SecretStatus, caller: Caller) -> Changed[SecretStatus]:
    return Changed(status, ChangeSet(_AREAS, (status.name,), caller.name))
