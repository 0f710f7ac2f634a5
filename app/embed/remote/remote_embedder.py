"""Embedders that other machines run: texts go out in batches, vectors come back and are checked."""

import logging
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from app.core.text import storable
from app.embed.model import EmbeddingIdentity
from app.embed.remote.http_client import (
    BACKGROUND_RETRIES,
    INTERACTIVE_RETRIES,
    RetryPolicy,
    ServiceConnection,
    TextsRefusedError,
    TextsUnansweredError,
)
from app.embed.remote.providers import ProviderApi, Use
from app.embed.unit_vectors import unit_rows
from app.errors import InputError, ModelUnavailableError

if TYPE_CHECKING:
    from app.embed.model import Vectors

_log = logging.getLogger(__name__)

MAX_DIMENSIONS: Final = 8_192
MAX_CHARACTERS: Final = 16_384
"""How much of a text is sent; the models themselves read less."""

_BYTES_A_NUMBER: Final = 32
_BYTES_AROUND: Final = 1 << 20
_PROBE: Final = "memory"
_SURELY_SHORT: Final = 2_000  # characters that every model takes
_OVER_TEXTS: Final = (TextsRefusedError, TextsUnansweredError)


class RemoteEmbedder:
    """Embeds by asking a service.

    Args:
        shape: How it wants to be asked.
        model: The model's name there.
        line: The connection.
        dimensions: The length of vectors to ask for; 0 for the model's own.
        version: What tells two services of the same shape apart.

    Raises:
        InputError: The length is out of bounds, or not known.
    """

    def __init__(
        self, shape: ProviderApi, model: str, line: ServiceConnection, *, dimensions: int = 0, version: str = "1"
    ) -> None:
        length = dimensions or shape.lengths.get(model, 0)
        if not 1 <= length <= MAX_DIMENSIONS:
            raise InputError(
                "Keepsake does not know how long the vectors of this model are; set embedding.dimensions to a number"
                f" from 1 to {MAX_DIMENSIONS}."
            )
        self.identity = EmbeddingIdentity(shape.provider, model, length, version)
        self._shape = shape
        self._line = line
        self._asked_length = dimensions
        self._is_length_taken = not dimensions

    def embed(self, texts: Sequence[str]) -> "Vectors":
        """Return one row per text; zero also for a text that the service takes in no form.

        Raises:
            ModelUnavailableError: The service cannot be reached, or does not answer as it should.
        """
        clean = [storable(text[:MAX_CHARACTERS])[0] for text in texts]
        out = np.zeros((len(texts), self.identity.dimensions), dtype=np.float32)
        for places in self._batches(clean):
            out[places] = self._rows([clean[place] for place in places])
        return unit_rows(out)

    def embed_query(self, text: str) -> "Vectors":
        """Return the vector of a question; gives up soon, for somebody waits.

        Raises:
            ModelUnavailableError: As ``embed``.
        """
        clean, _ = storable(text[:MAX_CHARACTERS])
        if not clean.strip():
            return np.zeros(self.identity.dimensions, dtype=np.float32)
        row: Vectors = unit_rows(self._asked([clean], "query", INTERACTIVE_RETRIES))[0]
        return row

    def close(self) -> None:
        """Let go of the connection."""
        self._line.close()

    def _batches(self, texts: Sequence[str]) -> Iterator[list[int]]:
        """Yield the places of texts with something in them, as many as one request may hold."""
        places: list[int] = []
        size = 0
        for place, text in enumerate(texts):
            if not text.strip():
                continue
            if places and (len(places) >= self._shape.texts or size + len(text) > self._shape.characters):
                yield places
                places, size = [], 0
            places.append(place)
            size += len(text)
        if places:
            yield places

    def _rows(self, texts: Sequence[str]) -> "Vectors":
        try:
            return self._asked(texts, "document", BACKGROUND_RETRIES)
        except _OVER_TEXTS:
            # If it has no answer even to this, it is not the texts.
            self._asked([_PROBE], "document", BACKGROUND_RETRIES)
        return self._in_halves(texts)

    def _in_halves(self, texts: Sequence[str]) -> "Vectors":
        """Find the texts that the service has no answer to, so that one does not keep the others from their vectors."""
        if len(texts) == 1:
            return self._alone(texts[0])
        half = len(texts) // 2
        made: list[Vectors] = []
        for part in (texts[:half], texts[half:]):
            try:
                made.append(self._asked(part, "document", BACKGROUND_RETRIES))
            except _OVER_TEXTS:
                made.append(self._in_halves(part))
        return np.concatenate(made)

    def _alone(self, text: str) -> "Vectors":
        """Ask for one text that failed, once more and in part; only then is it the text."""
        try:
            return self._asked([text[:_SURELY_SHORT]], "document", BACKGROUND_RETRIES)
        except _OVER_TEXTS:
            self._asked([_PROBE], "document", BACKGROUND_RETRIES)
        _log.info("%s has no vector for a text; it is found by words only", self._shape.provider)
        return np.zeros((1, self.identity.dimensions), dtype=np.float32)

    def _asked(self, texts: Sequence[str], use: Use, patience: RetryPolicy) -> "Vectors":
        try:
            made = self._once(texts, use, patience, self._asked_length)
        except TextsRefusedError:
            if self._is_length_taken:
                raise
            # Many models have one length and take no wish for another, not even for their own.
            made = self._once(texts, use, patience, 0)
            self._asked_length = 0
        self._is_length_taken = True
        return made

    def _once(self, texts: Sequence[str], use: Use, patience: RetryPolicy, length: int) -> "Vectors":
        width = self.identity.dimensions
        body = self._shape.body(self.identity.model, texts, use, length)
        most = len(texts) * width * _BYTES_A_NUMBER + _BYTES_AROUND
        answer = self._line.post(body, most_bytes=most, patience=patience)
        try:
            rows = self._shape.read(answer)
        except (msgspec.DecodeError, ValueError, RecursionError):
            raise self._garbled() from None
        if len(rows) != len(texts):
            raise self._garbled()
        if odd := next((len(row) for row in rows if len(row) != width), None):
            raise ModelUnavailableError(
                f"{self._line.service} answers with vectors of {odd} numbers, not of {width}; set embedding.dimensions"
                " to what the model gives, or choose another model.",
                expected=width,
                received=odd,
            )
        made = np.array(rows, dtype=np.float64).reshape(len(texts), width)
        if not (np.isfinite(made).all() and (np.abs(made) < np.finfo(np.float32).max).all()) or not made.any():
            raise self._garbled()
        return made.astype(np.float32)

    def _garbled(self) -> TextsUnansweredError:
        return TextsUnansweredError(
            f"{self._line.service} answers with something that is no list of vectors; check embedding.model and its"
            " address."
        )
