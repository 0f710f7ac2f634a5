"""How well rules draw facts from dialogues: ``python -m tests.bench.extraction --data DIR --json OUT [--samples DIR]``.

The dialogues of LoCoMo carry observations about each speaker that people wrote, each with the turns that it rests on.
A fact is right by the *strict* measure when an observation about its speaker names its turn and they share at least
``SHARE`` of the fact's content words or of the observation's (stems, without the speaker's name). By the *turn* measure
it is right when an observation about its speaker names its turn. Recall is the share of the observations that some fact
is right about. Each dialogue is read with weights that were trained without it.

With ``--samples``, 100 facts drawn at random of the dialogues and as many of the conversations of LongMemEval are
written there, each with its message, to be read by a person. Of LongMemEval neither the half that is trained on nor
any sentence that was marked is drawn.
"""

import argparse
import gzip
import json
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from app.extraction.extractor import extract
from app.extraction.model import ExtractedFact, SpokenLine
from tests.bench.machine import machine
from tests.bench.train.facts import dialogues, examples, held_out, is_trained_on, load_marks, mark_key, shares

SAMPLED = 100
_TIME = "%I:%M %p on %d %B, %Y"


@dataclass(frozen=True, slots=True)
class Session:
    """A session of a dialogue with its turns and observations."""

    lines: tuple[SpokenLine, ...]
    ids: tuple[str, ...]
    observations: tuple[tuple[str, str, frozenset[str]], ...]


def sessions(dialogue: dict[str, Any]) -> Iterator[Session]:
    """Return the sessions of a dialogue."""
    talk = dialogue["conversation"]
    number = 1
    while f"session_{number}" in talk:
        said_at = datetime.strptime(talk[f"session_{number}_date_time"], _TIME).replace(tzinfo=UTC)
        turns = talk[f"session_{number}"]
        lines = tuple(SpokenLine(at, "user", turn["speaker"], turn["text"], said_at) for at, turn in enumerate(turns))
        known = dialogue["observation"].get(f"session_{number}_observation", {})
        observed = tuple(
            (speaker, str(item[0]), frozenset(item[1] if isinstance(item[1], list) else [item[1]]))
            for speaker, items in known.items()
            for item in items
        )
        yield Session(lines, tuple(turn["dia_id"] for turn in turns), observed)
        number += 1


Weights = tuple[float, ...]
Drawn = tuple[ExtractedFact, SpokenLine]


def measured(given: Sequence[tuple[dict[str, Any], Weights]]) -> dict[str, Any]:
    """Return precision and recall over dialogues, each with weights of its own."""
    facts = strict = turn = observations = covered = messages = 0
    families: Counter[str] = Counter()
    right: Counter[str] = Counter()
    seconds = 0.0
    for dialogue, weights in given:
        for session in sessions(dialogue):
            begun = time.perf_counter()
            found = extract(session.lines, weights)
            seconds += time.perf_counter() - begun
            messages += len(session.lines)
            hit: set[int] = set()
            for fact in found:
                cited = [
                    number
                    for number, (speaker, _, turns) in enumerate(session.observations)
                    if speaker == fact.said_by and session.ids[fact.seq] in turns
                ]
                same = [
                    number for number in cited if shares(fact.content, session.observations[number][1], fact.said_by)
                ]
                hit.update(same)
                facts, turn, strict = facts + 1, turn + bool(cited), strict + bool(same)
                families[fact.family] += 1
                right[fact.family] += bool(same)
            observations += len(session.observations)
            covered += len(hit)
    return {
        "messages": messages,
        "facts": facts,
        "precision_strict": strict / max(facts, 1),
        "precision_turn": turn / max(facts, 1),
        "recall_strict": covered / max(observations, 1),
        "families": {name: [count, right[name] / count] for name, count in families.most_common()},
        "messages_per_s": messages / max(seconds, 1e-9),
    }


def chats(data: Path) -> Iterator[list[SpokenLine]]:
    """Return the conversations of LongMemEval that were not trained on."""
    at = datetime(2023, 5, 8, 12, tzinfo=UTC)
    with gzip.open(data / "longmemeval" / "longmemeval_s101_dev_sessions.jsonl.gz") as stream:
        for line in stream:
            session = json.loads(line)
            if not is_trained_on(session["session_id"]):
                yield [
                    SpokenLine(seq, turn["role"], "", turn["content"], at) for seq, turn in enumerate(session["turns"])
                ]


def write_sample(path: Path, found: Iterable[Drawn], seed: int) -> None:
    """Write facts drawn at random, each with its message."""
    known = [*found]
    drawn = random.Random(seed).sample(known, min(SAMPLED, len(known)))
    rows = ({"text": fact.content, "said_by": fact.said_by, "message": line.text} for fact, line in drawn)
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), "utf-8")
    print(f"{path.name}: {len(drawn)} of {len(known)} facts")


def drawn_from(lines: Sequence[SpokenLine], weights: Weights | None = None) -> Iterator[Drawn]:
    """Return the facts of a conversation, each with its message."""
    said = {line.seq: line for line in lines}
    yield from ((fact, said[fact.seq]) for fact in extract(lines, weights))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--samples", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    loaded = dialogues(options.data)
    given = [*zip(loaded, held_out(examples(options.data), len(loaded)), strict=True)]
    found = measured(given)
    print(
        f"{found['facts']} facts of {found['messages']} messages; precision strict {found['precision_strict']:.3f}, by"
        f" turn {found['precision_turn']:.3f}; recall {found['recall_strict']:.3f};"
        f" {found['messages_per_s']:,.0f} messages/s"
    )
    for family, (count, precision) in found["families"].items():
        print(f"    {family}: {count}, {precision:.3f}")
    if options.json is not None:
        options.json.write_text(json.dumps({**found, "machine": machine()}, indent=1), "utf-8")
    if options.samples is not None:
        options.samples.mkdir(parents=True, exist_ok=True)
        talks = ((part.lines, weights) for dialogue, weights in given for part in sessions(dialogue))
        spoken = (one for lines, weights in talks for one in drawn_from(lines, weights))
        write_sample(options.samples / "locomo.jsonl", spoken, options.seed)
        marked = load_marks()
        chatted = (one for lines in chats(options.data) for one in drawn_from(lines))
        unread = (one for one in chatted if mark_key(one[0].content) not in marked)
        write_sample(options.samples / "longmemeval.jsonl", unread, options.seed)


if __name__ == "__main__":
    main()
