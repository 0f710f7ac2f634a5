"""Remote embedder: sends texts to a service in batches, and checks the vectors it returns."""

import logging
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from app.core.network.http_requests import RequestLimits
from app.core.text import storable
from app.embed.model import EmbeddingIdentity
from app.embed.remote.http_client import (
    BACKGROUND,
    INTERACTIVE,
    ServiceConnection,
    TextsRefusedError,
    TextsUnansweredError,
)
from app.embed.remote.providers import ProviderApi, Use
from app.embed.unit_vectors import unit_rows
from app.errors import InputError, ModelUnavailableError
from app.sentence import Sentence

if TYPE_CHECKING:
    from app.embed.model import Vectors

_log = logging.getLogger(__name__)

MAX_DIMENSIONS: Final = 8_192
MAX_CHARACTERS: Final = 16_384
"""Characters of a text that are sent; the models themselves read less."""

_BYTES_A_NUMBER: Final = 32
_BYTES_AROUND: Final = 1 << 20
_PROBE: Final = "memory"
_SURELY_SHORT: Final = 2_000  # characters that every model accepts
_OVER_TEXTS: Final = (TextsRefusedError, TextsUnansweredError)


class RemoteEmbedder:
    """Embedder that uses a remote service.

    Args:
        api: The API of the service.
        model: The model's name in that API.
        connection: The connection to the service.
        dimensions: The vector length to request; 0 for the model's default.
        version: Differs between two services with the same API.

    Raises:
        InputError: The vector length is out of bounds, or unknown.
    """

    def __init__(
        self, api: ProviderApi, model: str, connection: ServiceConnection, *, dimensions: int = 0, version: str = "1"
    ) -> None:
        length = dimensions or api.lengths.get(model, 0)
        if not 1 <= length <= MAX_DIMENSIONS:
            raise InputError(
                Sentence(
                    "Keepsake does not know how long the vectors of this model are; set"
                    " embedding.dimensions to a number from 1 to {most}.",
                    most=MAX_DIMENSIONS,
                )
            )
        self.identity = EmbeddingIdentity(api.provider, model, length, version)
        self._api = api
        self._connection = connection
        self._requested_length = dimensions
        self._is_length_accepted = not dimensions

    def embed(self, texts: Sequence[str]) -> "Vectors":
        """Return one row per text.

        Zero for a text that the service refuses even when shortened.

        Raises:
            ModelUnavailableError: The service cannot be reached, or sends an invalid response.
        """
        clean = [storable(text[:MAX_CHARACTERS])[0] for text in texts]
        out = np.zeros((len(texts), self.identity.dimensions), dtype=np.float32)
        for places in self._batches(clean):
            out[places] = self._rows([clean[place] for place in places])
        return unit_rows(out)

    def embed_query(self, text: str) -> "Vectors":
        """Return the vector of a question; fails early, because a person waits for it.

        Raises:
            ModelUnavailableError: As ``embed``.
        """
        clean, _ = storable(text[:MAX_CHARACTERS])
        if not clean.strip():
            return np.zeros(self.identity.dimensions, dtype=np.float32)
        row: Vectors = unit_rows(self._request([clean], "query", INTERACTIVE))[0]
        return row

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _batches(self, texts: Sequence[str]) -> Iterator[list[int]]:
        """Yield the indexes of texts that are not empty, in batches that fit one request."""
        places: list[int] = []
        size = 0
        for place, text in enumerate(texts):
            if not text.strip():
                continue
            if places and (len(places) >= self._api.texts or size + len(text) > self._api.characters):
                yield places
                places, size = [], 0
            places.append(place)
            size += len(text)
        if places:
            yield places

    def _rows(self, texts: Sequence[str]) -> "Vectors":
        try:
            return self._request(texts, "document", BACKGROUND)
        except _OVER_TEXTS:
            # If even this text fails, the texts are not the cause.
            self._request([_PROBE], "document", BACKGROUND)
        return self._in_halves(texts)

    def _in_halves(self, texts: Sequence[str]) -> "Vectors":
        """Halve a failed batch until the faulty texts are alone and the others have vectors."""
        if len(texts) == 1:
            return self._alone(texts[0])
        half = len(texts) // 2
        parts: list[Vectors] = []
        for part in (texts[:half], texts[half:]):
            try:
                parts.append(self._request(part, "document", BACKGROUND))
            except _OVER_TEXTS:
                parts.append(self._in_halves(part))
        return np.concatenate(parts)

    def _alone(self, text: str) -> "Vectors":
        """Embed the beginning of a text that failed, or return zeros."""
        try:
            return self._request([text[:_SURELY_SHORT]], "document", BACKGROUND)
        except _OVER_TEXTS:
            self._request([_PROBE], "document", BACKGROUND)
        _log.info("%s has no vector for a text; it is found by words only", self._api.provider)
        return np.zeros((1, self.identity.dimensions), dtype=np.float32)

    def _request(self, texts: Sequence[str], use: Use, limits: RequestLimits) -> "Vectors":
        try:
            vectors = self._send_once(texts, use, limits, self._requested_length)
        except TextsRefusedError:
            if self._is_length_accepted:
                raise
            # Many models have one length and refuse a request that names any length, even their own.
            vectors = self._send_once(texts, use, limits, 0)
            self._requested_length = 0
        self._is_length_accepted = True
        return vectors

    def _send_once(self, texts: Sequence[str], use: Use, limits: RequestLimits, length: int) -> "Vectors":
        width = self.identity.dimensions
        body = self._api.body(self.identity.model, texts, use, length)
        most = len(texts) * width * _BYTES_A_NUMBER + _BYTES_AROUND
        answer = self._connection.post(body, max_bytes=most, limits=limits)
        try:
            rows = self._api.read(answer)
        except (msgspec.DecodeError, ValueError, RecursionError):
            raise self._garbled() from None
        if len(rows) != len(texts):
            raise self._garbled()
        if odd := next((len(row) for row in rows if len(row) != width), None):
            raise ModelUnavailableError(
                Sentence(
                    "{service} sent vectors of {odd} numbers, not of {width}; set embedding.dimensions to"
                    " what the model gives, or choose another model.",
                    service=self._connection.service,
                    odd=odd,
                    width=width,
                ),
                expected=width,
                received=odd,
            )
        matrix = np.array(rows, dtype=np.float64).reshape(len(texts), width)
        if not (np.isfinite(matrix).all() and (np.abs(matrix) < np.finfo(np.float32).max).all()) or not matrix.any():
            raise self._garbled()
        return matrix.astype(np.float32)

    def _garbled(self) -> TextsUnansweredError:
        return TextsUnansweredError(
            Sentence(
                "{service} sent something other than a list of vectors; check embedding.model and its address.",
                service=self._connection.service,
            )
        )
