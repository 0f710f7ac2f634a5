"""Synthetic conversations with the word statistics of real ones: Zipf-distributed words, turns of 8 to 60 words."""

import json
import random
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

TURNS_A_SESSION = 40
WORDS = 20_000
_SYLLABLES = (
    "ba",
    "co",
    "da",
    "el",
    "fi",
    "gu",
    "ha",
    "in",
    "jo",
    "ka",
    "lo",
    "mi",
    "na",
    "or",
    "pe",
    "qui",
    "ra",
    "so",
)


class Corpus:
    """A reproducible stream of turns and questions.

    Args:
        seed: What it is made from.
    """

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)
        self._words = [self._word() for _ in range(WORDS)]
        # Zipf: the n-th word comes up 1/n as often as the first.
        # Summed up once: ``choices`` would do so for each text, which takes longer than all the rest.
        self._sums = list(accumulate(1 / rank for rank in range(1, WORDS + 1)))

    def _word(self) -> str:
        return "".join(self._random.choices(_SYLLABLES, k=self._random.randint(2, 4)))

    def turn(self) -> str:
        """Return one message."""
        return self.words(self._random.randint(8, 60))

    def words(self, count: int) -> str:
        """Return a text of so many words."""
        return " ".join(self._random.choices(self._words, cum_weights=self._sums, k=count))

    def question(self) -> str:
        """Return one question of five words: two frequent, three rarer."""
        common = self._random.choices(self._words[:200], k=2)
        return " ".join(common + self._random.choices(self._words[200:5_000], k=3))

    def lines(self, messages: int) -> Iterator[str]:
        """Yield Keepsake JSONL of ``messages`` turns."""
        for number in range(messages):
            session, seq = divmod(number, TURNS_A_SESSION)
            yield json.dumps(
                {
                    "type": "message",
                    "session": f"bench-{session}",
                    "title": f"Conversation {session}",
                    "agent": "Atlas" if session % 2 else "Juniper",
                    "seq": seq + 1,
                    "role": "assistant" if seq % 2 else "user",
                    "content": self.turn(),
                    "created_at": 1_700_000_000 + number * 60,
                }
            )

    def write(self, path: Path, messages: int) -> Path:
        """Write ``messages`` turns to ``path`` as Keepsake JSONL."""
        with path.open("w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in self.lines(messages))
        return path
