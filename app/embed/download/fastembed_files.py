"""Files of fastembed models.

Opened from a folder or cache, and downloaded only with the person's consent.
"""

import contextlib
import os
from pathlib import Path
from typing import Any, Final

from app.embed.model import DownloadWatcher
from app.errors import CancelledByPersonError, InputError, ModelUnavailableError
from app.sentence import Sentence

CACHE_VARIABLE: Final = "FASTEMBED_CACHE_PATH"

_STATIC: Final = Sentence("choose the embedder static")


def description(family: Any, model: str) -> dict[str, Any]:
    """Return fastembed's description of ``model``.

    Args:
        family: fastembed's class for models of this kind.
        model: The model's name, in any case.

    Raises:
        InputError: fastembed does not support the model.
    """
    known: dict[str, dict[str, Any]] = {entry["model"].lower(): entry for entry in family.list_supported_models()}
    if model.lower() not in known:
        names = sorted(entry["model"] for entry in known.values())
        raise InputError(
            Sentence("fastembed does not support this model; it supports {choices}.", choices=", ".join(names)),
            allowed=names,
        )
    return known[model.lower()]


def weights(described: dict[str, Any]) -> list[str]:
    """Return the names of the files with a model's weights; a large model has several."""
    return [described["model_file"], *(described.get("additional_files") or ())]


def open_model(
    family: Any,
    described: dict[str, Any],
    *,
    folder: Path | None,
    cache: Path | None,
    threads: int | None,
    fetch: bool = False,
    watch: DownloadWatcher | None = None,
    instead: Sentence = _STATIC,
) -> Any:
    """Open a model.

    Args:
        family: fastembed's class for models of this kind.
        described: The result of ``description``.
        folder: The folder with the model's files; nothing is downloaded then.
        cache: The folder of downloaded models; fastembed's default one is searched too.
        threads: The number of threads; fastembed's default when ``None``.
        fetch: Whether the model may be downloaded if it is not on this machine.
        watch: Receives the download's progress, and may stop it.
        instead: What a person without the model can do, as the end of a sentence.

    Raises:
        ModelUnavailableError: The model is missing or damaged, or could not be downloaded. Its ``reason`` is
            ``missing`` (a download needs consent), ``unfetched``, or for a folder ``no_folder``, ``incomplete`` or
            ``damaged``.
        CancelledByPersonError: The download was stopped.
    """
    options = _options(threads, described)
    name = described["model"]
    if folder is not None:
        _require(folder, described)
        damaged = Sentence(_DAMAGED, name=name, instead=instead)
        return _opened(family, name, {**options, "specific_model_path": str(folder)}, damaged, "damaged")
    places = [str(cache), None] if cache and not os.environ.get(CACHE_VARIABLE) else [str(cache) if cache else None]
    failure: ModelUnavailableError | None = None
    for place in places:
        try:
            missing = Sentence(_MISSING, name=name, instead=instead)
            return _opened(family, name, {**options, "cache_dir": place}, missing, "missing")
        except ModelUnavailableError as error:
            failure = error
    if failure is not None and not fetch:
        raise failure
    fetched = {**options, "cache_dir": _fetched(described, places[0], watch or DownloadWatcher())}
    return _opened(family, name, fetched, Sentence(_UNFETCHED, name=name), "unfetched")


def half_of_processor() -> int:
    """Return half the number of processors, at least one.

    Indexing may run for hours while the person uses the machine.
    """
    return max(1, (os.cpu_count() or 2) // 2)


def cancelled(name: str) -> CancelledByPersonError:
    """Return the error for a download of the model ``name`` that was stopped."""
    return CancelledByPersonError(
        Sentence(
            "Fetching the model {name} was cancelled. What came of it is kept; choose it again to go on.", name=name
        ),
        model=name,
    )


def _fetched(described: dict[str, Any], place: str | None, watch: DownloadWatcher) -> str:
    """Download a model's files, and return the cache they are in.

    Raises:
        ModelUnavailableError: The download failed.
        CancelledByPersonError: The download was stopped.
    """
    from fastembed.common.utils import define_cache_dir  # noqa: PLC0415

    # Only a download needs what they import.
    from app.embed.download.hub_client import NotFetchedError  # noqa: PLC0415
    from app.embed.download.repository_download import DownloadStoppedError, RepositoryDownload  # noqa: PLC0415

    name, needed = described["model"], weights(described)
    about = int(described["size_in_GB"] * 1e9)
    try:
        cache = Path(define_cache_dir(place))
        RepositoryDownload(
            described["sources"]["hf"] or "", [*_CONFIGURATION_FILES, *needed[::-1]], needed, cache, watch, about
        ).run()
    except DownloadStoppedError:
        raise cancelled(name) from None
    except (NotFetchedError, OSError) as error:
        raise ModelUnavailableError(Sentence(_UNFETCHED, name=name), model=name, reason="unfetched") from error
    return str(cache)


def _require(folder: Path, described: dict[str, Any]) -> None:
    """Refuse a folder that lacks a required file.

    Fastembed itself reports every fault with the same words.
    """
    name = described["model"]
    if not folder.is_dir():
        raise ModelUnavailableError(
            Sentence("The model {name} should lie in {folder}, which is not there.", name=name, folder=folder),
            model=name,
            folder=str(folder),
            reason="no_folder",
        )
    needed = [*weights(described), _TOKENIZER]
    if described["model_file"].endswith(_ONNX):
        needed.append(_TOKENIZER_CONFIG)
    lacking = [file for file in needed if not (folder / file).is_file()]
    if lacking:
        raise ModelUnavailableError(
            Sentence(
                "{folder} holds no {files}, which the model {name} needs.",
                folder=folder,
                files=" and no ".join(lacking),
                name=name,
            ),
            model=name,
            folder=str(folder),
            reason="incomplete",
        )


_ONNX: Final = ".onnx"
_TOKENIZER: Final = "tokenizer.json"
_TOKENIZER_CONFIG: Final = "tokenizer_config.json"
_CONFIGURATION_FILES: Final = (
    "config.json",
    _TOKENIZER,
    _TOKENIZER_CONFIG,
    "special_tokens_map.json",
    "preprocessor_config.json",
)
"""Files that fastembed reads from a repository besides the weights."""
_DAMAGED: Final = "The files of the model {name} are damaged; get them again, or {instead}."
_MISSING: Final = (
    "The model {name} is not on this machine or is damaged. Put its files into a folder and name the folder, set"
    " embedding.allow_download to true to have it fetched, or {instead}."
)
_UNFETCHED: Final = (
    "The model {name} could not be fetched. See whether this machine is online, or put the model's files into a folder"
    " and name the folder."
)


def _options(threads: int | None, described: dict[str, Any]) -> dict[str, Any]:
    from fastembed.common.onnx_model import OnnxModel  # noqa: PLC0415

    with contextlib.suppress(ImportError):
        # fastembed logs to the terminal what the error says anyway.
        from loguru import logger  # noqa: PLC0415

        logger.disable("fastembed")
    options: dict[str, Any] = {"local_files_only": True, "cache_dir": None}
    if not described["model_file"].endswith(_ONNX):
        return options  # a table of vectors warns of options that it does not use
    options |= {"providers": ["CPUExecutionProvider"], "threads": threads}
    # The arena never frees the memory of the longest batch.
    if "enable_cpu_mem_arena" in getattr(OnnxModel, "EXPOSED_SESSION_OPTIONS", ()):
        options["enable_cpu_mem_arena"] = False
    return options


def _opened(family: Any, name: str, options: dict[str, Any], sentence: Sentence, reason: str) -> Any:
    try:
        return family(name, **options)
    except Exception as error:
        # The errors of onnxruntime, tokenizers and the hub share no other base class.
        raise ModelUnavailableError(sentence, model=name, reason=reason) from error
