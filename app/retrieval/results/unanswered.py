"""Unanswered questions: what is nearest was not said by whom the question names.

A question about what someone said or did is mostly answered in their own words. Where others said what fits best, and
it fits much better, the question mixes people up. Of LoCoMo's unanswerable questions, tests.bench.unanswerable says how
many are told and how often an answerable one is.
"""

import math
from collections.abc import Sequence
from typing import Final

from app.retrieval.model import RankedCandidate
from app.sentence import Sentence

READ: Final = 20
"""Number of first results that are compared."""
LEAST_ODDS: Final = 1.75
"""Log odds by which the best result of others is ahead; set on three of LoCoMo's five conversations given."""
NOTE: Final = Sentence("Nothing here seems to answer this: what fits best was not said by whom you name.")
_SPEAKER: Final = "speaker"
_OF_SPEAKERS: Final = (_SPEAKER, "first_speaker", "other_speaker")


def is_unanswered(ranked: Sequence[RankedCandidate]) -> bool:
    """Return whether the first results of a question do not answer it.

    Args:
        ranked: The first results of the learned ranking, with the contribution of each feature.
    """
    return lead_of_others(ranked) >= LEAST_ODDS


def lead_of_others(ranked: Sequence[RankedCandidate]) -> float:
    """Return how far others are ahead of those whom the question names.

    Args:
        ranked: The first results of the learned ranking, with the contribution of each feature.

    Returns:
        The difference in log odds; minus infinity where either has no result.
    """
    scores: dict[bool, list[float]] = {True: [], False: []}
    for item in ranked[:READ]:
        features = item.why.features
        fit = item.score - sum(features.get(name, 0.0) for name in _OF_SPEAKERS)
        scores[features.get(_SPEAKER, 0.0) > 0].append(fit)
    return max(scores[False]) - max(scores[True]) if all(scores.values()) else -math.inf
