"""APIs of remote embedding services: their requests, responses and limits."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec

Use = Literal["document", "query"]
Floats = list[list[float]]


@dataclass(frozen=True, slots=True)
class ProviderApi:
    """API of one service.

    Args:
        provider: Its name in ``embedding.model``.
        service: Its name in sentences.
        address: The address of its API; empty if the settings name it.
        key_name: The environment variable with its key; empty if the settings name it.
        texts: The most texts in a request.
        characters: The most characters in a request; at worst each is a token.
        body: Builds a request from model, texts, use, and vector length (0 for the model's default).
        read: Decodes the vectors of a response, in the order of the texts.
        lengths: The default vector length of each model.
    """

    provider: str
    service: str
    address: str
    key_name: str
    texts: int
    characters: int
    body: Callable[[str, Sequence[str], Use, int], dict[str, Any]]
    read: Callable[[bytes], Floats]
    lengths: Mapping[str, int]


class _Row(msgspec.Struct):
    embedding: list[float]
    index: int


class _Rows(msgspec.Struct):
    data: list[_Row]


class _ByType(msgspec.Struct):
    float: Floats


class _Embeddings(msgspec.Struct):
    embeddings: _ByType


def _numbered(answer: bytes) -> Floats:
    """Return the vectors of a response whose rows carry the index of their text."""
    rows = sorted(msgspec.json.decode(answer, type=_Rows).data, key=lambda row: row.index)
    if [row.index for row in rows] != list(range(len(rows))):
        raise ValueError(len(rows))
    return [row.embedding for row in rows]


def _in_order(answer: bytes) -> Floats:
    return msgspec.json.decode(answer, type=_Embeddings).embeddings.float


def _openai_body(model: str, texts: Sequence[str], use: Use, dimensions: int) -> dict[str, Any]:
    # The API does not distinguish documents from questions.
    del use
    body: dict[str, Any] = {"model": model, "input": list(texts), "encoding_format": "float"}
    return {**body, "dimensions": dimensions} if dimensions else body


def _voyage_body(model: str, texts: Sequence[str], use: Use, dimensions: int) -> dict[str, Any]:
    body: dict[str, Any] = {"model": model, "input": list(texts), "input_type": use, "truncation": True}
    return {**body, "output_dimension": dimensions} if dimensions else body


def _cohere_body(model: str, texts: Sequence[str], use: Use, dimensions: int) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": model,
        "texts": list(texts),
        "input_type": f"search_{use}",
        "embedding_types": ["float"],
        "truncate": "END",
    }
    return {**body, "output_dimension": dimensions} if dimensions else body


_OPENAI_LENGTHS: Final = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}

OPENAI: Final = ProviderApi(
    "openai",
    "OpenAI",
    "https://api.openai.com/v1/embeddings",
    "OPENAI_API_KEY",
    128,
    100_000,
    _openai_body,
    _numbered,
    _OPENAI_LENGTHS,
)
VOYAGE: Final = ProviderApi(
    "voyage",
    "Voyage AI",
    "https://api.voyageai.com/v1/embeddings",
    "VOYAGE_API_KEY",
    128,
    100_000,
    _voyage_body,
    _numbered,
    {
        "voyage-3-large": 1024,
        "voyage-3.5": 1024,
        "voyage-3.5-lite": 1024,
        "voyage-3": 1024,
        "voyage-3-lite": 512,
        "voyage-code-3": 1024,
        "voyage-multilingual-2": 1024,
    },
)
COHERE: Final = ProviderApi(
    "cohere",
    "Cohere",
    "https://api.cohere.com/v2/embed",
    "COHERE_API_KEY",
    96,
    100_000,
    _cohere_body,
    _in_order,
    {
        "embed-v4.0": 1536,
        "embed-english-v3.0": 1024,
        "embed-multilingual-v3.0": 1024,
        "embed-english-light-v3.0": 384,
        "embed-multilingual-light-v3.0": 384,
    },
)
COMPATIBLE: Final = ProviderApi("openai-compatible", "", "", "", 64, 100_000, _openai_body, _numbered, _OPENAI_LENGTHS)

PROVIDER_APIS: Final = {api.provider: api for api in (OPENAI, VOYAGE, COHERE, COMPATIBLE)}
