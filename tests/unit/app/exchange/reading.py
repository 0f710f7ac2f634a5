"""What the reader tests share: reading to the end, and small exports written to disk."""

import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import strategies as st

from app.exchange.model import MessageRecord, Record, SessionRecord
from app.memories.foreign_record import MemoryRecord, Problem

T = TypeVar("T")
Reader = Callable[[Path, Callable[[], bool]], Iterator[Record]]


def never() -> bool:
    return False


def records(reader: Reader, path: Path) -> list[Record]:
    return list(reader(path, never))


def only(found: list[Record], kind: type[T]) -> list[T]:
    return [record for record in found if isinstance(record, kind)]


def contents(found: list[Record]) -> list[str]:
    said = []
    for record in found:
        if isinstance(record, MessageRecord):
            said.append(record.message.content)
        elif isinstance(record, MemoryRecord):
            said.append(record.content)
    return said


def problems(found: list[Record]) -> list[Problem]:
    return only(found, Problem)


def sessions(found: list[Record]) -> list[SessionRecord]:
    return only(found, SessionRecord)


def messages(found: list[Record]) -> list[MessageRecord]:
    return only(found, MessageRecord)


def write_json(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def write_zip(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def chatgpt_talk(key: str, *said: str, **extra: Any) -> dict[str, Any]:
    mapping: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": ["m0"]}}
    for number, text in enumerate(said):
        mapping[f"m{number}"] = {
            "id": f"m{number}",
            "parent": f"m{number - 1}" if number else "root",
            "children": [f"m{number + 1}"] if number + 1 < len(said) else [],
            "message": chatgpt_message(text, "assistant" if number % 2 else "user", number),
        }
    talk = {"title": f"Talk {key}", "create_time": 1700000000.5, "mapping": mapping, "conversation_id": key}
    return {**talk, "current_node": f"m{len(said) - 1}", **extra}


def chatgpt_message(text: str, role: str = "user", second: int = 0, **extra: Any) -> dict[str, Any]:
    message = {
        "id": f"id-{second}",
        "author": {"role": role, "name": None},
        "create_time": 1700000001.0 + second,
        "content": {"content_type": "text", "parts": [text]},
        "recipient": "all",
        "metadata": {},
    }
    return {**message, **extra}


def claude_talk(key: str, *said: str, **extra: Any) -> dict[str, Any]:
    spoken = [
        {
            "uuid": f"{key}-{number}",
            "sender": "assistant" if number % 2 else "human",
            "text": text,
            "content": [{"type": "text", "text": text}],
            "created_at": f"2024-01-15T10:0{number}:00Z",
        }
        for number, text in enumerate(said)
    ]
    return {"uuid": key, "name": f"Talk {key}", "created_at": "2024-01-15T10:00:00Z", "chat_messages": spoken, **extra}


def foreign_values(*names: str) -> st.SearchStrategy[Any]:
    """Values of any shape that use the field names a reader looks for."""
    name = st.sampled_from(names)
    leaf = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8) | name
    return st.recursive(leaf, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(name, inner, max_size=6))
