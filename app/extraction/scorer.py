"""Scorer of sentences: how likely a sentence is worth remembering, by logistic regression over hashed features.

Features are words, pairs of neighbours and some counts, hashed to a fixed number of places (Weinberger et al. 2009,
https://arxiv.org/abs/0902.2206). Names and numbers count as such, so that nothing is learned of the people in the
training data. It was trained on English and reads English only.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final
from zlib import crc32

import numpy as np

from app.core.paths import resources
from app.errors import ModelUnavailableError
from app.extraction.screening import body_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

PLACES: Final = 1 << 13
WEIGHTS: Final = "weights.npy"
_TOKEN: Final = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)*|\d[\d.,:]*|[!?$€£%]")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_TIME: Final = re.compile(
    r"\b(?:yesterday|today|tomorrow|tonight|ago|last|next|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february"
    r"|march|april|june|july|august|september|october|november|december|since|weekend|summer|winter|years?|months?"
    r"|weeks?)\b"
)
_KIN: Final = re.compile(
    r"\b(?:wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?|mom|mother|mum|dad|father|parents|sister|brother|son"
    r"|daughter|kids?|child(?:ren)?|baby|grand\w+|aunt|uncle|cousins?|niece|nephew|dogs?|cats?|pup(?:py|pies)?)\b"
)
_VAGUE: Final = re.compile(r"\b(?:it|that|this|them|those|these|they|something|stuff|things?|one|ones|there)\b")
_YOU: Final = re.compile(r"\b(?:you|your|yours)\b")
_ENGLISH: Final = re.compile(r"\b(?:i|i['’][a-z]+|im|ive|my|we|we['’][a-z]+|our)\b")
_MOST: Final = 3  # what is counted counts up to this


def is_english(sentence: str) -> bool:
    """Return whether a sentence has an English pronoun of the first person, and is written in plain Latin letters."""
    return _ENGLISH.search(sentence.lower()) is not None and sum(map(str.isascii, sentence)) >= len(sentence) * 0.9


def features(sentence: str) -> list[int]:
    """Return the places of a sentence's features, each once, ascending; 0 stands for the bias."""
    return sorted({0, *(1 + crc32(one.encode()) % (PLACES - 1) for one in _features(sentence))})


def _features(sentence: str) -> Iterator[str]:
    body = body_of(sentence)
    lower = body.lower()
    tokens = list(_tokens(body))
    yield from (f"w {token}" for token in tokens)
    yield from (f"p {one} {other}" for one, other in pairwise(tokens))
    yield f"begin {' '.join(tokens[:2])}"
    yield f"end {tokens[-1] if tokens else ''}"
    yield f"length {min(len(tokens) // 4, 8)}"
    names, vague = min(tokens.count("NAME"), _MOST), _VAGUE.search(lower)
    yield f"names {names}"
    # What a pronoun stands for is seldom said after it.
    yield f"vague after {min(len(lower[: vague.start()].split()) // 3, 4) if vague else 'none'}, names {min(names, 1)}"
    for name, pattern in (("time", _TIME), ("kin", _KIN), ("vague", _VAGUE), ("you", _YOU)):
        yield f"{name} {min(len(pattern.findall(lower)), _MOST)}"


def _tokens(body: str) -> Iterator[str]:
    is_first = True
    for match in _TOKEN.finditer(body):
        token = match[0]
        if token[0].isdigit():
            yield "YEAR" if _YEAR.fullmatch(token) else "NUMBER"
        elif token[0].isupper() and not is_first and token.split("'")[0].split("’")[0] != "I":
            yield "NAME"
        else:
            yield token.lower().replace("’", "'")
        is_first = False


def probability(sentence: str, weights: "NDArray[np.float32] | None" = None) -> float:
    """Return how likely a sentence is worth remembering, 0 to 1."""
    found = features(sentence)
    known = load_weights() if weights is None else weights
    return float(1 / (1 + np.exp(-known[found].sum() / scale(found))))


def scale(found: Sequence[int]) -> float:
    """Return what the sum of a sentence's weights is divided by, so that long sentences do not win by length."""
    return float(np.sqrt(len(found)))


@lru_cache(maxsize=1)
def load_weights(folder: Path | None = None) -> "NDArray[np.float32]":
    """Load the weights that come with the program, shape ``(PLACES,)``.

    Raises:
        ModelUnavailableError: The file is missing or damaged.
    """
    path = (folder or resources() / "models" / "facts") / WEIGHTS
    try:
        weights: NDArray[np.float32] = np.load(path, allow_pickle=False).astype(np.float32)
    except (OSError, ValueError, EOFError) as error:
        raise _damaged(path) from error
    if weights.shape != (PLACES,) or not np.isfinite(weights).all():
        raise _damaged(path)
    return weights


def _damaged(path: Path) -> ModelUnavailableError:
    return ModelUnavailableError(
        f"The weights for facts in {path} are missing or damaged; reinstall Keepsake.", path=str(path)
    )
