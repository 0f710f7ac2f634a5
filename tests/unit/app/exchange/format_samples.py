"""Small samples of formats with fields, each text with words of its own."""

from typing import Any

AT = "2025-05-01T10:00:00Z"
STAMP = 1_746_093_600

Files = dict[str, Any]
"""Files of an export by name: a value for JSON, a tuple of values for JSON lines."""


def _chatgpt() -> Files:
    def node(name: str, parent: str | None, role: str, content: Any) -> dict[str, Any]:
        author = {"role": role, "name": None}
        message = {"id": name, "author": author, "create_time": STAMP, "content": content, "recipient": "all"}
        return {"id": name, "parent": parent, "children": [], "message": message}

    thoughts = {"content_type": "thoughts", "thoughts": [{"summary": "walnut plan", "content": "walnut cake thought"}]}
    quote = {
        "content_type": "tether_quote",
        "title": "quoted heron page",
        "text": "herons stand still",
        "url": "https://x.org",
    }
    mapping = {
        "a": node("a", None, "user", {"content_type": "text", "parts": ["quince jelly recipe"]}),
        "b": node("b", "a", "assistant", thoughts),
        "c": node("c", "b", "tool", quote),
        "d": node("d", "c", "assistant", {"content_type": "code", "language": "python", "text": "print medlar jam"}),
        "e": node("e", "d", "user", {"content_type": "multimodal_text", "parts": [{"text": "spoken curlew words"}]}),
    }
    talk = {"conversation_id": "g1", "title": "orchard talk today", "create_time": STAMP, "mapping": mapping}
    return {"conversations.json": [{**talk, "current_node": "e"}]}


def _claude() -> Files:
    blocks = [
        {"type": "thinking", "thinking": "weighing the plums"},
        {"type": "text", "text": "plums are ripe"},
        {"type": "tool_use", "id": "t1", "name": "search", "input": {"query": "price of plums"}},
        {
            "type": "tool_result",
            "tool_use_id": "t1",
            "name": "search",
            "content": [{"type": "text", "text": "two euros each"}],
        },
    ]
    attachment = {"file_name": "plum list.txt", "extracted_content": "plum sorts listed"}
    messages = [
        {"uuid": "m1", "sender": "human", "text": "which plums grow", "content": [], "attachments": [attachment]},
        {"uuid": "m2", "sender": "assistant", "text": "", "content": blocks, "created_at": AT},
    ]
    talk = {"uuid": "c1", "name": "plum talk here", "created_at": AT, "chat_messages": messages}
    return {"conversations.json": [talk]}


def _telegram() -> Files:
    pieces = ["see the ", {"type": "bold", "text": "grey heron"}, " now"]
    messages = [
        {"id": 1, "type": "message", "date": AT, "from": "Ana Lima", "from_id": "user1", "text": "the quince is ripe"},
        {"id": 2, "type": "message", "date": AT, "from": "Ben Reed", "from_id": "user2", "text": pieces},
        {
            "id": 3,
            "type": "service",
            "date": AT,
            "actor": "Ana Lima",
            "action": "create_group",
            "title": "orchard group one",
        },
    ]
    return {"result.json": {"name": "orchard chat room", "type": "private_group", "id": 7, "messages": messages}}


def _slack() -> Files:
    attachment = {"title": "attached kestrel title", "text": "attached kestrel text", "pretext": "before the kestrel"}
    said = [
        {"type": "message", "user": "U1", "text": "the medlar jam", "ts": "1746093600.000100"},
        {
            "type": "message",
            "user": "U1",
            "text": "look here please",
            "ts": "1746093601.0001",
            "attachments": [attachment],
        },
        {
            "type": "message",
            "user": "U1",
            "text": "",
            "ts": "1746093602.0001",
            "files": [{"title": "curlew photo large"}],
        },
    ]
    channel = {"id": "C1", "name": "general", "topic": {"value": "topic of birds"}, "members": ["U1"]}
    user = {"id": "U1", "name": "ana", "profile": {"real_name": "Ana Lima"}}
    return {"channels.json": [channel], "users.json": [user], "general/2025-05-01.json": said}


def _discord() -> Files:
    author = {"id": "1", "name": "ana", "nickname": "Ana Lima"}
    embed = {"title": "embedded owl title", "description": "embedded owl words"}
    messages = [
        {
            "id": "1",
            "type": "Default",
            "timestamp": AT,
            "content": "owls at night",
            "author": author,
            "embeds": [embed],
        },
        {"id": "2", "type": "Default", "timestamp": AT, "content": "two owls there", "author": author},
    ]
    channel = {"id": "2", "name": "owl room", "topic": "all about owls"}
    return {"owls.json": {"guild": {"id": "3", "name": "bird guild"}, "channel": channel, "messages": messages}}


def _signal() -> Files:
    quote = {"text": "earlier words quoted"}
    first = {
        "date": AT,
        "sender": "Ana Lima",
        "body": "the wren is small",
        "quote": quote,
        "sticker": "",
        "reactions": [],
    }
    second = {"date": AT, "sender": "Ben Reed", "body": "and quite loud", "quote": "", "sticker": "", "reactions": []}
    return {"chat.json": (first, second)}


def _messenger() -> Files:
    messages = [
        {"sender_name": "Ana Lima", "timestamp_ms": STAMP * 1000, "content": "rooks in the elm"},
        {"sender_name": "Ben Reed", "timestamp_ms": STAMP * 1000 + 1, "content": "many rooks indeed"},
    ]
    people = [{"name": "Ana Lima"}, {"name": "Ben Reed"}]
    return {"message_1.json": {"participants": people, "messages": messages, "title": "rook talk now"}}


def _claude_code() -> Files:
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "list the finches"}}
    answer = {"type": "tool_result", "tool_use_id": "t1", "content": "seven finches found"}
    head = {"sessionId": "s1", "timestamp": AT}
    thinking = {"type": "thinking", "thinking": "pondering the finches"}
    said = [thinking, {"type": "text", "text": "looking for finches"}, call]
    return {
        "s1.jsonl": (
            {"type": "summary", "summary": "finch work session", "leafUuid": "u1"},
            {**head, "type": "user", "uuid": "u1", "message": {"role": "user", "content": "count the finches"}},
            {**head, "type": "assistant", "uuid": "u2", "message": {"role": "assistant", "content": said}},
            {**head, "type": "user", "uuid": "u3", "message": {"role": "user", "content": [answer]}},
            {**head, "type": "system", "uuid": "u4", "subtype": "info", "content": "the context is nearly full"},
        )
    }


def _codex() -> Files:
    def item(**payload: Any) -> dict[str, Any]:
        return {"timestamp": AT, "type": "response_item", "payload": payload}

    summary = [{"type": "summary_text", "text": "thinking of puffins"}]
    return {
        "rollout-1.jsonl": (
            {"timestamp": AT, "type": "session_meta", "payload": {"id": "c1", "cwd": "/x"}},
            item(type="message", role="user", content=[{"type": "input_text", "text": "list the puffins"}]),
            item(type="reasoning", summary=summary),
            item(type="function_call", name="shell", call_id="f1", arguments='{"command": "find all puffins"}'),
            item(type="function_call_output", call_id="f1", output="nine puffins there"),
            item(type="message", role="assistant", content=[{"type": "output_text", "text": "nine of them"}]),
        )
    }


def _gemini() -> Files:
    call = {
        "id": "k1",
        "name": "grep",
        "args": {"pattern": "tern colony count"},
        "status": "success",
        "result": "ten tern nests",
    }
    thought = {"subject": "tern subject line", "description": "tern thought words"}
    messages = [
        {"id": "1", "type": "user", "timestamp": AT, "content": "where are terns"},
        {
            "id": "2",
            "type": "gemini",
            "timestamp": AT,
            "content": "on the sandbank",
            "thoughts": [thought],
            "toolCalls": [call],
        },
    ]
    return {"session-1.json": {"sessionId": "g1", "projectHash": "x", "startTime": AT, "messages": messages}}


def _cursor() -> Files:
    tool = {
        "name": "read",
        "toolCallId": "t1",
        "rawArgs": '{"target": "swift nest list"}',
        "result": "four swift nests",
    }
    bubbles = [
        {"bubbleId": "b1", "type": 1, "text": "count the swifts"},
        {"bubbleId": "b2", "type": 2, "text": "there are four", "thinking": {"text": "swift thoughts here"}},
        {"bubbleId": "b3", "type": 2, "text": "", "toolFormerData": tool},
    ]
    return {
        "composer.json": [
            {"composerId": "x1", "name": "swift work now", "createdAt": STAMP * 1000, "conversation": bubbles}
        ]
    }


def _messages() -> Files:
    call = {"id": "t1", "type": "function", "function": {"name": "find", "arguments": '{"query": "robin song type"}'}}
    return {
        "talk.json": [
            {"role": "user", "content": "hear the robin", "created_at": AT},
            {
                "role": "assistant",
                "content": [{"type": "text", "text": "it sings well"}],
                "tool_calls": [call],
                "created_at": AT,
            },
        ]
    }


def _mem0() -> Files:
    one = {
        "id": "1",
        "memory": "likes green pears",
        "categories": ["fruit taste"],
        "metadata": {"note": "said at breakfast"},
    }
    return {"mem0.json": {"results": [one, {"id": "2", "memory": "lives near water"}]}}


def _memory_service() -> Files:
    one = {
        "content": "likes ripe apples",
        "content_hash": "x",
        "tags": ["apple talk"],
        "memory_type": "note",
        "created_at": STAMP,
    }
    return {"memories.json": {"memories": [one, {"content": "keeps two hens", "content_hash": "y"}]}}


def _takeout() -> Files:
    html = [{"html": "<p>the <b>swans</b> swim slowly</p>"}]
    entry = {"header": "Gemini Apps", "title": "Prompted what do swans do", "time": AT, "products": ["Gemini Apps"]}
    return {"MyActivity.json": [{**entry, "safeHtmlItem": html}]}


def _keepsake() -> Files:
    return {
        "export.jsonl": (
            {"type": "session", "id": "s1", "title": "duck pond talk", "agent": "Claude", "created_at": AT},
            {
                "type": "message",
                "session": "s1",
                "role": "user",
                "author": "Ana Lima",
                "content": "feed the ducks",
                "seq": 1,
            },
            {
                "type": "memory",
                "id": "n1",
                "kind": "note",
                "title": "duck note title",
                "content": "ducks eat oats",
                "tags": ["pond"],
            },
            {
                "type": "session_summary",
                "session": "s1",
                "agent": "x",
                "summary": "summary of ducks",
                "created_at": AT,
                "updated_at": AT,
            },
        )
    }


def _memory_file() -> Files:
    return {
        "memory.jsonl": (
            {"type": "entity", "name": "Ana Lima", "entityType": "person", "observations": ["keeps two goats"]},
            {"type": "entity", "name": "Ben Reed", "entityType": "person", "observations": ["milks the goats"]},
            {"type": "relation", "from": "Ana Lima", "to": "Ben Reed", "relationType": "works with"},
        )
    }


def _letta() -> Files:
    parts = [{"type": "text", "text": "how many geese"}]
    messages = [
        {"id": "m1", "role": "user", "content": parts, "created_at": AT},
        {"id": "m2", "role": "assistant", "content": [{"type": "text", "text": "twelve geese came"}], "created_at": AT},
    ]
    block = {"id": "b1", "label": "human", "value": "likes the geese", "description": "about the person"}
    agent = {
        "id": "a1",
        "name": "goose agent",
        "block_ids": ["b1"],
        "messages": messages,
        "in_context_message_ids": ["m1"],
    }
    return {"agent.af": {"agents": [agent], "blocks": [block], "files": []}}


SAMPLES: dict[str, Files] = {
    "chatgpt": _chatgpt(),
    "claude": _claude(),
    "telegram": _telegram(),
    "slack": _slack(),
    "discord": _discord(),
    "signal": _signal(),
    "messenger": _messenger(),
    "claude-code": _claude_code(),
    "codex": _codex(),
    "gemini": _gemini(),
    "cursor": _cursor(),
    "messages": _messages(),
    "mem0": _mem0(),
    "mcp-memory-service": _memory_service(),
    "gemini-takeout": _takeout(),
    "keepsake": _keepsake(),
    "mcp-memory": _memory_file(),
    "letta": _letta(),
}
