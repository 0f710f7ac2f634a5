from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core.clock import optional_datetime, to_ms
from app.core.stores import STORES
from app.core.text_rules.tag_names import normalise_tags
from app.exchange.formats.own.keepsake import read
from app.exchange.formats.own.keepsake_writer import JsonlWriter
from app.memories.archive.model import Archived
from app.memories.foreign_record import MemoryRecord
from app.memories.model import KINDS, SOURCE_KINDS, Memory, Source
from app.sessions.model import Message, Session
from tests.unit.app.exchange.reading import messages, only, problems, records, sessions

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=60)
WORD = TEXT.filter(bool)
MOMENT = st.integers(0, 4_000_000_000_000).map(optional_datetime)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 60), 1 << 60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
OBJECT = st.dictionaries(TEXT, JSON, max_size=4)
SHARE = st.floats(0, 1)
SESSIONS = st.builds(
    Session,
    id=WORD,
    title=TEXT,
    agent=TEXT,
    channel=TEXT,
    created_at=MOMENT,
    updated_at=MOMENT,
    message_count=st.integers(0, 9),
    consolidated_at=st.none() | MOMENT,
    attributes=OBJECT,
)
MESSAGES = st.builds(
    Message,
    session_id=st.just("s"),
    seq=st.just(1),
    role=st.sampled_from(["user", "assistant", "tool", "system"]),
    author=TEXT,
    content=TEXT,
    created_at=MOMENT,
    importance=SHARE,
    tokens=st.integers(0, 9),
    tool_call_id=st.none() | TEXT,
    tool_name=st.none() | TEXT,
    tool_calls=st.none() | st.lists(OBJECT, max_size=2),
    payload=st.none() | OBJECT,
)
MEMORIES = st.builds(
    Memory,
    id=WORD,
    kind=st.sampled_from(KINDS),
    title=TEXT,
    content=TEXT,
    store=st.sampled_from(STORES),
    source=TEXT,
    created_at=MOMENT,
    updated_at=MOMENT,
    tags=st.lists(TEXT, max_size=4).map(normalise_tags),
    facts=st.lists(TEXT, max_size=3).map(tuple),
    category=TEXT,
    key=TEXT,
    type=TEXT,
    session_id=st.none() | TEXT,
    confidence=SHARE,
    decay_rate=st.floats(0, 10),
    mention_count=st.integers(1, 1000),
    pinned=st.booleans(),
    event_time=st.none() | MOMENT,
    expires_at=st.none() | MOMENT,
    superseded_by=st.none() | TEXT,
    deleted_at=st.none() | MOMENT,
    attributes=OBJECT,
    files=st.lists(TEXT, max_size=3).map(tuple),
    people=st.lists(TEXT, max_size=3).map(tuple),
    sources=st.lists(st.builds(Source, st.sampled_from(SOURCE_KINDS), WORD), max_size=3).map(tuple),
    access_count=st.integers(0, 1000),
    last_accessed=st.none() | MOMENT,
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("written") / "export.jsonl"


def ms(when: datetime | None) -> int | None:
    return None if when is None else to_ms(when)


def written(path: Path, **values: Any) -> Path:
    stream = BytesIO()
    writer = JsonlWriter(stream)
    for method, value in values.items():
        getattr(writer, method)(value)
    path.write_bytes(stream.getvalue())
    assert writer.bytes == len(stream.getvalue())
    return path


same_file = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@same_file
@given(session=SESSIONS)
def test_a_session_comes_back(path: Path, session: Session) -> None:
    found = records(read, written(path, session=session))
    (head,) = sessions(found)
    assert not problems(found)
    assert head.key == session.id
    assert (head.title, head.agent, head.channel) == (session.title, session.agent, session.channel)
    times = (head.created_ms, head.updated_ms, head.consolidated_ms)
    assert times == (ms(session.created_at), ms(session.updated_at), ms(session.consolidated_at))
    assert head.attributes == session.attributes


@same_file
@given(message=MESSAGES)
def test_a_turn_comes_back(path: Path, message: Message) -> None:
    found = records(read, written(path, message=message))
    (record,) = messages(found)
    assert not problems(found)
    assert record.session_key == message.session_id
    assert {name: getattr(record.message, name) for name in record.message.__slots__} == {
        name: getattr(message, name) for name in record.message.__slots__
    }


@same_file
@given(memory=MEMORIES)
def test_a_memory_comes_back(path: Path, memory: Memory) -> None:
    found = records(read, written(path, memory=memory))
    archived = records(read, written(path, archived=Archived(memory, memory.created_at, memory.title)))
    (record,) = only(found, MemoryRecord)
    assert not problems(found)
    assert record == MemoryRecord(
        key=memory.id,
        content=memory.content,
        kind=memory.kind,
        title=memory.title,
        tags=memory.tags,
        store=memory.store,
        category=memory.category,
        fact_key=memory.key,
        created_ms=ms(memory.created_at),
        updated_ms=ms(memory.updated_at),
        facts=memory.facts,
        type=memory.type,
        source=memory.source,
        session_key=memory.session_id,
        confidence=memory.confidence,
        decay_rate=memory.decay_rate,
        mention_count=memory.mention_count,
        pinned=memory.pinned,
        event_ms=ms(memory.event_time),
        expires_ms=ms(memory.expires_at),
        deleted_ms=ms(memory.deleted_at),
        superseded_by=memory.superseded_by,
        attributes=memory.attributes,
        files=memory.files,
        people=memory.people,
        sources=memory.sources,
        access_count=memory.access_count,
        accessed_ms=ms(memory.last_accessed),
        keeps_id=True,
    )
    at_ms = ms(memory.created_at)
    assert only(archived, MemoryRecord) == [replace(record, archived_ms=at_ms, archive_reason=memory.title)]


def test_what_is_no_json_of_its_own_is_still_written(path: Path) -> None:
    now = datetime(2024, 1, 31, tzinfo=UTC)
    payload = {"surrogate": "\ud800", "when": now, "huge": float("inf")}
    message = Message("s", 1, "user", "", "Hi", now, 0.5, 1, payload=payload)
    (record,) = messages(records(read, written(path, message=message)))
    assert record.message.payload == {"surrogate": "\ufffd", "when": str(now), "huge": None}
