"""How well names of one person are joined: ``python -m tests.bench.joining --realmem FOLDER --longmemeval FOLDER``.

The sample vault and given dialogues are imported into vaults of their own, the enrichment job runs,
and the pairs of names that then mean one entity are compared with labels. Those of the sample are written by hand
below. The pairs of the dialogues are printed, to read; with ``--marks``, those that a reader found to be two people
count as wrong.
"""

import argparse
import gzip
import json
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

from app.core.paths import resources
from app.entities.model import EntityFilter
from app.host import Host

PEOPLE = (
    {"Ines Duarte", "Ines"},
    {"Kenji Mori", "Kenji", "Mori"},
    {"Bram Claes", "Bram"},
    {"Tomasz Wilk", "Tomasz"},
    {"Lotte De Smet", "Lotte"},
    {"Oksana Hrytsenko", "Oksana"},
    {"Aoife Brennan", "Brennan", "Aoife"},
    {"Anouk Lemaire", "Anouk"},
    {"Maren Vogt", "Maren"},
    {"Zosia Wilk", "Zosia"},
)
"""The people of the sample by all names that stand for them there."""
_ROUNDS = 4  # a joined name brings the next one near
ONLY_PEOPLE = EntityFilter(types=("person",))
SETTINGS = {"embedding.model": "hashed", "backup.daily": False, "ner.spacy_pipeline": "none"}


def pairs(groups: list[set[str]]) -> set[frozenset[str]]:
    """Return the pairs of names within groups."""
    return {frozenset(pair) for group in groups for pair in combinations(sorted(group), 2)}


def joined(host: Host) -> tuple[list[set[str]], set[str], list[str]]:
    """Let names be joined; return the names of each person, all names before, and the questions."""
    host.ask("vault.settle", names=True)
    people = {row.name for row in host.ask("entity.list", filter=ONLY_PEOPLE, limit=500)}
    for _ in range(_ROUNDS):
        if "Joined" not in host.ask("upkeep.run", job="enrichment").output:
            break
        host.ask("vault.settle", names=True)
    rows = host.ask("entity.list", filter=ONLY_PEOPLE, limit=500)
    groups = [set(host.ask("entity.info", id=row.id).entity.aliases) & people for row in rows]
    questions = [one.reason for one in host.ask("inbox.list")]
    return groups, people, questions


def started(folder: Path) -> Host:
    """Start an engine on a new vault."""
    host = Host(folder / "vault", serve=False, overrides=SETTINGS)
    host.start()
    return host


def add_dialogue(host: Host, dialogue: dict[str, Any]) -> None:
    """Store one LoCoMo dialogue, a conversation for each of its sessions."""
    talk, number = dialogue["conversation"], 1
    while f"session_{number}" in talk:
        said = [
            {"role": "user" if turn["speaker"] == talk["speaker_a"] else "assistant", "content": turn["text"],
             "author": turn["speaker"]}
            for turn in talk[f"session_{number}"]
        ]  # fmt: skip
        if said:
            host.ask("session.append", session=f"{dialogue['sample_id']}-{number}", messages=said)
        number += 1


def add_realmem(host: Host, path: Path) -> None:
    """Store the dialogues of one RealMem persona, a conversation for each of its sessions."""
    for number, dialogue in enumerate(json.loads(path.read_text(encoding="utf-8"))["dialogues"]):
        said = [
            {"role": "user" if turn["speaker"] == "User" else "assistant", "content": turn["content"]}
            for turn in dialogue["dialogue_turns"]
        ]
        if said:
            host.ask("session.append", session=f"{path.stem}-{number}", messages=said)


def add_longmemeval(host: Host, question: dict[str, Any], sessions: dict[str, Any]) -> None:
    """Store the conversations of one LongMemEval question."""
    for name in question["haystack_session_ids"]:
        said = [{"role": turn["role"], "content": turn["content"]} for turn in sessions.get(name, ())]
        if said:
            host.ask("session.append", session=name, messages=said)


def vaults(options: argparse.Namespace) -> Iterator[tuple[str, Callable[[Host], object]]]:
    """Yield the name of each vault of dialogues, with what fills it."""
    for dialogue in json.loads(options.locomo.read_text(encoding="utf-8")) if options.locomo else ():
        yield dialogue["sample_id"], partial(add_dialogue, dialogue=dialogue)
    for path in sorted(options.realmem.glob("*.json")) if options.realmem else ():
        yield path.stem, partial(add_realmem, path=path)
    if options.longmemeval:
        lines = (options.longmemeval / "longmemeval_s101_dev_questions.jsonl").read_text(encoding="utf-8").splitlines()
        with gzip.open(options.longmemeval / "longmemeval_s101_dev_sessions.jsonl.gz", "rt", encoding="utf-8") as rows:
            sessions = {row["session_id"]: row["turns"] for row in map(json.loads, rows)}
        for number in options.questions:
            question = json.loads(lines[number])
            yield f"question {number}", partial(add_longmemeval, question=question, sessions=sessions)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--locomo", type=Path, help="JSON file of LoCoMo dialogues")
    parser.add_argument("--realmem", type=Path, help="folder of RealMem dialogues, a file for each persona")
    parser.add_argument("--longmemeval", type=Path, help="folder of LongMemEval")
    parser.add_argument("--questions", type=int, nargs="*", default=range(2, 101, 9), help="of LongMemEval, by number")
    parser.add_argument("--marks", type=Path, help="JSON file: the name of a vault with its pairs of two people")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        host = started(Path(folder))
        for part in ("notes", "conversations.jsonl", "memories.jsonl"):
            host.ask("exchange.import", path=str(resources() / "sample" / part))
        groups, names, questions = joined(host)
        host.stop()
    made, wanted = pairs(groups), pairs([group & names for group in PEOPLE])
    right = len(made & wanted)
    print(f"sample: {len(names)} people; pairs joined {len(made)}, right {right}, there {len(wanted)}")
    print(f"  pairwise precision {right / max(len(made), 1):.3f}, recall {right / len(wanted):.3f}")
    for label, some in (("wrong", made - wanted), ("missed", wanted - made)):
        print(f"  {label}:", sorted(sorted(pair) for pair in some))
    print("  other questions:", questions)
    marks = json.loads(options.marks.read_text(encoding="utf-8")) if options.marks else {}
    count = wrong = 0
    for name, fill in vaults(options):
        with tempfile.TemporaryDirectory() as folder:
            host = started(Path(folder))
            fill(host)
            groups, names, questions = joined(host)
            host.stop()
        made = pairs(groups)
        count += len(made)
        wrong += len(made & {frozenset(pair) for pair in marks.get(name, ())})
        print(f"{name}: {len(names)} people, joined {sorted(map(sorted, made))}\n  asked:", questions)
    if options.marks and count:
        print(f"dialogues: pairs joined {count}, marked as two people {wrong}, precision {1 - wrong / count:.3f}")


if __name__ == "__main__":
    main()
