"""Exports of other memory systems: what is in them is counted independently and all of it arrives, once."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.errors import FormatError
from app.exchange.formats.detect import detect
from app.exchange.formats.known_formats import SPECS
from app.exchange.formats.memory_systems import gemini_activity, letta, memory_list, message_list
from app.exchange.model import MessageRecord, SessionRecord
from app.host import Host
from app.memories.foreign_record import MemoryRecord
from tests.unit.app.exchange.reading import only, problems, records

MEM0 = {
    "results": [
        {
            "id": "ea92",
            "memory": "Likes to play cricket.",
            "user_id": "alice",
            "metadata": {"category": "hobbies"},
            "categories": ["hobbies", "sport"],
            "created_at": "2024-07-26T10:29:36.630547-07:00",
            "updated_at": None,
            "score": 0.8,
        },
        {"id": "ea93", "data": {"memory": "Loves badminton."}, "event": "ADD"},
        {"id": "ea94", "memory": ""},
    ]
}
SERVICE = {
    "export_metadata": {"source_machine": "desk", "total_memories": 2},
    "memories": [
        {
            "content": "The API listens on 8000.",
            "content_hash": "c1",
            "tags": ["api", "ports"],
            "memory_type": "note",
            "created_at": 1_700_000_000.5,
            "metadata": {"source": "desk"},
        },
        {"content": "Deploy on Fridays.", "content_hash": "c2", "tags": "ops, rules", "created_at": 1_700_000_100},
    ],
}
LETTA = {
    "agents": [
        {
            "id": "agent-0",
            "name": "Sam",
            "block_ids": ["block-0", "block-1", "block-9"],
            "in_context_message_ids": ["message-0"],
            "messages": [
                {"id": "message-0", "role": "system", "content": [{"type": "text", "text": "You are Sam."}]},
                {
                    "id": "message-1",
                    "role": "user",
                    "content": [{"type": "text", "text": '{"type": "user_message", "message": "Hello, I am Chad."}'}],
                    "created_at": "2025-10-31T22:56:56+00:00",
                },
                {
                    "id": "message-2",
                    "role": "assistant",
                    "content": [{"type": "text", "text": "Hello Chad."}],
                    "tool_calls": [{"id": "c", "function": {"name": "save", "arguments": '{"name": "Chad"}'}}],
                    "created_at": "2025-10-31T22:57:00+00:00",
                },
                {"id": "message-3", "role": "tool", "name": "save", "content": [{"type": "text", "text": "ok"}]},
            ],
        }
    ],
    "blocks": [
        {"id": "block-0", "label": "human", "value": "First name: Chad\n", "description": "The person."},
        {"id": "block-1", "label": "persona", "value": "I am Sam.", "limit": 20},
    ],
    "files": [{"file_name": "plan.txt", "content": "Sail on Sunday."}, {"file_name": "gone.pdf", "content": None}],
}
GEMINI = [
    {"header": "Search", "title": "Searched for essays", "time": "2023-11-15T10:00:00.000Z", "products": ["Search"]},
    {
        "header": "Gemini Apps",
        "title": "Prompted what should I read",
        "time": "2024-02-01T08:31:00.000Z",
        "products": ["Gemini Apps"],
        "safeHtmlItem": [{"html": "<p>Read <b>this</b>.</p>"}],
    },
    {
        "header": "Gemini Apps",
        "title": "Prompted hello",
        "time": "2024-02-01T08:30:00.000Z",
        "products": ["Gemini Apps"],
    },
    {"header": "Gemini Apps", "title": "Prompted later", "time": "2024-02-03T08:30:00Z", "products": ["Gemini Apps"]},
    {"header": "Gemini Apps", "title": "Prompted never", "time": "soon", "products": ["Gemini Apps"]},
]
MESSAGES = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "What is a heron?"}]},
    {"role": "assistant", "content": "A bird.", "name": "Guide"},
    {"role": "oracle", "content": "?"},
]
FILES: dict[str, Any] = {
    memory_list.MEM0: MEM0,
    memory_list.MEMORY_SERVICE: SERVICE,
    letta.NAME: LETTA,
    gemini_activity.NAME: GEMINI,
    message_list.NAME: MESSAGES,
}


def written(folder: Path, name: str, value: object) -> Path:
    path = folder / f"{name}.json"
    path.write_text(json.dumps(value), "utf-8")
    return path


@pytest.mark.parametrize("name", FILES)
def test_formats_are_known_by_their_content(tmp_path: Path, name: str) -> None:
    assert detect(written(tmp_path, name, FILES[name])) == name


def test_a_bare_list_of_memories_is_known(tmp_path: Path) -> None:
    assert detect(written(tmp_path, "a", MEM0["results"])) == memory_list.MEM0
    assert detect(written(tmp_path, "b", SERVICE["memories"])) == memory_list.MEMORY_SERVICE


def test_memories_of_mem0(tmp_path: Path) -> None:
    found = records(SPECS[memory_list.MEM0].read, written(tmp_path, "m", MEM0))
    first, second = only(found, MemoryRecord)
    assert (first.content, first.category, first.tags) == ("Likes to play cricket.", "hobbies", ("hobbies", "sport"))
    assert first.created_ms == 1_722_014_976_631
    assert first.attributes["user_id"] == "alice"
    assert second.content == "Loves badminton."
    assert [problem.place for problem in problems(found)] == ["m.json, memory 3"]


def test_memories_of_the_memory_service(tmp_path: Path) -> None:
    first, second = only(records(SPECS[memory_list.MEMORY_SERVICE].read, written(tmp_path, "m", SERVICE)), MemoryRecord)
    assert (first.category, first.tags, first.created_ms) == ("note", ("api", "ports"), 1_700_000_000_500)
    assert second.tags == ("ops", "rules")


def test_an_agent_file_of_letta(tmp_path: Path) -> None:
    found = records(letta.read, written(tmp_path, "sam", LETTA))
    notes = {record.title: record.content for record in only(found, MemoryRecord)}
    assert notes == {"Sam: human": "First name: Chad", "Sam: persona": "I am Sam.", "plan.txt": "Sail on Sunday."}
    messages = [record.message for record in only(found, MessageRecord)]
    assert [message.role for message in messages] == ["system", "user", "assistant", "tool"]
    assert messages[1].content == "Hello, I am Chad."
    assert messages[2].tool_calls == [{"name": "save", "arguments": '{"name": "Chad"}'}]
    assert messages[3].tool_name == "save"
    assert [problem.place for problem in problems(found)] == ["sam.json, file 'gone.pdf'"]


def test_an_older_agent_file_of_letta(tmp_path: Path) -> None:
    older = {
        "agent_type": "memgpt_agent",
        "name": "Old",
        "core_memory": [{"label": "human", "value": "Chad"}],
        "messages": [{"role": "user", "text": "Hello.", "created_at": "2025-01-01T00:00:00Z"}],
    }
    path = written(tmp_path, "old", older)
    assert detect(path) == letta.NAME
    found = records(letta.read, path)
    assert [record.content for record in only(found, MemoryRecord)] == ["Chad"]
    assert [record.message.content for record in only(found, MessageRecord)] == ["Hello."]


def test_gemini_of_takeout(tmp_path: Path) -> None:
    found = records(gemini_activity.read, written(tmp_path, "My Activity", GEMINI))
    assert [record.title for record in only(found, SessionRecord)] == ["Gemini, 2024-02-01", "Gemini, 2024-02-03"]
    said = [(record.message.role, record.message.content) for record in only(found, MessageRecord)]
    assert said == [
        ("user", "hello"),
        ("user", "what should I read"),
        ("assistant", "Read **this**."),
        ("user", "later"),
    ]
    lost = [problem for problem in problems(found) if problem.lost]
    assert [problem.place for problem in lost] == ["My Activity.json, entry 5"]


def test_a_list_of_messages(tmp_path: Path) -> None:
    found = records(message_list.read, written(tmp_path, "talk", MESSAGES))
    assert [record.title for record in only(found, SessionRecord)] == ["talk"]
    said = [(record.message.role, record.message.content) for record in only(found, MessageRecord)]
    assert said == [("system", "Be brief."), ("user", "What is a heron?"), ("assistant", "A bird.")]
    assert [problem.place for problem in problems(found)] == ["talk.json, message 4"]


def test_a_broken_agent_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "broken.af"
    path.write_text(json.dumps(LETTA)[:-40], "utf-8")
    assert detect(path) == letta.NAME
    with pytest.raises(FormatError, match="not valid JSON"):
        records(letta.read, path)


@pytest.mark.parametrize("name", FILES)
def test_a_second_import_adds_nothing(host: Host, tmp_path: Path, name: str) -> None:
    path = written(tmp_path, "file", FILES[name])
    expected = records(SPECS[name].read, path)
    first = host.ask("exchange.import", path=str(path))
    assert first.messages == len(only(expected, MessageRecord))
    assert first.memories == len(only(expected, MemoryRecord))
    assert first.sessions == len(only(expected, SessionRecord))
    again = host.ask("exchange.import", path=str(path))
    assert (again.messages, again.memories, again.sessions) == (0, 0, 0)


def _sending(arguments: Any, *more: dict[str, Any]) -> dict[str, Any]:
    call = {"id": "c1", "type": "function", "function": {"name": "send_message", "arguments": arguments}}
    messages = [
        {"id": "m1", "role": "user", "content": [{"type": "text", "text": "count the terns"}]},
        {
            "id": "m2",
            "role": "assistant",
            "content": [{"type": "reasoning", "reasoning": "the sandbank"}],
            "tool_calls": [call],
        },
        *more,
    ]
    return {"agents": [{"name": "Rosa", "block_ids": [], "messages": messages}], "blocks": []}


ANSWERS = ['{"status":"OK"}', '{"status": "OK", "message": "None", "time": "2026-01-01"}', '"OK"', ""]


@pytest.mark.parametrize(
    "arguments", ['{"message":"seven terns"}', {"message": "seven terns"}, '"{\\"message\\":\\"seven terns\\"}"']
)
@pytest.mark.parametrize("answer", ANSWERS)
def test_what_a_letta_agent_sends_is_what_it_says(tmp_path: Path, arguments: Any, answer: str) -> None:
    result = {"role": "tool", "content": [{"type": "text", "text": answer}], "tool_call_id": "c1"}
    beat = {"role": "user", "content": [{"type": "text", "text": '{"type": "heartbeat", "reason": "go on"}'}]}
    path = tmp_path / "agent.af"
    path.write_text(json.dumps(_sending(arguments, result, beat)))
    said = [(one.message.role, one.message.content) for one in only(records(letta.read, path), MessageRecord)]
    assert said == [
        ("user", "count the terns"),
        ("system", "the sandbank"),
        ("assistant", "seven terns"),
        ("system", "go on"),
    ]


def test_a_letta_tool_that_answers_more_is_kept(tmp_path: Path) -> None:
    result = {"role": "tool", "content": '{"status": "Failed", "message": "no such person"}', "tool_call_id": "c1"}
    path = tmp_path / "agent.af"
    path.write_text(json.dumps(_sending('{"message": "seven terns"}', result)))
    assert "no such person" in only(records(letta.read, path), MessageRecord)[-1].message.content


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("times", [1, 2])
def test_an_agent_file_within_a_json_string_is_read(tmp_path: Path, indent: int | None, times: int) -> None:
    value = json.dumps(LETTA, indent=indent)
    for _ in range(times):
        value = json.dumps(value)
    path = tmp_path / "agent.af"
    path.write_text(value)
    assert detect(path) == "letta"
    plain = tmp_path / "plain.af"
    plain.write_text(json.dumps(LETTA))
    assert len(records(letta.read, path)) == len(records(letta.read, plain)) > 1


RELATION = {"source": "ada", "relationship": "lives_in", "target": "york"}


@pytest.mark.parametrize(
    "graph",
    [
        {"relations": [RELATION]},
        {"relations": [{"source": "ada", "relation": "lives_in", "destination": "york", "source_type": "person"}]},
        {"relations": {"added_entities": [[RELATION]], "deleted_entities": []}},
    ],
)
def test_relations_of_mem0_become_relations(host: Host, tmp_path: Path, graph: dict[str, Any]) -> None:
    path = tmp_path / "mem0.json"
    path.write_text(json.dumps({"results": [{"id": "1", "memory": "Likes tea"}], **graph}))
    assert detect(path) == "mem0"
    for _ in range(2):
        assert host.ask("exchange.import", path=str(path)).lost == 0
    exported = tmp_path / "out.jsonl"
    host.ask("exchange.export", path=str(exported), format="jsonl")
    lines = [json.loads(line) for line in exported.read_text().splitlines()]
    assert {line["name"] for line in lines if line.get("type") == "entity"} >= {"ada", "york"}
    assert [line["predicate"] for line in lines if line.get("type") == "relation"] == ["lives in"]
