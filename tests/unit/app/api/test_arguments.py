"""Wrong arguments: each is refused with its place and the allowed values."""

from typing import Any

import pytest

from app.errors import InputError
from app.host import Host

TURN = {"role": "user", "content": "a"}


@pytest.mark.parametrize(
    ("operation", "arguments", "said"),
    [
        ("session.ids", {"filter": {"agnet": "x"}}, ["`filter`", "perhaps you meant `agent`", "pending"]),
        ("memory.list", {"filter": {"typ": ["x"]}}, ["`filter`", "kinds"]),
        ("session.append", {"messages": [TURN, TURN | {"zzz": 1}]}, ["`messages[1]`", "tool_calls"]),
        ("fact.batch", {"facts": [{"content": "a", "categorie": "x"}]}, ["`facts[0]`", "meant `category`"]),
        (
            "session.append",
            {"messages": [TURN | {"role": "x"}]},
            ["`messages[0].role`", "assistant, system, tool, user"],
        ),
        ("memory.search", {"query": "a", "legs": ["x"]}, ["`legs[0]`", "must be one of: ", "words"]),
        ("note.save", {"content": "a", "store": "x"}, ["`store`", "must be one of: private, shared, social"]),
        ("memory.search", {"query": 3}, ["must be text, not a whole number", "`query`"]),
        ("memory.search", {"query": "a", "limit": -1}, ["a whole number of at least 0", "`limit`"]),
        ("fact.remember", {"content": "a", "decay_rate": 11}, ["a number of at most 10"]),
        ("fact.remember", {"content": "a", "sources": [{"kind": "memory", "id": "fact-no"}]}, ["sources[0]"]),
        ("fact.batch", {"facts": [{"content": "a", "sources": [{"kind": "message", "id": "s#1"}]}]}, ["sources[0]"]),
        ("memory.write", {"content": "a", "sources": [{"kind": "message", "id": "s"}]}, ["sources[0]", "message"]),
        ("reflection.save", {"content": "a", "sources": [{"kind": "memory", "id": "fact-no"}]}, ["sources[0]"]),
        ("fact.set", {"category": "", "key": "k", "value": "v"}, ["category"]),
        ("fact.remember", {"content": "a", "key": "k"}, ["category"]),
        ("fact.batch", {"facts": [{"content": "a", "key": "k"}]}, ["category"]),
        ("session.consolidated", {"session": "talk", "upper_seq": 99}, ["has the number 1"]),
    ],
)
def test_refusal_names_the_place_and_what_is_allowed(
    host: Host, operation: str, arguments: dict[str, Any], said: list[str]
) -> None:
    host.ask("session.append", session="talk", messages=[TURN])
    with pytest.raises(InputError) as caught:
        host.ask(operation, **arguments)
    for words in said:
        assert words in caught.value.message
    for name in ("Optional", "Literal", "`str`", "`int`", "None"):
        assert name not in caught.value.message
    assert host.ask("fact.list") == []


def test_unknown_field_is_not_repeated_for_it_may_be_content(host: Host) -> None:
    with pytest.raises(InputError) as caught:
        host.ask("session.ids", filter={"a secret": 1})
    assert "secret" not in caught.value.message


def test_objects_that_may_hold_anything_still_may(host: Host) -> None:
    fact = host.ask("fact.remember", content="a", attributes={"any": {"thing": [1]}}).memory
    assert fact.attributes["any"] == {"thing": [1]}
    message = TURN | {"payload": {"a": {"b": 1}}, "tool_calls": [{"x": {"y": 2}}]}
    host.ask("session.append", session="s", messages=[message])
    assert host.ask("session.recent", session="s")[0].payload == {"a": {"b": 1}}
    source = {"kind": "message", "id": "s#1"}
    assert host.ask("fact.remember", content="drawn", sources=[source]).memory.sources[0].id == "s#1"
