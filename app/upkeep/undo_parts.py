"""Parts of undo: single entries, runs, the list of acts, and an agent's quarantine."""

from dataclasses import dataclass
from functools import partial

from app.entities.enrichment import repo as enrichment_repo
from app.entities.entity_state import EntityApplier
from app.history.acts.reader import ActReader
from app.history.acts.service import ActService
from app.history.bulk_undo import BulkUndo
from app.history.run_changes import RunReader
from app.history.run_undo import RunUndo, RunUndoer
from app.history.undo import StateApplier, UndoService
from app.inbox.proposal_history import ProposalApplier
from app.inbox.rule_history import RULE_HISTORY
from app.index.indexer import Indexer
from app.memories.decay import confidence_repo
from app.memories.decay.confidence_undo import ConfidenceUndo
from app.memories.history_applier import MemoryApplier
from app.memories.unit_of_work import MemoryUnitOfWork
from app.quarantine.service import QuarantineService
from app.retrieval.saved.saved_search_applier import SavedSearchApplier
from app.runtime import Runtime
from app.schedule.schedule_applier import ScheduleApplier
from app.sessions.parts import SessionParts
from app.sessions.session_applier import SessionApplier
from app.sync.folding.row_inverter import RowInverter


@dataclass(frozen=True, slots=True)
class UndoParts:
    """Parts of undo.

    Args:
        entries: Undoes and restores single changes.
        runs: Undoes all that one run changed.
        run_reader: Lists what a run changed.
        acts: What was done, as the person sees it, and its undoing.
        quarantine: Withdraws what an agent wrote.
    """

    entries: UndoService
    runs: RunUndo
    run_reader: RunReader
    acts: ActService
    quarantine: QuarantineService


def build(runtime: Runtime, indexer: Indexer, sessions: SessionParts, *undoers: RunUndoer) -> UndoParts:
    """Build the parts of undo.

    Args:
        runtime: What all parts share.
        indexer: Indexes what comes back.
        sessions: The conversations.
        undoers: Take back what runs changed beside the history.
    """
    store, clock = runtime.store, runtime.clock
    appliers: dict[str, StateApplier] = {
        "session": SessionApplier(indexer),
        "memory": MemoryApplier(indexer),
        "entity": EntityApplier(),
        "proposal": ProposalApplier(partial(runtime.config.whole, "inbox.days")),
        "schedule": ScheduleApplier(),
        "saved_search": SavedSearchApplier(),
        "inbox_rule": RULE_HISTORY,
    }
    entries, confidence = UndoService(store, appliers, clock, RowInverter()), ConfidenceUndo(store, clock)
    bulk = BulkUndo(store, entries)
    quarantine = QuarantineService(store, entries, bulk, MemoryUnitOfWork(store, indexer, clock), sessions, clock)
    runs = RunUndo(store, entries, bulk, (confidence.undo, *undoers, quarantine.undo_withdrawal))
    reader = ActReader(entries, (confidence_repo.standing_runs, enrichment_repo.standing_runs))
    acts = ActService(store, reader, entries, runs, runtime.publish)
    return UndoParts(entries, runs, RunReader(store, confidence.changes), acts, quarantine)
