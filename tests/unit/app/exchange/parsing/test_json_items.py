import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.exchange.parsing import json_items
from app.exchange.parsing.json_items import ItemSplitter, JsonItem, decode, items
from app.memories.foreign_record import Problem
from tests.unit.app.exchange.reading import never, write_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 60), 1 << 60) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.lists(st.dictionaries(st.text(), JSON, max_size=4) | st.lists(JSON, max_size=3), max_size=5)


def cut(data: bytes, sizes: list[int]) -> list[bytes]:
    chunks, at = [], 0
    for size in sizes:
        chunks.append(data[at : at + size])
        at += size
    return [*chunks, data[at:]]


def split(chunks: list[bytes]) -> tuple[list[Any], ItemSplitter]:
    splitter = ItemSplitter()
    return [json.loads(raw.data or b"") for chunk in chunks for raw in splitter.feed(chunk)], splitter


@given(OBJECTS, st.booleans(), st.lists(st.integers(0, 9), max_size=30))
def test_items_are_the_same_however_the_bytes_arrive(values: list[Any], escaped: bool, sizes: list[int]) -> None:
    data = json.dumps(values, ensure_ascii=escaped).encode()
    found, splitter = split(cut(data, sizes))
    assert found == values
    assert not splitter.ending()
    assert not splitter.stray


@given(st.lists(st.dictionaries(st.text(), JSON, max_size=4), max_size=5), st.lists(st.integers(0, 9), max_size=30))
def test_rows_of_objects_are_items_too(values: list[Any], sizes: list[int]) -> None:
    data = "\n".join(map(json.dumps, values)).encode()
    assert split(cut(data, sizes))[0] == values


@given(st.binary(max_size=200), st.lists(st.integers(0, 9), max_size=30))
def test_no_bytes_break_the_splitter(data: bytes, sizes: list[int]) -> None:
    splitter = ItemSplitter()
    for chunk in cut(data, sizes):
        list(splitter.feed(chunk))
    splitter.ending()


@pytest.mark.parametrize(
    ("raw", "value", "replaced"),
    [
        (b'{"a": NaN, "b": -Infinity}', {"a": None, "b": None}, False),
        (b'"\\ud83d"', "\ud83d", False),
        (b'"\\ud83d\\ude00"', "\U0001f600", False),
        (b'"a\xff\xfeb"', "a\ufffd\ufffdb", True),
        (b'"line\nbreak"', "line\nbreak", False),
        ('"\ufffd"'.encode(), "\ufffd", False),
    ],
)
def test_sloppy_json_is_read(raw: bytes, value: Any, replaced: bool) -> None:
    assert decode(raw) == (value, replaced)


@pytest.mark.parametrize("raw", [b"", b"{", b"{]", b"nope", b"[" * 200_000, b"9" * 5000 + b"x", b'{"a":1}}'])
def test_what_is_no_json_is_refused(raw: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        decode(raw)


def test_text_between_items_is_reported_and_the_items_go_in(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_text('[{"a": 1}, oops "{", {"a": 2}]')
    found = list(items(path, never))
    assert [item.value for item in found if isinstance(item, JsonItem)] == [{"a": 1}, {"a": 2}]
    (problem,) = [thing for thing in found if isinstance(thing, Problem)]
    assert "oops" in problem.what


def test_a_list_inside_an_object_is_opened(tmp_path: Path) -> None:
    path = write_json(tmp_path / "conversations.json", {"conversations": [{"a": 1}, {"a": 2}]})
    assert [item.value for item in items(path, never) if isinstance(item, JsonItem)] == [{"a": 1}, {"a": 2}]


def test_an_item_beyond_the_limit_is_left_out_and_the_next_goes_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_items, "MAX_ITEM", 1000)
    path = write_json(tmp_path / "conversations.json", [{"a": "x" * 2000}, {"a": 2}])
    found = list(items(path, never))
    assert [item.value for item in found if isinstance(item, JsonItem)] == [{"a": 2}]
    assert [thing.lost for thing in found if isinstance(thing, Problem)] == [True]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_files_saved_again_by_other_programs_are_read(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "conversations.json"
    mark = "\ufeff" if encoding in ("utf-16-le", "utf-16-be") else ""
    path.write_bytes((mark + json.dumps([{"a": "größer 😀" * 50_000}], ensure_ascii=False)).encode(encoding))
    assert [item.value for item in items(path, never) if isinstance(item, JsonItem)] == [{"a": "größer 😀" * 50_000}]


def test_reading_stops_when_cancelled(tmp_path: Path) -> None:
    path = write_json(tmp_path / "conversations.json", [{"a": 1}])
    assert list(items(path, lambda: True)) == []


def test_no_item_is_lost_wherever_the_bytes_are_cut() -> None:
    talks = [{"id": f"c{number}", "said": ['a "quoted" \\ word', "}", "[", ""]} for number in range(3)]
    data = json.dumps(talks).encode()
    for cut in range(len(data)):
        splitter = ItemSplitter()
        raw = [*splitter.feed(data[:cut]), *splitter.feed(data[cut:])]
        assert [json.loads(item.data or b"") for item in raw] == talks
        assert (splitter.ending(), splitter.stray) == ("", b"")
