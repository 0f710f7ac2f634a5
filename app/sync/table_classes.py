"""Classes of the vault's tables: shared, this machine's own, or derived.

What is shared may travel to a person's other machines; nothing else ever does. A table's columns are all of one class,
or each is named with its own. A class says what may travel, not that every row does: of ``entities`` only those that a
person touched do, for the others come of names in texts.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Final

from app.errors import InternalError
from app.sentence import Sentence


class TableClass(Enum):
    """Class of a table or column."""

    SHARED = "shared"
    """The same on all machines, once each has heard of all changes."""
    DEVICE = "device"
    """This machine's own: it never travels."""
    DERIVED = "derived"
    """Made here of what is shared: it never travels, and can be made again."""


_SHARED, _DEVICE, _DERIVED = TableClass.SHARED, TableClass.DEVICE, TableClass.DERIVED


def _columns(*, shared: str = "", device: str = "", derived: str = "") -> dict[str, TableClass]:
    found: dict[str, TableClass] = {}
    for kind, columns in ((_SHARED, shared), (_DEVICE, device), (_DERIVED, derived)):
        for column in columns.split():
            if found.setdefault(column, kind) is not kind:
                raise InternalError(Sentence("The column {column} has two classes.", column=column))
    return found


TABLE_CLASSES: Final[Mapping[str, TableClass | Mapping[str, TableClass]]] = {
    # The history. An entry is named by lane and number; ids are handles of this machine, and that an entry is undone
    # is said by the entry that undid it.
    "memory_history": _columns(
        shared="target_kind target event before after actor run_id at lane n hlc undoes_lane undoes_n",
        device="id",
        derived="undone_by",
    ),
    "lanes": _columns(shared="lane n hlc", device="number sealed is_own began_at shared_n digest was_own"),
    "lane_knowledge": _SHARED,
    "message_batches": _columns(shared="lane n hlc at", device="first_rowid last_rowid"),
    "erasures": _SHARED,
    # Conversations. A turn is named by conversation, lane and number; the number itself is local, in order of arrival.
    "sessions": _columns(
        shared="id title agent channel trust created_at first_seen forgotten_at attributes",
        device="rowid consolidated_at",
        derived="preview message_count updated_at",
    ),
    "session_aliases": _SHARED,
    "session_moves": _DERIVED,
    "session_state": _columns(
        shared="session_id summary",
        # The working memory of an agent is that of the machine where it works.
        device="last_seq passage_seq captured_seq consolidated_seq summary_upper_seq summary_epoch scratchpad"
        " updated_at",
    ),
    # Each machine makes its own of the turns that all have.
    "session_summaries": _DEVICE,
    "messages": _columns(
        shared="session_id role author content tool_call_id tool_name tool_calls payload importance created_at origin"
        " origin_seq",
        device="rowid seq embedding_error",
        derived="tokens",
    ),
    "withheld_messages": _columns(
        shared="session_id writer role author content tool_call_id tool_name tool_calls payload importance created_at"
        " origin origin_seq",
        device="id seq",
        derived="was_preview tokens",
    ),
    "turn_writers": _DEVICE,
    # Memories. What a machine counts of their use is its own. So is what time took of a confidence, until somebody
    # changes the fact: then the confidence travels as it stood there.
    "memories": _columns(
        shared="id kind title content facts category key type store source session_id confidence decay_rate pinned"
        " event_time created_at updated_at valid_until expires_at superseded_by schema_version attributes files people"
        " decayed_at",
        device="rowid access_count last_accessed mention_count version",
        derived="title_key tokens content_hash",
    ),
    "memory_tags": _SHARED,
    "memory_links": _DERIVED,
    "memory_sources": _SHARED,
    "memory_archive": _SHARED,
    "confidence_runs": _DEVICE,
    "confidence_changes": _DEVICE,
    # Names: where a person stepped in, and where they were found.
    "entities": _columns(
        shared="id canonical_name name_key type summary protected touched created_at updated_at merged_into attributes",
        device="rowid position_x position_y position_pinned",
        derived="mention_count",
    ),
    "entity_aliases": _SHARED,
    "entity_claims": _SHARED,
    "relations": _SHARED,
    "mentions": _DERIVED,
    "pending_mentions": _DERIVED,
    "enriched_texts": _DEVICE,
    "graph_positions": _DEVICE,
    "co_occurrences": _DERIVED,
    # What waits for the person waits where it was proposed, and so does what the person said no to. What a yes changed
    # is shared as the change that it is.
    "inbox": _DEVICE,
    "inbox_rules": _columns(shared="agent kind action", device="id created_at"),
    "proposed_merges": _DEVICE,
    "judgements": _DEVICE,
    "saved_searches": _columns(shared="id name query created_at deleted_at", device="position"),
    # Agents: a token opens the vault of the machine that gave it out, and so does the trust that goes with it.
    "agents": _DEVICE,
    "access_requests": _DEVICE,
    "audit": _DEVICE,
    "audit_items": _DEVICE,
    "audit_names": _DEVICE,
    "write_receipts": _DEVICE,
    "model_usage": _DEVICE,
    # Schedules: what is planned is shared, when each machine ran it is not.
    "schedules": _columns(
        shared="schedule_id user_id name goal cadence_json notification_policy status created_at updated_at channel_id"
        " channel_context_id deleted_at",
        device="next_run_at last_run_at last_run_status consecutive_failures",
    ),
    "schedule_goals": _SHARED,
    "schedule_runs": _DEVICE,
    "schedule_claims": _DEVICE,
    "schedule_notes": _DEVICE,
    # Files of this machine, and what was read of them.
    "files": _DEVICE,
    "transcript_files": _DEVICE,
    "mirrored_notes": _DEVICE,
    # The index, and what else is made of the texts.
    "chunks": _DERIVED,
    "chunk_texts": _DERIVED,
    "chunks_fts": _DERIVED,
    "chunk_lengths": _DERIVED,
    "pending_vectors": _DERIVED,
    "generations": _DEVICE,
    "meta": _DEVICE,
}
"""The class of each table, view and virtual table, or of each of its columns.

Left out are SQLite's own tables, those that a virtual table keeps for itself, and those of vectors, which come and go
with their models and are derived.
"""
