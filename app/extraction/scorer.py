"""Scorer of sentences: logistic regression over hashed features.

It says how likely a sentence is worth remembering. Features are words, their beginnings, pairs of words, the cue, and
some counts, hashed to a fixed number of places (Weinberger et al. 2009, https://arxiv.org/abs/0902.2206). Names and
numbers count as such, so that nothing is learned of the people in the training data. It was trained on English and
reads English only.
"""

import math
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Final
from zlib import crc32

from app.core.paths import resources
from app.errors import ModelUnavailableError
from app.extraction.cues import cue_of
from app.extraction.screening import body_of
from app.sentence import Sentence

PLACES: Final = 1 << 14
WEIGHTS: Final = "weights.npy"
_TOKEN: Final = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)*|\d[\d.,:]*|[!?$€£%]")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_TIME: Final = re.compile(
    r"\b(?:yesterday|today|tomorrow|tonight|ago|last|next|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february"
    r"|march|april|june|july|august|september|october|november|december|since|weekend|summer|winter|years?|months?"
    r"|weeks?)\b"
)
_RELATIVE: Final = re.compile(
    r"\b(?:wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?|mom|mother|mum|dad|father|parents|sister|brother|son"
    r"|daughter|kids?|child(?:ren)?|baby|grand\w+|aunt|uncle|cousins?|niece|nephew|dogs?|cats?|pup(?:py|pies)?)\b"
)
_VAGUE: Final = re.compile(r"\b(?:it|that|this|them|those|these|they|something|stuff|things?|one|ones|there)\b")
_YOU: Final = re.compile(r"\b(?:you|your|yours)\b")
_ENGLISH: Final = re.compile(r"\b(?:i|i['’][a-z]+|im|ive|my|we|we['’][a-z]+|our)\b")
_STEM: Final = 4  # letters that words of one stem mostly have in common
_MOST: Final = 3  # what is counted counts up to this


def is_english(sentence: str) -> bool:
    """Return whether a sentence is in English, by its pronouns and letters."""
    return _ENGLISH.search(sentence.lower()) is not None and sum(map(str.isascii, sentence)) >= len(sentence) * 0.9


def features(sentence: str) -> list[int]:
    """Return the places of a sentence's features, each once, ascending; 0 stands for the bias."""
    return sorted({0, *(1 + crc32(feature.encode()) % (PLACES - 1) for feature in _features(sentence))})


def _features(sentence: str) -> Iterator[str]:
    body = body_of(sentence)
    lower = body.lower()
    tokens = list(_tokens(body))
    yield from (f"w {token}" for token in tokens)
    yield from (f"b {token[:_STEM]}" for token in tokens if len(token) > _STEM)
    yield from (f"p {token} {other}" for token, other in pairwise(tokens))
    yield from (f"k {token} {other}" for token, other in zip(tokens, tokens[2:], strict=False))
    yield f"cue {cue_of(sentence)}"
    yield f"begin {' '.join(tokens[:2])}"
    yield f"end {tokens[-1] if tokens else ''}"
    yield f"length {min(len(tokens) // 4, 8)}"
    names, vague = min(tokens.count("NAME"), _MOST), _VAGUE.search(lower)
    yield f"names {names}"
    # What a pronoun stands for is seldom said after it.
    yield f"vague after {min(len(lower[: vague.start()].split()) // 3, 4) if vague else 'none'}, names {min(names, 1)}"
    for name, pattern in (("time", _TIME), ("relative", _RELATIVE), ("vague", _VAGUE), ("you", _YOU)):
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


def probability(sentence: str, weights: Sequence[float]) -> float:
    """Return how likely a sentence is worth remembering, 0 to 1.

    Args:
        sentence: A sentence in English.
        weights: One for each place; see ``load_weights``.
    """
    values = features(sentence)
    return 1 / (1 + math.exp(-sum(weights[place] for place in values) / scale(values)))


def scale(numbers: Sequence[int]) -> float:
    """Return the divisor of a sum of weights, so that length alone does not win."""
    return math.sqrt(len(numbers))


@lru_cache(maxsize=1)
def load_weights(folder: Path | None = None) -> tuple[float, ...]:
    """Load the weights that come with the program, one a place.

    Raises:
        ModelUnavailableError: The file is missing or damaged.
    """
    import numpy as np  # noqa: PLC0415  (a start must not load it)

    path = (folder or resources() / "models" / "facts") / WEIGHTS
    try:
        weights = tuple(np.load(path, allow_pickle=False).astype(float).tolist())
    except (OSError, ValueError, EOFError) as error:
        raise _damaged(path) from error
    if len(weights) != PLACES or not all(map(math.isfinite, weights)):
        raise _damaged(path)
    return weights


def _damaged(path: Path) -> ModelUnavailableError:
    return ModelUnavailableError(
        Sentence("The weights for facts in {path} are missing or damaged; reinstall Keepsake.", path=path),
        path=str(path),
    )
