"""Indexer: updates the chunks of messages and memories in the transaction that changes them."""

from collections.abc import Iterable, Sequence

import apsw

from app.core.clock import to_ms
from app.core.item_batches import batched
from app.index import long_memories, repo, session_reindex
from app.index.chunking import TextPiece, pieces
from app.index.searchable_text import MAX_CHUNK_CHARACTERS, index_entries, memory_text, message_text
from app.memories.model import Memory
from app.sessions.model import Message
from app.sessions.repo import all_messages

_BATCH = 500
_LONGEST_PARTED = 262_144  # bytes


class Indexer:
    """Listener of changes to sessions and memories; implements the protocols of both."""

    def messages_stored(self, connection: apsw.Connection, messages: Sequence[Message]) -> None:
        """Index messages that were just inserted, one chunk each."""
        repo.insert_chunks(connection, [_of_message(message) for message in messages if _has_words(message)])

    def session_forgotten(self, connection: apsw.Connection, session_id: str) -> None:
        """Hide a session, whose chunks are deleted in the background after a grace period.

        Those of a short session are deleted at once if very many are hidden.
        """
        if session_reindex.can_hide(connection) or session_reindex.is_moved_in_steps(connection, session_id):
            session_reindex.hide(connection, session_id)
            return
        repo.delete_of_session(connection, session_id)
        # Passages are marked complete, so that no work remains for a session that is not in the index.
        repo.note_passages(connection, session_id, None)

    def session_restored(self, connection: apsw.Connection, session_id: str) -> None:
        """Index all messages of a session again, or show a hidden session.

        Passages, vectors and long sessions follow in the background.
        """
        if session_reindex.show(connection, session_id):
            return
        if session_reindex.is_moved_in_steps(connection, session_id):
            session_reindex.begin(connection, session_id, is_leaving=False)
            return
        repo.reset_passages(connection, session_id)
        for batch in batched(all_messages(connection, session_id), _BATCH):
            self.messages_stored(connection, batch)

    def messages_of_forgotten(self, connection: apsw.Connection, messages: Sequence[Message]) -> None:
        """Index messages that came to a forgotten session which is only hidden."""
        if messages and session_reindex.is_hidden(connection, messages[0].session_id):
            self.messages_stored(connection, messages)

    def messages_withheld(self, connection: apsw.Connection, session_id: str, ranges: Iterable[Sequence[int]]) -> None:
        """Delete the chunks of some messages; the session's passages are built anew."""
        for first, last in ranges:
            which = "session_id = ? AND kind = 'message' AND seq_start BETWEEN ? AND ?"
            repo.delete_chunks(connection, which, (session_id, first, last))
        _build_passages_anew(connection, session_id)

    def messages_returned(self, connection: apsw.Connection, session_id: str, messages: Sequence[Message]) -> None:
        """Index messages that came back; the session's passages are built anew."""
        _build_passages_anew(connection, session_id)
        self.messages_stored(connection, messages)

    def memory_stored(self, connection: apsw.Connection, memory: Memory) -> None:
        """Index a memory in place of its previous chunks.

        Most of a long one is indexed in the background.
        """
        if long_memories.is_long(connection, memory):
            long_memories.begin(connection, memory, _of_piece)
            return
        self._drop(connection, memory.id)
        repo.insert_chunks(connection, list(_of_memory(memory)))

    def long_memory_prepared(self, connection: apsw.Connection) -> long_memories.Prepared | None:
        """Return the missing chunks of a long memory."""
        return long_memories.prepare(connection, _of_piece)

    def memory_removed(self, connection: apsw.Connection, memory_id: str) -> None:
        """Delete a memory's chunks and vectors.

        A memory with many chunks is hidden, and its chunks are deleted in the background.
        """
        if long_memories.has_many_chunks(connection, memory_id):
            long_memories.begin_removal(connection, memory_id)
            return
        self._drop(connection, memory_id)

    @staticmethod
    def _drop(connection: apsw.Connection, memory_id: str) -> None:
        long_memories.forget(connection, memory_id)
        repo.delete_of_memory(connection, memory_id)


def _build_passages_anew(connection: apsw.Connection, session_id: str) -> None:
    repo.delete_chunks(connection, "session_id = ? AND kind = 'passage'", (session_id,))
    repo.reset_passages(connection, session_id)


def _has_words(message: Message) -> bool:
    # A message that only repeats text from Keepsake gets an empty chunk: it is listed, but no search finds it.
    return bool(message.content.strip() or message.tool_calls)


def _of_message(message: Message) -> repo.Chunk:
    text = message_text(message)[:MAX_CHUNK_CHARACTERS]
    return repo.Chunk(
        kind="message",
        text=text,
        grams=index_entries(text),
        created_at=to_ms(message.created_at),
        session_id=message.session_id,
        seq_start=message.seq,
        seq_end=message.seq,
        role=message.role,
    )


def _of_memory(memory: Memory) -> Iterable[repo.Chunk]:
    return (_of_piece(memory, number, piece) for number, piece in enumerate(pieces(memory_text(memory))))


def _of_piece(memory: Memory, number: int, piece: TextPiece) -> repo.Chunk:
    # The title precedes each piece, so that every part of a long note is found by its title.
    body = piece.text if number == 0 or not memory.title else f"{memory.title}\n{piece.text}"
    start, length = _part_of_content(memory, body)
    return repo.Chunk(
        kind="memory",
        text=body,
        grams=index_entries(body),
        created_at=to_ms(memory.said_at or memory.updated_at),
        memory_id=memory.id,
        session_id=memory.session_id,
        seq_start=number,
        seq_end=number,
        store=memory.store,
        role=memory.kind,
        content_start=start,
        content_length=length,
    )


def _part_of_content(memory: Memory, text: str) -> tuple[int, int] | tuple[None, None]:
    """Return which part of the content ``text`` is after the title, if it is one.

    Reading a part reads all before it, so very long contents are left out.
    """
    head = f"{memory.title}\n" if memory.title else ""
    start = memory.content.find(text[len(head) :]) if text.startswith(head) else -1
    if start < 0 or _octets(memory.content) > _LONGEST_PARTED:
        return None, None
    return _octets(memory.content[:start]) + 1, _octets(text[len(head) :])


def _octets(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())
