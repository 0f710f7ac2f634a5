"""Factory of embedders by name: built in, run by fastembed, or a remote service."""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from app.embed.embedder_source import EmbedderSource
from app.embed.model import DownloadWatcher, Embedder
from app.embed.remote.api_keys import ApiKeys
from app.errors import InputError
from app.sentence import Sentence

if TYPE_CHECKING:
    from app.embed.remote.providers import ProviderApi

DEFAULT = "static"
NAMES = (
    "static",
    "hashed",
    "fastembed:<model>",
    "openai:<model>",
    "voyage:<model>",
    "cohere:<model>",
    "openai-compatible:<model>",
)
_REMOTE: Final = {"key_name", "dimensions"}
_OPTIONS: Final = {
    "static": {"folder"},
    "hashed": set[str](),
    "fastembed": {"folder", "cache", "threads"},
    "openai": _REMOTE,
    "voyage": _REMOTE,
    "cohere": _REMOTE,
    "openai-compatible": {*_REMOTE, "base_url"},
}
_NAMELESS: Final = {"static", "hashed"}


def open_embedder(
    name: str = DEFAULT,
    *,
    folder: Path | str | None = None,
    cache: Path | str | None = None,
    threads: int | None = None,
    fetch: bool = False,
    watch: DownloadWatcher | None = None,
    base_url: str | None = None,
    key_name: str | None = None,
    dimensions: int | None = None,
    environment: Mapping[str, str] | None = None,
    keys: ApiKeys | None = None,
) -> Embedder:
    """Return the embedder called ``name``, ready to use.

    Opening one sends no request to a remote service.

    Args:
        name: One of ``NAMES``.
        folder: The folder of the model's files; for ``static`` the built-in one when not given.
        cache: The folder of downloaded fastembed models, searched when no folder is given.
        threads: The number of threads for fastembed; its default when not given.
        fetch: Whether a fastembed model that is not on this machine may be downloaded.
        watch: Receives the download's progress, and may stop it.
        base_url: The address of an ``openai-compatible`` service.
        key_name: The environment variable that holds a remote service's key; else the keyring or the usual one.
        dimensions: The vector length to request from a remote model; its default when not given.
        environment: The variables that hold keys when ``keys`` is not given; the process's own by default.
        keys: Finds the key of a remote service.

    Raises:
        InputError: No embedder has that name, or it does not take an option that was given.
        ModelUnavailableError: The model is not on this machine or is damaged, or the key is missing.
        CancelledByPersonError: The download was stopped.
    """
    family, _, model = name.partition(":")
    if family not in _OPTIONS or (family not in _NAMELESS) != bool(model.strip()):
        raise InputError(
            Sentence("There is no such embedder; choose one of {choices}.", choices=", ".join(NAMES)),
            allowed=list(NAMES),
        )
    given = {
        "folder": folder,
        "cache": cache,
        "threads": threads,
        "base_url": base_url,
        "key_name": key_name,
        "dimensions": dimensions,
    }
    _require_taken(family, {option for option, value in given.items() if value is not None})
    if family in _NAMELESS:
        return _open_built_in(family, Path(folder) if folder else None)
    if family == "fastembed":
        from app.embed.fastembed_model import FastembedEmbedder  # noqa: PLC0415

        places = [Path(place) if place else None for place in (folder, cache)]
        return FastembedEmbedder(model, folder=places[0], cache=places[1], threads=threads, fetch=fetch, watch=watch)
    source = EmbedderSource(name, base_url=base_url or "", api_key_env=key_name or "", dimensions=dimensions or 0)
    return _open_remote(source, model, keys or ApiKeys(os.environ if environment is None else environment))


def _require_taken(family: str, given: set[str]) -> None:
    """Refuse options that the embedders of a family do not take."""
    for option in sorted(given - _OPTIONS[family]):
        raise InputError(
            Sentence("The embedder {family} takes no option {option}.", family=family, option=repr(option)),
            option=option,
        )


def open_source(
    source: EmbedderSource,
    *,
    keys: ApiKeys,
    cache: Path | None = None,
    fetch: bool = False,
    watch: DownloadWatcher | None = None,
) -> Embedder:
    """Return the embedder of ``source``; options that its family does not take are ignored.

    Args:
        source: The model and its options.
        keys: Finds the key of a remote service.
        cache: See ``open_embedder``.
        fetch: See ``open_embedder``.
        watch: See ``open_embedder``.

    Raises:
        InputError: No embedder has that name.
        ModelUnavailableError: It cannot be opened now.
        CancelledByPersonError: The download was stopped.
    """
    taken = _OPTIONS.get(source.provider, set())
    return open_embedder(
        source.model,
        folder=Path(source.folder).expanduser() if source.folder and "folder" in taken else None,
        cache=cache if "cache" in taken else None,
        fetch=fetch,
        watch=watch,
        base_url=source.base_url or None if "base_url" in taken else None,
        key_name=source.api_key_env or None if "key_name" in taken else None,
        dimensions=source.dimensions or None if "dimensions" in taken else None,
        keys=keys,
    )


def _open_built_in(family: str, folder: Path | None) -> Embedder:
    """Open a built-in embedder; numpy is imported here and not when the program starts."""
    if family == "static":
        from app.embed.static_embedder import StaticEmbedder  # noqa: PLC0415

        return StaticEmbedder(folder)
    from app.embed.hashed_embedder import HashedEmbedder  # noqa: PLC0415

    return HashedEmbedder()


def _open_remote(source: EmbedderSource, model: str, keys: ApiKeys) -> Embedder:
    from app.embed.remote.http_client import ServiceConnection  # noqa: PLC0415
    from app.embed.remote.providers import PROVIDER_APIS  # noqa: PLC0415
    from app.embed.remote.remote_embedder import RemoteEmbedder  # noqa: PLC0415

    api = PROVIDER_APIS[source.provider]
    address = _address(api, source)
    key = keys.key_of(source)
    key.value()  # fails at once if the key is missing
    connection = ServiceConnection(address, key, service=api.service or "The embedding service")
    # Two services may use one name for different models.
    version = "1" if api.address else hashlib.sha256(address.encode()).hexdigest()[:12]
    try:
        return RemoteEmbedder(api, model, connection, dimensions=source.dimensions, version=version)
    except InputError:
        connection.close()
        raise


def _address(api: "ProviderApi", source: EmbedderSource) -> str:
    if api.address:
        return api.address
    if not source.base_url:
        raise InputError(
            Sentence("{provider} needs the address of the service; set embedding.base_url.", provider=api.provider)
        )
    source.address()  # refuses what is none
    return source.base_url.rstrip("/") + "/embeddings"
