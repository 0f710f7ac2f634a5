import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.exchange.formats.own.keepsake import read
from app.exchange.model import Record
from app.exchange.parsing import lines
from app.memories.foreign_record import MemoryRecord
from tests.unit.app.exchange.reading import contents, foreign_values, messages, only, problems, records, sessions


def turn(**fields: Any) -> dict[str, Any]:
    return {"type": "message", "session": "s", "role": "user", "content": "Hi", **fields}


def imported(tmp_path: Path, *given: object) -> list[Record]:
    path = tmp_path / "export.jsonl"
    path.write_bytes(b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in given))
    return records(read, path)


def test_turns_open_their_session(tmp_path: Path) -> None:
    found = imported(
        tmp_path,
        turn(title="T", agent="A", seq=4, author="Me", created_at="2024-01-31T00:00:00Z", meta={"a": 1}, mood="good"),
        turn(session="t", role="assistant", created_at=1706659200),
        turn(seq=7, content="again"),
    )
    assert [(head.key, head.title, head.agent) for head in sessions(found)] == [("s", "T", "A"), ("t", "", "")]
    first, second, third = messages(found)
    assert (first.message.seq, first.message.author) == (4, "Me")
    assert first.message.payload == {"a": 1, "mood": "good"}
    assert first.message.created_at == second.message.created_at
    assert (third.session_key, third.message.seq, third.message.payload) == ("s", 7, None)
    assert not problems(found)


def test_turns_without_a_session_go_together(tmp_path: Path) -> None:
    found = imported(tmp_path, {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"})
    assert [head.key for head in sessions(found)] == ["export"]
    assert contents(found) == ["a", "b"]


def test_repeated_and_falling_numbers_keep_the_order_of_the_file(tmp_path: Path) -> None:
    given = [turn(seq=seq, content=str(place)) for place, seq in enumerate((1, 5, 5, 2, None, 8, 20))]
    found = imported(tmp_path, *given)
    assert [record.message.seq for record in messages(found)] == [1, 5, None, None, None, None, 20]
    assert [problem.lost for problem in problems(found)] == [False, False, False]
    assert contents(found) == [str(place) for place in range(7)]


def test_numbers_from_zero_become_numbers_from_one(tmp_path: Path) -> None:
    found = imported(tmp_path, *[turn(seq=seq) for seq in range(3)])
    assert [record.message.seq for record in messages(found)] == [1, 2, 3]
    assert len(problems(found)) == 1


@pytest.mark.parametrize(
    "line",
    [
        b'{"type": "message", "session": "s", "ro',
        b"not json",
        b"[1, 2]",
        b'"text"',
        b"[" * 100_000,
        {"type": "riddle"},
        {"content": "no role"},
        turn(content=None),
        turn(content=5),
        turn(role="alien"),
        turn(role=None),
        turn(role=["user"]),
        {"type": "memory", "kind": "dream", "content": "x"},
        {"type": "memory", "content": "x", "store": "public"},
        {"type": "memory"},
    ],
)
def test_a_broken_line_is_reported_and_the_rest_goes_in(tmp_path: Path, line: object) -> None:
    found = imported(tmp_path, turn(content="before"), line, turn(content="after"))
    assert contents(found) == ["before", "after"]
    (problem,) = problems(found)
    assert (problem.place, problem.lost) == ("export.jsonl, line 2", True)


def test_a_last_line_that_is_cut_off_is_reported(tmp_path: Path) -> None:
    found = imported(tmp_path, turn(), b'{"type": "message", "session": "s", "content": "cut')
    assert contents(found) == ["Hi"]
    assert "cut off" in problems(found)[0].what


@pytest.mark.parametrize(
    "fields",
    [
        {"seq": "three"},
        {"seq": -1},
        {"seq": 1.5},
        {"seq": 1 << 70},
        {"importance": 7},
        {"created_at": "soon"},
        {"author": ["x"]},
        {"tool_calls": "x"},
        {"title": {}},
    ],
)
def test_a_field_of_the_wrong_type_is_kept_apart_and_reported(tmp_path: Path, fields: dict[str, Any]) -> None:
    found = imported(tmp_path, turn(**fields))
    assert messages(found)[0].message.payload == fields
    assert [problem.lost for problem in problems(found)] == [False]


def test_what_cannot_be_stored_is_replaced_and_reported(tmp_path: Path) -> None:
    found = imported(tmp_path, turn(content="\x00 \ud800"), b'{"role": "user", "content": "\xff"}')
    assert contents(found) == ["\u2400 \ufffd", "\ufffd"]
    assert [problem.lost for problem in problems(found)] == [False, False]


def test_a_memory_with_foreign_fields(tmp_path: Path) -> None:
    line = {"type": "memory", "kind": "fact", "id": "f1", "content": "x", "tags": ["A", "a", "B c"], "mood": 1}
    (memory,) = only(imported(tmp_path, line | {"meta": {"m": 2}, "key": "k"}), MemoryRecord)
    assert (memory.key, memory.kind, memory.tags, memory.fact_key) == ("f1", "fact", ("a", "b c"), "k")
    assert memory.attributes == {"m": 2, "mood": 1}
    assert memory.store is None


def test_a_memory_without_an_id_has_the_same_key_each_time(tmp_path: Path) -> None:
    first, second = (only(imported(tmp_path, {"type": "memory", "content": "x"}), MemoryRecord)[0].key for _ in "ab")
    assert first == second


def test_a_line_beyond_the_limit_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MAX_LINE", 3 << 20)
    found = imported(tmp_path, turn(content="x" * (8 << 20)), turn(content="y" * (2 << 20)), turn(content="z"))
    assert [len(content) for content in contents(found)] == [2 << 20, 1]
    assert problems(found)[0].place == "export.jsonl, line 1"


def test_a_hundred_megabytes_in_one_line(tmp_path: Path) -> None:
    assert len(contents(imported(tmp_path, turn(content="x\n" * (50 << 20))))[0]) == 100 << 20


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_marks_line_ends_and_blank_lines(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(("\r\n\r\n".join([json.dumps(turn(content="ü\u2028"), ensure_ascii=False)] * 2)).encode(encoding))
    found = records(read, path)
    assert contents(found) == ["ü\u2028", "ü\u2028"]
    assert not problems(found)


def test_gzip_whole_and_cut(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    data = gzip.compress(b"\n".join(json.dumps(turn(content=str(n) * 50)).encode() for n in range(2000)))
    path.write_bytes(data)
    assert len(contents(records(read, path))) == 2000
    path.write_bytes(data[: len(data) // 2])
    found = records(read, path)
    assert 100 < len(contents(found)) < 2000
    assert "damaged" in problems(found)[-1].what


NAMES = ("type", "session", "role", "content", "seq", "meta", "created_at", "tags", "kind", "id", "facts", "attributes")
TYPES = st.sampled_from(["session", "message", "memory"])


@given(value=foreign_values(*NAMES), kind=TYPES)
def test_lines_of_any_shape_cost_no_other(tmp_path_factory: pytest.TempPathFactory, value: Any, kind: str) -> None:
    line = {**value, "type": kind} if isinstance(value, dict) else value
    found = imported(tmp_path_factory.getbasetemp(), turn(session="a"), line, turn(session="b", content="end"))
    said = contents(found)
    assert (said[0], said[-1]) == ("Hi", "end")
