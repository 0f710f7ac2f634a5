"""Model of fastembed that the setting ``search.reranker`` names, opened when it is first used."""

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from threading import Lock
from typing import Any, Final

from app.config.config import Config
from app.core.paths import models_cache
from app.embed.download.download_jobs import ModelDownloads
from app.embed.download.fastembed_files import description, open_model
from app.embed.model import DownloadWatcher
from app.errors import InputError, ModelUnavailableError
from app.sentence import Sentence

MAX_CHARACTERS: Final = 4_096
"""Characters of a text that are passed to the tokenizer; the models themselves read less."""


class RerankingModel:
    """A cross-encoder or a late interaction model; safe to use from several threads.

    Args:
        name: Its name in fastembed's lists of cross-encoders, such as ``Xenova/ms-marco-MiniLM-L-12-v2``, or of late
            interaction models, such as ``answerdotai/answerai-colbert-small-v1``.
        folder: A folder with the model's files.
        cache: The folder of downloaded models.
        threads: The number of threads.
        fetch: Whether the model may be downloaded if it is not on this machine.
        track_download: Returns a context manager that follows the download.
    """

    def __init__(
        self,
        name: str,
        *,
        folder: Path | None = None,
        cache: Path | None = None,
        threads: int | None = None,
        fetch: bool = False,
        track_download: Callable[[], AbstractContextManager[DownloadWatcher | None]] = nullcontext,
    ) -> None:
        self.name = name
        self._folder = folder
        self._cache = cache
        self._threads = threads
        self._fetch = fetch
        self._watched = track_download
        self._model: Any = None
        self._refusal: Exception | None = None
        self._is_closed = False
        self._lock = Lock()

    def is_late_interaction(self) -> bool:
        """Return whether fastembed lists it among its late interaction models; loads fastembed."""
        return self._family() is _families()[1]

    def opened(self) -> Any:
        """Return fastembed's model.

        Raises:
            InputError: fastembed does not know the model.
            ModelUnavailableError: The model is not on this machine, is damaged, or was closed.
        """
        with self._lock:
            if self._is_closed:
                raise self.failure(Sentence("The reranking model {name} was closed", name=self.name))
            if self._refusal is not None:
                # Looking for the files again would slow down every search.
                raise self._refusal
            if self._model is None:
                try:
                    self._model = self._open()
                except Exception as error:
                    self._refusal = error
                    raise
            return self._model

    def failure(self, problem: Sentence) -> ModelUnavailableError:
        """Return the error for ``problem``, which says what becomes of searches."""
        return ModelUnavailableError(Sentence("{problem}; results keep their original order.", problem=problem))

    def close(self) -> None:
        """Free the model; a second call does nothing."""
        self._is_closed = True
        self._model = None

    def _open(self) -> Any:
        family = self._family()
        with self._watched() as watch:
            return open_model(
                family,
                description(family, self.name),
                folder=self._folder,
                cache=self._cache,
                threads=self._threads,
                fetch=self._fetch,
                watch=watch,
                instead=Sentence("leave search.reranker empty"),
            )

    def _family(self) -> Any:
        try:
            families = _families()
        except ImportError as error:
            raise ModelUnavailableError(
                Sentence(
                    "The reranking model {name} needs fastembed, which is not installed; results keep their original"
                    " order.",
                    name=self.name,
                )
            ) from error
        names = {family: [entry["model"] for entry in family.list_supported_models()] for family in families}
        wanted = self.name.lower()
        family = next((candidate for candidate in families if wanted in map(str.lower, names[candidate])), None)
        if family is None:
            allowed = sorted(name for some in names.values() for name in some)
            choices = ", ".join(allowed)
            raise InputError(
                Sentence("fastembed cannot rerank with this model, only with {choices}.", choices=choices),
                allowed=allowed,
            )
        return family


def configured_reranking_model(
    config: Config, downloads: ModelDownloads, threads: int | None = None
) -> RerankingModel | None:
    """Return the model that the settings name, if any; it is not opened yet."""
    name, folder = config.text("search.reranker"), config.text("search.reranker_folder")
    if not name:
        return None
    return RerankingModel(
        name,
        folder=Path(folder).expanduser() if folder else None,
        cache=models_cache(),
        threads=threads,
        fetch=config.flag("embedding.allow_download"),
        track_download=functools.partial(downloads.track_download, name),
    )


def _families() -> tuple[Any, Any]:
    """Return fastembed's classes of cross-encoders and of late interaction models."""
    from fastembed import LateInteractionTextEmbedding  # noqa: PLC0415
    from fastembed.rerank.cross_encoder import TextCrossEncoder  # noqa: PLC0415

    return TextCrossEncoder, LateInteractionTextEmbedding
