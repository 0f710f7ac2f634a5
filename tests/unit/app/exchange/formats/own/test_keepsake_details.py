import json
from pathlib import Path
from typing import Any

import pytest

from app.exchange.formats.own.keepsake import read
from app.exchange.formats.own.keepsake_details import FIELDS, read_detail, write_detail
from app.exchange.model import DetailType, VaultDetail
from tests.unit.app.exchange.reading import only, problems, records

SAMPLES: dict[str, Any] = {
    "text": "words",
    "texts": ["one", "two"],
    "whole": 7,
    "number": 0.25,
    "flag": True,
    "object": {"a": [1, None]},
    "instant": 1_700_000_000_123,
    "trust": "inner",
    "owner": "message",
    "target": "session",
}


def write_lines(folder: Path, *lines: dict[str, Any]) -> Path:
    file = folder / "lines.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


@pytest.mark.parametrize("kind", FIELDS)
@pytest.mark.parametrize("is_full", [True, False])
def test_a_line_gives_the_same_detail_again(tmp_path: Path, kind: DetailType, is_full: bool) -> None:
    wanted = FIELDS[kind].items()
    fields = {name: None if sort.endswith("?") and not is_full else SAMPLES[sort.rstrip("?")] for name, sort in wanted}
    detail = VaultDetail(kind, fields)
    assert read_detail(kind, write_detail(detail)) == (detail, [])
    found = records(read, write_lines(tmp_path, write_detail(detail)))
    assert only(found, VaultDetail) == [detail]
    assert not problems(found)


@pytest.mark.parametrize("kind", FIELDS)
def test_a_line_without_what_it_needs_is_left_out_and_named(tmp_path: Path, kind: DetailType) -> None:
    found = records(read, write_lines(tmp_path, {"type": kind}))
    assert only(found, VaultDetail) == []
    (problem,) = problems(found)
    assert problem.lost
    assert "is missing" in problem.what


def test_a_field_of_a_newer_version_is_named(tmp_path: Path) -> None:
    line = {"type": "claim", "owner_kind": "memory", "owner": "note-1", "from": "ent-1", "to": "ent-2", "since": 1}
    found = records(read, write_lines(tmp_path, line))
    assert len(only(found, VaultDetail)) == 1
    (problem,) = problems(found)
    assert problem.lost
    assert "'since'" in problem.what


def test_a_line_type_of_a_newer_version_is_named(tmp_path: Path) -> None:
    found = records(read, write_lines(tmp_path, {"type": "dream", "id": "1"}))
    (problem,) = problems(found)
    assert problem.lost
    assert "'dream'" in problem.what
    assert "newer version" in problem.what
