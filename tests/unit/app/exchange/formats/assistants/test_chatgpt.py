import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.exchange.formats.assistants.chatgpt import read
from app.exchange.formats.assistants.chatgpt_content import render
from app.exchange.model import Position
from app.host import Host
from app.sessions.model import NewMessage
from tests.unit.app.exchange.reading import (
    chatgpt_message,
    chatgpt_talk,
    contents,
    foreign_values,
    messages,
    never,
    only,
    problems,
    records,
    sessions,
    write_json,
    write_zip,
)


def of_one(tmp_path: Path, message: dict[str, Any], **extra: Any) -> list[NewMessage]:
    talk = chatgpt_talk("c", "?", **extra)
    talk["mapping"]["m0"]["message"] = message
    return [record.message for record in messages(records(read, write_json(tmp_path / "conversations.json", [talk])))]


def test_a_conversation_with_its_turns(tmp_path: Path) -> None:
    talk = chatgpt_talk("c1", "Hi", "Hello", default_model_slug="gpt-4o", gizmo_id="g-1", plugin_ids=None)
    found = records(read, write_json(tmp_path / "conversations.json", [talk]))
    (head,) = sessions(found)
    assert (head.key, head.title, head.agent, head.created_ms) == ("c1", "Talk c1", "ChatGPT", 1700000000500)
    assert head.attributes == {"default_model_slug": "gpt-4o", "gizmo_id": "g-1"}
    first, second = (record.message for record in messages(found))
    assert (first.role, first.author, first.content) == ("user", "", "Hi")
    assert (second.role, second.author, second.content) == ("assistant", "gpt-4o", "Hello")
    assert first.created_at is not None
    assert first.created_at.timestamp() == 1700000001
    assert first.payload == {"id": "id-0"}
    assert not problems(found)
    assert only(found, Position)[-1].done == (tmp_path / "conversations.json").stat().st_size


def test_the_branch_in_use_is_kept_and_the_others_are_counted(tmp_path: Path) -> None:
    talk = chatgpt_talk("c", "Hi", "first answer", "thanks")
    talk["mapping"]["m0"]["children"].append("retry")
    talk["mapping"]["retry"] = {
        "parent": "m0",
        "children": [],
        "message": chatgpt_message("second answer", "assistant"),
    }
    talk["current_node"] = "retry"
    found = records(read, write_json(tmp_path / "conversations.json", [talk]))
    assert contents(found) == ["Hi", "second answer"]
    assert sessions(found)[0].attributes["other_branches"] == 2


def test_all_branches_come_by_choice(tmp_path: Path) -> None:
    talk = chatgpt_talk("c", "Hi", "first answer", "thanks")
    talk["mapping"]["m0"]["children"].append("retry")
    talk["mapping"]["retry"] = {"parent": "m0", "children": [], "message": chatgpt_message("second", "assistant")}
    talk["current_node"] = "retry"
    found = records(partial(read, all_branches=True), write_json(tmp_path / "conversations.json", [talk]))
    used, left = sessions(found)
    said = {
        key: [message.message.content for message in messages(found) if message.session_key == key]
        for key in (used.key, left.key)
    }
    assert said == {used.key: ["Hi", "second"], left.key: ["first answer", "thanks"]}
    assert left.attributes == {"branch_of": used.key, "branches_after": "m0"}
    assert left.title.endswith("(2)")


def test_branches_after_an_import_without_them_add_only_themselves(host: Host, tmp_path: Path) -> None:
    talk = chatgpt_talk("c", "Hi", "first answer")
    talk["mapping"]["retry"] = {"parent": "m0", "children": [], "message": chatgpt_message("second", "assistant")}
    path = str(write_json(tmp_path / "conversations.json", [talk]))
    counts = [host.ask("exchange.import", path=path, format=name).messages for name in ("auto", "chatgpt-branches")]
    assert counts == [2, 1]
    assert host.ask("exchange.import", path=path, format="chatgpt-branches").messages == 0


@pytest.mark.parametrize("current", ["gone", None, 7])
def test_without_a_current_node_the_latest_leaf_counts(tmp_path: Path, current: object) -> None:
    talk = chatgpt_talk("c", "Hi", "old", current_node=current)
    talk["mapping"]["new"] = {"parent": "m0", "message": chatgpt_message("new", "assistant", 99)}
    assert contents(records(read, write_json(tmp_path / "conversations.json", [talk]))) == ["Hi", "new"]


def test_a_circle_in_the_tree_ends(tmp_path: Path) -> None:
    talk = chatgpt_talk("c", "a", "b")
    talk["mapping"]["m0"]["parent"] = "m1"
    found = records(read, write_json(tmp_path / "conversations.json", [talk]))
    assert contents(found) == ["a", "b"]
    assert "predecessor" in problems(found)[0].what


def test_nodes_without_any_parent_are_taken_by_time(tmp_path: Path) -> None:
    talk = chatgpt_talk("c", "a", "b", "c")
    for node in talk["mapping"].values():
        node["parent"] = None
    assert contents(records(read, write_json(tmp_path / "conversations.json", [talk]))) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"content_type": "text", "parts": ["a", "b"]}, "a\n\nb"),
        ({"content_type": "text", "text": "old shape"}, "old shape"),
        ({"parts": ["no type"]}, "no type"),
        (
            {"content_type": "multimodal_text", "parts": [{"content_type": "image_asset_pointer"}, "What is it?"]},
            "[image]\n\nWhat is it?",
        ),
        (
            {"content_type": "multimodal_text", "parts": [{"content_type": "audio_transcription", "text": "spoken"}]},
            "spoken",
        ),
        ({"content_type": "code", "language": "python", "text": "x = 1"}, "```python\nx = 1\n```"),
        ({"content_type": "code", "language": "unknown", "text": "a ``` b"}, "````\na ``` b\n````"),
        ({"content_type": "execution_output", "text": "42"}, "```\n42\n```"),
        (
            {"content_type": "tether_quote", "url": "https://x.org/a", "title": "A", "text": "quoted"},
            "[A](https://x.org/a)\n\nquoted",
        ),
        ({"content_type": "tether_quote", "url": "javascript:alert(1)", "title": "A", "text": "q"}, "A\n\nq"),
        ({"content_type": "tether_browsing_display", "result": "found", "summary": ""}, "found"),
        ({"content_type": "thoughts", "thoughts": [{"summary": "Plan", "content": "Do it"}]}, "**Plan**\n\nDo it"),
        ({"content_type": "reasoning_recap", "content": "Thought for 5 s"}, "Thought for 5 s"),
        ({"content_type": "system_error", "name": "Timeout", "text": "too slow"}, "Timeout: too slow"),
        (
            {"content_type": "user_editable_context", "user_profile": "me", "user_instructions": "be brief"},
            "me\n\nbe brief",
        ),
        ({"content_type": "brand_new", "result": "words"}, "words"),
    ],
)
def test_every_content_type_has_readable_text(tmp_path: Path, content: dict[str, Any], said: str) -> None:
    (message,) = of_one(tmp_path, chatgpt_message("", content=content))
    assert message.content == said


def test_an_unknown_content_type_is_kept_whole(tmp_path: Path) -> None:
    content = {"content_type": "brand_new", "cells": [[1, 2], {"x": "y"}]}
    (message,) = of_one(tmp_path, chatgpt_message("", content=content))
    assert message.payload is not None
    assert message.payload["content"] == content
    assert "[brand_new]" in message.content
    assert '"cells"' in message.content


def test_empty_hidden_messages_are_skipped_silently(tmp_path: Path) -> None:
    talk = chatgpt_talk("c", "", "Hi")
    talk["mapping"]["m0"]["message"]["author"]["role"] = "system"
    found = records(read, write_json(tmp_path / "conversations.json", [talk]))
    assert contents(found) == ["Hi"]
    assert not problems(found)


def test_tools_are_called_and_answer(tmp_path: Path) -> None:
    talk = chatgpt_talk("c", "draw", "call", "answer")
    talk["mapping"]["m1"]["message"] |= {
        "recipient": "python",
        "content": {"content_type": "code", "language": "python", "text": "1+1"},
    }
    talk["mapping"]["m2"]["message"] |= {
        "author": {"role": "tool", "name": "python", "metadata": {}},
        "content": {"content_type": "execution_output", "text": "2"},
    }
    path = write_json(tmp_path / "conversations.json", [talk])
    _, call, answer = (record.message for record in messages(records(read, path)))
    assert call.tool_calls == [{"name": "python", "arguments": "```python\n1+1\n```"}]
    assert (answer.role, answer.tool_name, answer.author) == ("tool", "python", "python")


def test_a_missing_time_is_that_of_the_turn_before(tmp_path: Path) -> None:
    talk = chatgpt_talk("c", "a", "b")
    talk["mapping"]["m1"]["message"]["create_time"] = None
    first, second = messages(records(read, write_json(tmp_path / "conversations.json", [talk])))
    assert second.message.created_at == first.message.created_at


def test_an_unknown_role_goes_in_as_system_and_is_reported(tmp_path: Path) -> None:
    talk = chatgpt_talk("c", "a")
    talk["mapping"]["m0"]["message"]["author"]["role"] = "critic"
    found = records(read, write_json(tmp_path / "conversations.json", [talk]))
    assert messages(found)[0].message.role == "system"
    assert [problem.lost for problem in problems(found)] == [False]
    assert problems(found)[0].place == 'conversations.json, conversation 1 ("Talk c"), message 1'


@pytest.mark.parametrize(
    "value", [None, 1, "x", [], {}, {"mapping": []}, {"mapping": {"a": 1}}, {"mapping": {"a": {}}}]
)
def test_what_is_no_conversation_is_reported_and_the_next_goes_in(tmp_path: Path, value: object) -> None:
    found = records(read, write_json(tmp_path / "conversations.json", [value, chatgpt_talk("c", "Hi")]))
    assert contents(found) == ["Hi"]


@pytest.mark.parametrize("share", [0.35, 0.7, 0.99])
def test_conversations_before_a_cut_go_in(tmp_path: Path, share: float) -> None:
    data = json.dumps([chatgpt_talk(f"c{number}", "Hi", "Hello") for number in range(10)]).encode()
    path = tmp_path / "conversations.json"
    path.write_bytes(data[: int(len(data) * share)])
    found = records(read, path)
    assert len(sessions(found)) == int(10 * share)
    assert [problem.lost for problem in problems(found)] == [True]
    assert "cut off" in problems(found)[0].what


def test_a_broken_conversation_costs_only_itself(tmp_path: Path) -> None:
    talks = [json.dumps(chatgpt_talk(f"c{number}", "Hi")) for number in range(3)]
    talks[1] = talks[1].replace("1700000000.5", "SOON")
    path = tmp_path / "conversations.json"
    path.write_text(f"[{','.join(talks)}]")
    found = records(read, path)
    assert [head.key for head in sessions(found)] == ["c0", "c2"]
    assert "conversation 2" in problems(found)[0].place


def test_a_hundred_megabytes_in_one_message(tmp_path: Path) -> None:
    path = write_json(tmp_path / "conversations.json", [chatgpt_talk("c", "x\n" * (50 << 20), "short")])
    assert [len(content) for content in contents(records(read, path))] == [(100 << 20) - 1, 5]


def test_what_cannot_be_stored_is_replaced_and_reported(tmp_path: Path) -> None:
    talk = chatgpt_talk("c\x00", "nul \x00 and \ud800 alone, \ud83d\ude00 a pair")
    found = records(read, write_json(tmp_path / "conversations.json", [talk]))
    assert contents(found) == ["nul \u2400 and \ufffd alone, \U0001f600 a pair"]
    assert sessions(found)[0].key == "c\u2400"
    assert [problem.lost for problem in problems(found)] == [False]


def test_numbers_beyond_reason(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    talk = json.dumps(chatgpt_talk("c", "Hi", score=0.5)).replace("1700000000.5", "1e999").replace("0.5", "1e999")
    path.write_text(f"[{talk}]")
    found = records(read, path)
    assert contents(found) == ["Hi"]
    assert sessions(found)[0].created_ms is None
    assert sessions(found)[0].attributes["score"] is None


def test_zip_shards_and_folder_say_the_same(tmp_path: Path) -> None:
    shards = {f"conversations-00{n}.json": json.dumps([chatgpt_talk(f"c{n}", f"Hi {n}")]).encode() for n in range(3)}
    archive = write_zip(tmp_path / "export.zip", {**{f"export/{k}": v for k, v in shards.items()}, "chat.html": b"<p>"})
    folder = tmp_path / "folder"
    folder.mkdir()
    for name, data in shards.items():
        (folder / name).write_bytes(data)
    assert contents(records(read, archive)) == contents(records(read, folder)) == ["Hi 0", "Hi 1", "Hi 2"]


def test_decimals_do_not_leak_into_what_is_kept(tmp_path: Path) -> None:
    path = write_json(tmp_path / "conversations.json", [chatgpt_talk("c", "Hi", share=0.25)])
    share = sessions(records(read, path))[0].attributes["share"]
    assert type(share) is float


def test_reading_can_be_stopped(tmp_path: Path) -> None:
    path = write_json(tmp_path / "conversations.json", [chatgpt_talk("c", "Hi")])
    assert list(read(path, lambda: True)) == []
    assert list(read(path, never))


VALUES = foreign_values("id", "title", "mapping", "message", "parent", "content", "content_type", "parts", "thoughts")
MESSAGES = foreign_values(
    "author", "role", "name", "create_time", "content", "content_type", "parts", "text", "metadata"
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("foreign") / "conversations.json"


@given(value=VALUES)
def test_values_of_any_shape_end_in_records(path: Path, value: Any) -> None:
    records(read, write_json(path, [value]))


@given(message=MESSAGES, content=MESSAGES, kind=st.sampled_from(["text", "code", "thoughts", "tether_quote", "x"]))
def test_messages_of_any_shape_cost_no_other(path: Path, message: Any, content: Any, kind: str) -> None:
    talk = chatgpt_talk("c", "Hi", "middle", "end")
    if isinstance(message, dict):
        message["content"] = {"content_type": kind, **content} if isinstance(content, dict) else content
    talk["mapping"]["m1"]["message"] = message
    said = contents(records(read, write_json(path, [talk])))
    assert (said[0], said[-1]) == ("Hi", "end")


def test_parts_within_parts_are_read() -> None:
    content = {"content_type": "text", "parts": ["sparrow", ["wren", ["heron"]], {"0": "a kestrel in the oak"}]}
    assert render(content)[0] == "sparrow\n\nwren\n\nheron\n\na kestrel in the oak"
