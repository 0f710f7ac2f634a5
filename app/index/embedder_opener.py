"""Opening of the embedding models that the settings name."""

from functools import partial

from app.config.config import Config
from app.core.paths import models_cache
from app.embed.download.download_jobs import ModelDownloads
from app.embed.embedder_factory import open_source
from app.embed.embedder_source import EmbedderSource
from app.embed.model import DownloadWatcher, Embedder
from app.embed.remote.api_keys import ApiKeys
from app.embed.tracing_embedder import TracedEmbedder
from app.index.generations.service import configured_source
from app.trace.trace import Trace


class EmbedderOpener:
    """Opens embedding models, and downloads them where the person allowed that.

    Args:
        config: The settings that name the model.
        keys: The keys of remote services.
        trace: Records how long opening and embedding take.
        downloads: Lists a model as a job while it is downloaded.
    """

    def __init__(self, config: Config, keys: ApiKeys, trace: Trace, downloads: ModelDownloads) -> None:
        self._config = config
        self._keys = keys
        self._trace = trace
        self._downloads = downloads

    def configured(self) -> EmbedderSource:
        """Return the source of the model that the settings name."""
        return configured_source(self._config)

    def may_send_private(self) -> bool:
        """Return whether private texts may go to a remote service."""
        return self._config.flag("embedding.send_private")

    def open_configured(self) -> Embedder:
        """Open the model that the settings name."""
        return self.open(self.configured())

    def open(self, source: EmbedderSource) -> Embedder:
        """Open a model; a download that the person cancelled is not begun again."""
        return self._open(source, is_requested=False)

    def open_requested(self, source: EmbedderSource) -> Embedder:
        """Open a model on the person's request, which also resumes a download that they cancelled."""
        return self._open(source, is_requested=True)

    def _open(self, source: EmbedderSource, *, is_requested: bool) -> Embedder:
        # Where the key is may have changed since the source was recorded.
        current = source.with_key_of(self.configured())
        with self._trace.span("embedding.opened"):
            embedder = self._downloads.open_model(
                current.model,
                partial(self._open_here, current),
                may_fetch=self._config.flag("embedding.allow_download"),
                is_requested=is_requested,
            )
        return TracedEmbedder(embedder, self._trace)

    def _open_here(self, source: EmbedderSource, fetch: bool, watch: DownloadWatcher) -> Embedder:
        return open_source(source, keys=self._keys, cache=models_cache(), fetch=fetch, watch=watch)
