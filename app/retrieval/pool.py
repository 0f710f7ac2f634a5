"""Which turns and memories the learned recipe looks at: finds, what passages stand for, and neighbours."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, NamedTuple, TypeVar

K = TypeVar("K")


# Scored and Line are tuples because a search makes a thousand of them, which takes a third of the time.
class Scored(NamedTuple):
    """A chunk with the score a leg gave it; ``memory`` is set for a piece of a memory, ``session`` for the rest."""

    chunk_id: int
    kind: str
    session: str
    memory: str
    first: int
    last: int
    created_ms: int
    score: float

    @property
    def place(self) -> "Place":
        """Return which turn or memory this is a piece of."""
        return (self.memory, WHOLE) if self.kind == "memory" else (self.session, self.first)

    @property
    def spans(self) -> bool:
        """Tell whether this is a passage of several turns, which lends its words to them."""
        return self.first != self.last and self.kind == "passage"


class Line(NamedTuple):
    """A turn or a piece of a memory as the features read it.

    Args:
        owner: The session's or the memory's id.
        seq: Its place there.
        allowed: It satisfies what the query demands; others only lend their words to their neighbours.
    """

    chunk_id: int
    kind: str
    owner: str
    seq: int
    created_ms: int
    role: str
    author: str
    text: str
    allowed: bool

    @property
    def place(self) -> "Place":
        """Return which turn or memory this is a piece of."""
        return (self.owner, WHOLE if self.kind == "memory" else self.seq)


MOST: Final = 200
"""How many candidates are looked at closely."""
NEIGHBOURS: Final = 24
REACH: Final = 2
"""How many turns before and after a turn make its window."""
WHOLE: Final = -1
"""In place of a turn's number: all of a memory."""

# How much each number counts in choosing whom to look at closely; only the ranking of these is learned.
_BM25: Final = 1.0
_BESIDE: Final = 0.3
_PASSAGE: Final = 1.0
_OWNER: Final = 0.5
_COSINE: Final = 1.5
_COSINE_BESIDE: Final = 0.5

Place = tuple[str, int]
"""A turn (session, seq) or a memory (its id, ``WHOLE``)."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The scores of what the legs found, by place.

    Args:
        bm25: Of the best chunk of a turn or memory.
        passages: Of the best passage a turn is in.
        owners: Of a session or memory: its chunks' scores, the n-th best counting 1/n.
        cosines: Of the best chunk of a turn or memory.
    """

    bm25: Mapping[Place, float]
    passages: Mapping[Place, float]
    owners: Mapping[str, float]
    cosines: Mapping[Place, float]


@dataclass(frozen=True, slots=True)
class Said:
    """What a conversation as a whole says to a question.

    Args:
        words: BM25 of it as one text, a turn counting once for each word.
        user_words: The same of what the person said.
        coverage: The most of the question that one of its turns says.
        length: How many words it has.
    """

    words: float = 0.0
    user_words: float = 0.0
    coverage: float = 0.0
    length: float = 0.0


@dataclass(frozen=True, slots=True)
class Gathered:
    """Everything known of a question's candidates before it is made numbers.

    Args:
        found: The scores of what the legs found.
        candidates: The places to rank.
        lines: What was read of them and around them.
        total: How many chunks there are.
        counts: How many of them have each thing sought.
        said: What the conversations of the candidates say.
    """

    found: Standing
    candidates: Sequence[Place]
    lines: Sequence[Line]
    total: int
    counts: Sequence[int]
    said: Mapping[str, Said] = field(default_factory=dict)


def standing(words: Sequence[Scored], near: Sequence[Scored]) -> Standing:
    """Return the scores by place.

    Args:
        words: What the words leg matched, passages of several turns too, best first.
        near: What is nearest by vector, best first.
    """
    bm25: dict[Place, float] = {}
    passages: dict[Place, float] = {}
    owners: dict[str, float] = {}
    seen: dict[str, int] = {}
    for item in words:
        owner = item.memory or item.session
        seen[owner] = count = seen.get(owner, 0) + 1
        owners[owner] = owners.get(owner, 0.0) + item.score / count
        if item.spans:
            for seq in range(item.first, item.last + 1):
                passages.setdefault((owner, seq), item.score)
        else:
            bm25.setdefault(item.place, item.score)
    cosines: dict[Place, float] = {}
    for item in near:
        cosines.setdefault(item.place, item.score)
    return Standing(bm25, passages, owners, cosines)


def pool(found: Standing, most: int = MOST) -> list[Place]:
    """Return the most promising turns and memories, each once, those that no leg found but stand beside finds too."""
    places = dict.fromkeys([*found.bm25, *found.cosines, *found.passages])
    for leg in (found.bm25, found.cosines):
        for owner, seq in islice(leg, NEIGHBOURS):
            if seq != WHOLE:
                places.update(dict.fromkeys((owner, seq + step) for step in _STEPS))
    promise = _promise(found)
    return sorted(places, key=lambda place: (-promise(place), place))[:most]


def _promise(found: Standing) -> Callable[[Place], float]:
    bm25, passages, owners = _shares(found.bm25), _shares(found.passages), _shares(found.owners)
    floor = min(found.cosines.values(), default=0.0)
    width = max(found.cosines.values(), default=0.0) - floor or 1.0
    cosines = {place: (value - floor) / width for place, value in found.cosines.items()}

    def promise(place: Place) -> float:
        owner, seq = place
        own = bm25.get(place, 0.0)
        score = _BM25 * own + _OWNER * owners.get(owner, 0.0) + _COSINE * cosines.get(place, 0.0)
        if seq == WHOLE:  # what stands around a memory is itself
            return score + (_PASSAGE + 2 * _BESIDE) * own + 2 * _COSINE_BESIDE * cosines.get(place, 0.0)
        before, after = (owner, seq - 1), (owner, seq + 1)
        score += _PASSAGE * passages.get(place, own)
        score += _BESIDE * (bm25.get(before, 0.0) + bm25.get(after, 0.0))
        return score + _COSINE_BESIDE * (cosines.get(before, 0.0) + cosines.get(after, 0.0))

    return promise


def _shares(scores: Mapping[K, float]) -> dict[K, float]:
    highest = max(scores.values(), default=0.0)
    return {key: value / highest for key, value in scores.items()} if highest > 0 else {}


_STEPS: Final = tuple(step for step in range(-REACH, REACH + 1) if step)


def spans(places: Iterable[Place]) -> list[tuple[str, int, int]]:
    """Return ranges (session, first, last) that hold the turns among ``places`` with what stands around them."""
    made: list[tuple[str, int, int]] = []
    for session, seq in sorted(place for place in places if place[1] != WHOLE):
        low, high = seq - REACH, seq + REACH
        if made and made[-1][0] == session and low <= made[-1][2] + 1:
            made[-1] = (session, made[-1][1], high)
        else:
            made.append((session, low, high))
    return made
