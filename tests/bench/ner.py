"""How well names are found: ``python -m tests.bench.ner --data DIR`` prints precision, recall and F1 of each type.

Each provider is measured by itself, and so are the strategies. spaCy takes part where a pipeline is installed, on the
first ``--spacy`` texts of each part; the language model is not measured, for its answers depend on the model.

A find counts when its type and both its ends are right. Rules were made looking at the tuning parts only: the training
files of WNUT 17 and Weibo, and every other document of WikiGold, which is one file; the test parts are the development
files and the other documents. Of Weibo only named spans (NAM) count. Types that a set does not mark are not scored.
"""

import argparse
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from app.entities.ner.provider import NameSpan
from app.entities.ner.regex_provider import RegexProvider
from app.entities.ner.rules_provider import RulesProvider
from app.entities.ner.spacy_provider import SpacyProvider
from app.entities.ner.strategy import NerStrategy, fast_strategy
from tests.bench.machine import machine

SCORED = ("person", "organization", "location")
TYPES = {
    "person": "person",
    "per": "person",
    "per.nam": "person",
    "corporation": "organization",
    "group": "organization",
    "org": "organization",
    "org.nam": "organization",
    "location": "location",
    "loc": "location",
    "loc.nam": "location",
    "gpe.nam": "location",
}
CLOSING = frozenset(
    {".", ",", "!", "?", ";", ":", "'s", "'S", "n't", "'re", "'m", "'ve", "'ll", "'d", ")", "]", "%", "..."}
)

Found = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Sample:
    """A text and the names in it."""

    text: str
    names: frozenset[Found]


def sentences(lines: Iterator[str]) -> Iterator[list[tuple[str, str]]]:
    """Yield sentences of (token, label) pairs."""
    held: list[tuple[str, str]] = []
    for line in lines:
        parts = line.rstrip("\n").rsplit(None, 1)
        if len(parts) == 2:
            held.append((parts[0], parts[1]))
        elif held:
            yield held
            held = []
    if held:
        yield held


def sample(tokens: list[tuple[str, str]], *, chinese: bool = False) -> Sample:
    """Join tokens into a text and labels into spans."""
    text, spans, open_ = "", list[Found](), None
    for token, label in tokens:
        word = token[:-1] if chinese else token
        text += "" if chinese or not text or word in CLOSING or text[-1] in "([" else " "
        begin, _, kind = label.partition("-")
        kind = kind.casefold()
        if open_ and (begin != "I" or kind != open_[2]):
            spans.append(open_)
            open_ = None
        if begin in {"B", "I"} and kind:
            open_ = (open_[0] if open_ else len(text), len(text) + len(word), kind)
        text += word
    spans += [open_] if open_ else []
    return Sample(text, frozenset((start, end, TYPES[kind]) for start, end, kind in spans if kind in TYPES))


def read(path: Path, *, chinese: bool = False) -> list[Sample]:
    """Read a file of one token a line."""
    with path.open(encoding="utf-8") as lines:
        return [sample(tokens, chinese=chinese) for tokens in sentences(lines)]


def halves(path: Path) -> tuple[list[Sample], list[Sample]]:
    """Read WikiGold and part its documents in turn: the even ones to tune on, the odd ones to test on."""
    parts: tuple[list[Sample], list[Sample]] = [], []
    documents = path.read_text(encoding="utf-8").split("-DOCSTART- O\n")
    for number, document in enumerate(documents):
        parts[number % 2].extend(sample(tokens) for tokens in sentences(iter(document.splitlines(keepends=True))))
    return parts


def scores(
    samples: list[Sample], extract: Callable[[str], list[NameSpan]]
) -> dict[str, tuple[float, float, float, int]]:
    """Return precision, recall, F1 and the number of names of each scored type and of all together."""
    right, given, wanted = Counter[str](), Counter[str](), Counter[str]()
    for sample in samples:
        found = {(span.start, span.end, span.type) for span in extract(sample.text) if span.type in SCORED}
        right.update(kind for *_, kind in found & sample.names)
        given.update(kind for *_, kind in found)
        wanted.update(kind for *_, kind in sample.names)
    table = {}
    for kind in (*SCORED, "all"):
        kinds = SCORED if kind == "all" else (kind,)
        hits, made, there = (sum(counter[name] for name in kinds) for counter in (right, given, wanted))
        precision, recall = hits / made if made else 0.0, hits / there if there else 0.0
        total = precision + recall
        table[kind] = (precision, recall, 2 * precision * recall / total if total else 0.0, there)
    return table


def speed(samples: list[Sample], strategy: NerStrategy) -> float:
    """Return texts a second, best of three."""
    texts = [sample.text for sample in samples]
    taken = []
    for _ in range(3):
        start = time.perf_counter()
        for text in texts:
            strategy.extract(text)
        taken.append(time.perf_counter() - start)
    return len(texts) / min(taken)


def parts(data: Path) -> dict[str, tuple[list[Sample], list[Sample]]]:
    """Return each set's part to tune on and part to test on."""
    return {
        "WNUT 17": (read(data / "wnut17/wnut17train.conll"), read(data / "wnut17/emerging.dev.conll")),
        "WikiGold": halves(data / "wikigold/data/wikigold/CONLL-format/data/wikigold.conll.txt"),
        "Weibo": (
            read(data / "weibo-zh/weiboNER_2nd_conll.train", chinese=True),
            read(data / "weibo-zh/weiboNER_2nd_conll.dev", chinese=True),
        ),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with wnut17, wikigold and weibo-zh")
    parser.add_argument("--pipeline", default="", help="spaCy pipeline; the best installed one where not given")
    parser.add_argument("--spacy", type=int, default=1000, help="texts of each part that spaCy reads")
    arguments = parser.parse_args()
    data, spacy = arguments.data, SpacyProvider(lambda: arguments.pipeline)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    regex, rules = RegexProvider(), RulesProvider()
    strategies = {
        "regex": NerStrategy("regex", (regex,)),
        "rules": NerStrategy("rules", (rules,)),
        "fast": fast_strategy(),
    }
    if spacy.is_available:
        strategies |= {
            "spacy": NerStrategy("spacy", (spacy,)),
            "accurate": NerStrategy("accurate", (regex, rules, spacy)),
        }
    print(machine())
    print("spaCy:", "installed" if spacy.is_available else "no pipeline installed", "| language model: not run")
    print(f"{'set':9} {'part':5} {'strategy':8} {'type':13} {'P':>6} {'R':>6} {'F1':>6} {'names':>6}")
    for name, (tuned, tested) in parts(data).items():
        for part, samples in (("tune", tuned), ("test", tested)):
            for label, strategy in strategies.items():
                read = samples[: arguments.spacy] if label in {"spacy", "accurate"} else samples
                for kind, (precision, recall, f1, there) in scores(read, strategy.extract).items():
                    print(f"{name:9} {part:5} {label:8} {kind:13} {precision:6.3f} {recall:6.3f} {f1:6.3f} {there:6}")
        rate = speed(tested, strategies["fast"])
        length = sum(len(one.text) for one in tested) / len(tested)
        print(f"{name:9} fast: {rate:,.0f} texts a second, {1000 / rate:.3f} ms a text of {length:.0f} characters")


if __name__ == "__main__":
    main()
