"""JSON with comments is changed in place: what was there stays as it was written."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.connections import json_text
from app.errors import FormatError

PATH = ("mcpServers", "keepsake")
VALUE = {"command": "/bin/keepsake", "args": ["mcp"], "env": {"A": "ü\n\"'"}}

TEXTS = [
    "{}",
    "{}\n",
    "{ }\n",
    '{"a":1}',
    '{\n  "a": 1\n}\n',
    '{\n\t"a": 1, // note\n\t/* before the end */\n}\n',
    "{ // only a comment\n}\n",
    '// head\n{\n  "mcpServers": {\n    "x": {"command": "y"} // keep\n  },\n  "z": [1,\n 2,]\n}\n// foot',
    '{\r\n    "a": {},\r\n    "mcpServers": {}\r\n}\r\n',
    '{"mcpServers": {"x": {}}, "b": "// no comment", "c": "/* none */"}',
    '{"a": "\\"quoted\\" \\u00e9", "mcpServers": {}}',
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_member_is_added_and_removed_and_everything_else_stays(text: str) -> None:
    before = json_text.parse(text).value

    added = json_text.with_member(text, PATH, VALUE)
    removed = json_text.without(added, PATH)

    servers = before.get("mcpServers", {})
    assert json_text.parse(added).value == {**before, "mcpServers": {**servers, "keepsake": VALUE}}
    assert json_text.parse(removed).value == {**before, "mcpServers": servers}
    for comment in ("// note", "/* before the end */", "// only a comment", "// head", "// keep", "// foot"):
        assert (comment in text) == (comment in added) == (comment in removed)
    if "mcpServers" in before and servers:
        assert removed == text
    assert ("\r\n" in text) == ("\r\n" in added)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "{",
        '{"a"}',
        '{"a": 1 "b": 2}',
        "{'a': 1}",
        '{"a": 1}}',
        "nul",
        '{"a": 01}',
        '{"a": "\n"}',
        "[" * 500,
        "/* open",
    ],
)
def test_broken_json_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(FormatError, match="not valid JSON: line "):
        json_text.with_member(text, PATH, VALUE)


@pytest.mark.parametrize(
    "text", ["[]", '"text"', '{"mcpServers": []}', '{"mcpServers": {"keepsake": 1, "x": 2}, "mcpServers": 3}']
)
def test_what_is_no_object_is_not_changed(text: str) -> None:
    with pytest.raises(FormatError, match="not an object"):
        json_text.with_member(text, PATH, VALUE)


def test_a_removal_never_joins_a_comment_with_what_follows() -> None:
    text = '{"a": {"x": 1, // note\n "keepsake": 2}}'
    removed = json_text.without(text, ("a", "keepsake"))
    assert json_text.parse(removed).value == {"a": {"x": 1}}
    assert "// note" in removed


def test_items_are_added_to_lists_and_removed() -> None:
    text = '{"hooks": {"Stop": [{"mine": 1}]}}'
    added = json_text.with_item(text, ("hooks", "Stop"), {"ours": 2})
    assert json_text.parse(added).value == {"hooks": {"Stop": [{"mine": 1}, {"ours": 2}]}}
    assert json_text.without(added, ("hooks", "Stop"), 1) == text
    with pytest.raises(FormatError, match="not a list"):
        json_text.with_item('{"hooks": {"Stop": {}}}', ("hooks", "Stop"), 1)


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=6), _values, max_size=4), st.sampled_from([None, 1, 2, 4, "\t"]))
def test_any_object_keeps_its_values_and_their_order(value: dict[str, Any], indent: Any) -> None:
    value.pop("mcpServers", None)
    text = json.dumps(value, indent=indent, ensure_ascii=False)

    added = json_text.with_member(text, PATH, VALUE)

    assert list(json.loads(added).items()) == [*value.items(), ("mcpServers", {"keepsake": VALUE})]
    assert json.loads(json_text.without(added, ("mcpServers",))) == value
