"""Loaders of published data sets with questions and their evidence."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from tests.bench.retrieval import published
from tests.bench.retrieval.values import DataError, Haystack, Question, Turn

_MIXED = 4
_CLAIMS = 8
_ABSTAIN = 5
_SESSION = re.compile(r"session_(\d+)\Z")
_WHEN = re.compile(r"(\d{1,2}):(\d{2}) (am|pm) on (\d{1,2}) (\w+), (\d{4})")


def load(dataset: str, folder: Path) -> Iterator[Haystack]:
    """Yield the haystacks of ``dataset`` under ``folder``.

    Raises:
        DataError: The data set is unknown or the folder is not in its shape.
    """
    loader = LOADERS.get(dataset)
    if loader is None:
        raise DataError(f"unknown data set {dataset}; known: {', '.join(LOADERS)}")
    return loader(folder)


def _locomo(folder: Path) -> Iterator[Haystack]:
    files = sorted(folder.glob("locomo*.json"))
    evidence_file = folder / "evidence_normalized.json"
    if not files or not evidence_file.is_file():
        raise DataError(f"{folder} holds no locomo*.json with evidence_normalized.json beside it")
    evidence = json.loads(evidence_file.read_text(encoding="utf-8"))
    for file in files:
        for sample in json.loads(file.read_text(encoding="utf-8")):
            turns = tuple(_locomo_turns(sample["conversation"]))
            known = {turn.id for turn in turns}
            rows = evidence.get(sample["sample_id"], [])
            yield Haystack(sample["sample_id"], turns, tuple(_locomo_questions(sample["qa"], rows, known)))


def unanswerable(folder: Path) -> dict[str, list[str]]:
    """Return LoCoMo's questions without an answer (category 5) by conversation."""
    samples = [load for file in sorted(folder.glob("locomo*.json")) for load in json.loads(file.read_bytes())]
    return {
        sample["sample_id"]: [row["question"] for row in sample["qa"] if row["category"] == _ABSTAIN]
        for sample in samples
    }


def _locomo_turns(conversation: dict[str, Any]) -> Iterator[Turn]:
    numbers = sorted(int(match[1]) for key in conversation if (match := _SESSION.match(key)))
    for number in numbers:
        when = _locomo_time(conversation.get(f"session_{number}_date_time", ""))
        for seq, turn in enumerate(conversation[f"session_{number}"], 1):
            role = "user" if turn["speaker"] == conversation["speaker_a"] else "assistant"
            text = turn["text"]
            if caption := turn.get("blip_caption"):
                text = f"{text} [image: {caption}]"
            yield Turn(turn["dia_id"], f"session_{number}", seq, turn["speaker"], role, text, when)


def _locomo_questions(qa: list[dict[str, Any]], rows: list[dict[str, Any]], known: set[str]) -> Iterator[Question]:
    for row in rows:
        found = frozenset(row["evidence"]) & known
        if found:
            yield Question(qa[row["qa_index"]]["question"], found, str(row["category"]))


def _locomo_time(text: str) -> datetime:
    match = _WHEN.search(text)
    if match is None:
        return datetime(2023, 1, 1, tzinfo=UTC)
    hour, minute, half, day, month, year = match.groups()
    stamp = f"{day} {month} {year} {int(hour):02d}:{minute} {half.upper()} +0000"
    return datetime.strptime(stamp, "%d %B %Y %I:%M %p %z")


def _plain(folder: Path) -> Iterator[Haystack]:
    corpus, questions_file = folder / "corpus.jsonl", folder / "questions.jsonl"
    if not corpus.is_file() or not questions_file.is_file():
        raise DataError(f"{folder} holds no corpus.jsonl and questions.jsonl")
    stores: dict[str, list[Turn]] = {}
    for row in _lines(corpus):
        when = datetime.fromisoformat(row["created_at"])
        turn = Turn(row["id"], row["session"], row["seq"], row["author"], row["role"], row["text"], when)
        stores.setdefault(row["store"], []).append(turn)
    questions: dict[str, list[Question]] = {}
    for row in _lines(questions_file):
        question = Question(row["question"], frozenset(row["evidence"]), str(row.get("category", "")))
        questions.setdefault(row["store"], []).append(question)
    for name, turns in stores.items():
        turns.sort(key=lambda turn: (turn.session, turn.seq))
        yield Haystack(name, tuple(turns), tuple(questions.get(name, ())))


def _mixed(folder: Path) -> Iterator[Haystack]:
    return _with_notes(folder, next(published.scifact(folder / "scifact")))


def _mixed_train(folder: Path) -> Iterator[Haystack]:
    return _with_notes(folder, next(published.scifact_train(folder / "scifact")))


def _with_notes(folder: Path, claims: Haystack) -> Iterator[Haystack]:
    """Yield LoCoMo stores, each mixed with SciFact's abstracts and some of its claims."""
    for place, talk in enumerate(islice(_locomo(folder / "locomo"), _MIXED)):
        questions = (*talk.questions, *claims.questions[place::_CLAIMS])
        yield replace(talk, notes=claims.notes, questions=questions)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield json.loads(line)


LOADERS = {
    "locomo": _locomo,
    "longmemeval-s": published.longmemeval_own,
    "longmemeval-one": published.longmemeval_one,
    "mixed": _mixed,
    "mixed-train": _mixed_train,
    "plain": _plain,
    "realmem": published.realmem,
    "scifact": published.scifact,
    "scifact-train": published.scifact_train,
}
