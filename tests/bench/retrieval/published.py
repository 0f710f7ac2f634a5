"""Loaders of LongMemEval-S, RealMem and SciFact in the shapes they are published or cut in."""

import csv
import gzip
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.bench.retrieval.values import DataError, Haystack, Note, Question, Turn

_EPOCH = datetime(2023, 1, 1, tzinfo=UTC)


def longmemeval_own(folder: Path) -> Iterator[Haystack]:
    """Yield one store for each question of LongMemEval-S: the sessions of its own haystack."""
    sessions, _ = _longmemeval_sessions(folder)
    for row in _lines(_one(folder, "longmemeval_s*_questions.jsonl")):
        # A session may stand in a haystack twice; it is stored once.
        dates = dict(zip(row["haystack_session_ids"], row["haystack_dates"], strict=True))
        turns = tuple(
            turn
            for name, date in dates.items()
            for turn in _longmemeval_turns(name, sessions[name], _longmemeval_time(date))
        )
        yield Haystack(row["question_id"], turns, (_longmemeval_question(row, {}),))


def longmemeval_one(folder: Path) -> Iterator[Haystack]:
    """Yield one store with the sessions of all questions, without duplicates."""
    sessions, same = _longmemeval_sessions(folder)
    rows = list(_lines(_one(folder, "longmemeval_s*_questions.jsonl")))
    dates = {
        same.get(name, name): date
        for row in rows
        for name, date in zip(row["haystack_session_ids"], row["haystack_dates"], strict=True)
    }
    turns = tuple(
        turn
        for name in sorted(set(dates) & {same.get(name, name) for name in sessions})
        for turn in _longmemeval_turns(name, sessions[name], _longmemeval_time(dates[name]))
    )
    yield Haystack("one", turns, tuple(_longmemeval_question(row, same) for row in rows))


def realmem(folder: Path) -> Iterator[Haystack]:
    """Yield a store for each persona of RealMem.

    A question is asked when only the sessions before it are stored.
    """
    files = sorted(folder.glob("*_dialogues_*.json"))
    if not files:
        raise DataError(f"{folder} holds no *_dialogues_*.json")
    for file in files:
        dialogues = json.loads(file.read_text(encoding="utf-8"))["dialogues"]
        turns: list[Turn] = []
        questions: list[Question] = []
        for number, dialogue in enumerate(dialogues):
            begun = _realmem_time(dialogue["current_time"], number)
            earlier = {turn.session for turn in turns}
            questions += _realmem_questions(dialogue["dialogue_turns"], earlier, begun)
            turns += _realmem_turns(dialogue, begun)
        yield Haystack(file.name.partition("_dialogues")[0], tuple(turns), tuple(questions))


def scifact(folder: Path) -> Iterator[Haystack]:
    """Yield one store of SciFact's abstracts as notes, with the claims of the test part."""
    yield _scifact(folder, "test")


def scifact_train(folder: Path) -> Iterator[Haystack]:
    """Yield the same store with the claims of the training part."""
    yield _scifact(folder, "train")


def _longmemeval_sessions(folder: Path) -> tuple[dict[str, list[dict[str, Any]]], dict[str, str]]:
    with gzip.open(_one(folder, "longmemeval_s*_sessions.jsonl.gz"), "rt", encoding="utf-8") as file:
        rows = map(json.loads, file)
        sessions = {row["session_id"]: row["turns"] for row in rows}
    return sessions, json.loads((folder / "same_content_session_ids.json").read_text(encoding="utf-8"))


def _longmemeval_turns(session: str, turns: list[dict[str, Any]], when: datetime) -> Iterator[Turn]:
    for number, turn in enumerate(turns):
        at = when + timedelta(seconds=number)
        yield Turn(f"{session}#{number}", session, number + 1, "", turn["role"], turn["content"], at)


def _longmemeval_question(row: dict[str, Any], same: dict[str, str]) -> Question:
    evidence = frozenset(f"{same.get(session, session)}#{number}" for session, number in row["evidence_turns"])
    sessions = frozenset(same.get(session, session) for session in row["answer_session_ids"])
    return Question(row["question"], evidence, row["question_type"], sessions)


def _longmemeval_time(text: str) -> datetime:
    return datetime.strptime(text.partition(" (")[0] + text[-5:] + " +0000", "%Y/%m/%d%H:%M %z")


def _realmem_turns(dialogue: dict[str, Any], begun: datetime) -> Iterator[Turn]:
    session = dialogue["session_uuid"]
    for number, turn in enumerate(dialogue["dialogue_turns"], 1):
        role = "user" if turn["speaker"] == "User" else "assistant"
        at = begun + timedelta(milliseconds=number)
        yield Turn(f"{session}#{number}", session, number, "", role, turn["content"], at)


def _realmem_questions(turns: list[dict[str, Any]], earlier: set[str], begun: datetime) -> Iterator[Question]:
    for number, turn in enumerate(turns[:-1]):
        wanted = frozenset(turns[number + 1].get("memory_session_uuids") or ()) & earlier
        if turn.get("is_query") and wanted:
            yield Question(turn["content"], frozenset(), turn.get("session_type", ""), wanted, begun)


def _realmem_time(text: str, number: int) -> datetime:
    # Dates are days and not always in order; the order in the file is what "earlier" means.
    del text
    return _EPOCH + timedelta(hours=6 * number)


def _scifact(folder: Path, part: str) -> Haystack:
    notes = tuple(Note(row["_id"], row["title"], row["text"]) for row in _lines(_one(folder, "corpus.jsonl")))
    claims = {row["_id"]: row["text"] for row in _lines(_one(folder, "queries.jsonl"))}
    judged: dict[str, set[str]] = {}
    with _one(folder / "qrels", f"{part}.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if int(row["score"]) > 0:
                judged.setdefault(row["query-id"], set()).add(row["corpus-id"])
    questions = tuple(Question(claims[name], frozenset(found), "claim") for name, found in judged.items())
    return Haystack("scifact", (), questions, notes)


def _one(folder: Path, pattern: str) -> Path:
    found = sorted(folder.glob(pattern))
    if not found:
        raise DataError(f"{folder} holds no {pattern}")
    return found[0]


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield json.loads(line)
