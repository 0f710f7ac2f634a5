"""Passage builder: adds passages of new messages to the index, some at a time."""

from typing import Final

import apsw

from app.core.clock import to_ms
from app.core.text import content_hash
from app.index import repo
from app.index.chunking import Passage, PassageLine, passages
from app.index.model import StepSize
from app.index.passage_dedup import insert_passages
from app.index.searchable_text import MAX_CHUNK_CHARACTERS, index_entries, message_text
from app.sessions.repo import messages_between

_SESSIONS_A_STEP: Final = 100
_MESSAGES_A_STEP: Final = 400
_BEYOND: Final = 1 << 62


def build_passages(connection: apsw.Connection) -> StepSize:
    """Add the passages of some messages that have none."""
    sessions = repo.sessions_without_passages(connection, _SESSIONS_A_STEP)
    budget = _MESSAGES_A_STEP
    for session_id, covered in sessions:
        budget -= _extend_passages(connection, session_id, covered, budget)
        if budget <= 0:
            return StepSize.PART
    return StepSize.PART if len(sessions) == _SESSIONS_A_STEP else StepSize.REST if sessions else StepSize.NOTHING


def _extend_passages(connection: apsw.Connection, session_id: str, covered: int, limit: int) -> int:
    """Extend a session's passages by at most ``limit`` messages after ``covered``; return their number."""
    repo.delete_last_passage(connection, session_id)
    before = repo.last_passage(connection, session_id)
    last = None if before is None else Passage(*before)
    after = last.seq_end if last is not None else -_BEYOND
    fresh = messages_between(connection, session_id, after=covered, before=_BEYOND, limit=limit)
    dropped = messages_between(connection, session_id, after=after, before=covered + 1, limit=_BEYOND)
    messages = [*dropped, *fresh]
    lines = [
        PassageLine(m.seq, m.author or m.role, message_text(m)[:MAX_CHUNK_CHARACTERS], to_ms(m.created_at))
        for m in messages
    ]
    answers = {m.seq for m in messages if m.role == "tool"}
    chunks = [
        repo.Chunk(
            kind="passage",
            text=passage.text,
            grams=index_entries(passage.text),
            content_hash=content_hash(passage.text),
            created_at=passage.created_ms,
            session_id=session_id,
            seq_start=passage.seq_start,
            seq_end=passage.seq_end,
            role="tool" if passage.seq_start == passage.seq_end and passage.seq_start in answers else "",
        )
        for passage in passages(lines, after=last)
    ]
    insert_passages(connection, chunks)
    repo.note_passages(connection, session_id, fresh[-1].seq if fresh else None)
    return len(fresh)
