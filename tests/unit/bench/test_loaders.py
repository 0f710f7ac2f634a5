"""Loaders: small sets in the published shapes come out as stores and questions."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.bench.retrieval.datasets import load
from tests.bench.retrieval.values import DataError


def lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture
def longmemeval(tmp_path: Path) -> Path:
    row = {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "Which boat?",
        "answer_session_ids": ["b"],
        "evidence_turns": [["b", 0]],
        "haystack_session_ids": ["a", "b", "c", "b"],
        "haystack_dates": ["2023/08/11 (Fri) 15:58"] * 4,
    }
    lines(tmp_path / "longmemeval_s1_dev_questions.jsonl", [row])
    with gzip.open(tmp_path / "longmemeval_s1_dev_sessions.jsonl.gz", "wt", encoding="utf-8") as file:
        for name in "abc":
            turns = [{"role": "user", "content": f"{name} one"}, {"role": "assistant", "content": f"{name} two"}]
            file.write(json.dumps({"session_id": name, "turns": turns}) + "\n")
    (tmp_path / "same_content_session_ids.json").write_text('{"c": "a"}', encoding="utf-8")
    return tmp_path


def test_a_longmemeval_question_has_its_own_haystack(longmemeval: Path) -> None:
    (store,) = load("longmemeval-s", longmemeval)
    assert [turn.id for turn in store.turns] == ["a#0", "a#1", "b#0", "b#1", "c#0", "c#1"]
    assert store.questions[0].evidence == {"b#0"}
    assert store.questions[0].sessions == {"b"}
    assert store.turns[0].created_at.isoformat() == "2023-08-11T15:58:00+00:00"


def test_sessions_of_the_same_content_are_one_in_the_common_store(longmemeval: Path) -> None:
    (store,) = load("longmemeval-one", longmemeval)
    assert {turn.session for turn in store.turns} == {"a", "b"}


def test_a_realmem_question_is_asked_of_earlier_sessions(tmp_path: Path) -> None:
    def turn(speaker: str, text: str, **more: Any) -> dict[str, Any]:
        return {"speaker": speaker, "content": text, "is_query": False, **more}

    first = {"session_uuid": "one", "current_time": "2025-12-15 (Monday)", "dialogue_turns": [turn("User", "Hello")]}
    requested = [
        turn("User", "What did I say?", is_query=True, session_type="single_session"),
        turn("Assistant", "Hello", memory_session_uuids=["one", "two"]),
    ]
    second = {"session_uuid": "two", "current_time": "2025-12-14 (Sunday)", "dialogue_turns": requested}
    (tmp_path / "Ann_dialogues_256k.json").write_text(json.dumps({"dialogues": [first, second]}), encoding="utf-8")
    (store,) = load("realmem", tmp_path)
    (question,) = store.questions
    assert question.sessions == {"one"}
    assert question.until is not None
    assert {turn.session for turn in store.turns if turn.created_at < question.until} == {"one"}


def test_scifact_is_notes(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    lines(tmp_path / "corpus.jsonl", [{"_id": "7", "title": "Bone", "text": "It grows."}])
    lines(tmp_path / "queries.jsonl", [{"_id": "1", "text": "Bone grows."}])
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\t7\t1\n", encoding="utf-8")
    (store,) = load("scifact", tmp_path)
    assert [(note.id, note.title) for note in store.notes] == [("7", "Bone")]
    assert store.questions[0].evidence == {"7"}


@pytest.mark.parametrize("dataset", ["locomo", "longmemeval-s", "realmem", "scifact", "plain", "nothing"])
def test_an_empty_folder_is_said(tmp_path: Path, dataset: str) -> None:
    with pytest.raises(DataError):
        list(load(dataset, tmp_path))
