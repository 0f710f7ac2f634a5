"""Parts of imports and exports."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from app.agents.incognito import IncognitoSwitch
from app.attachments.service import AttachmentService
from app.core.access import Access
from app.entities.model import GraphFilter, GraphView
from app.entities.queries.entity_queries import EntityQueries
from app.exchange.capsule_keys import CapsuleKeys
from app.exchange.exporting.vault_source import VaultSource
from app.exchange.importing.imported_files import ImportedFiles
from app.exchange.importing.imported_sessions import ImportedSessions
from app.exchange.importing.known_records import KnownRecords
from app.exchange.importing.unfinished_imports import UnfinishedImports
from app.exchange.importing.vault_sink import VaultSink
from app.exchange.mirror.note_folder import NoteFolderWatch
from app.exchange.mirror.note_mirror import NoteMirror
from app.exchange.parsing import temporary_copies
from app.exchange.service import ExchangeService
from app.exchange.transcripts.parts import CaptureParts
from app.index.indexer import Indexer
from app.memories.parts import MemoryParts
from app.part import BackgroundTask, Part
from app.runtime import Runtime
from app.sessions.service import SessionService

MAX_EXPORTED_NAMES: Final = 20_000


@dataclass(frozen=True, slots=True)
class ExchangeParts(Part):
    """Parts of imports and exports.

    Args:
        service: Imports and exports.
        capsule_keys: Keys of those whose capsules were imported.
        unfinished_imports: Imports that were cut off.
        imported_files: Takes back the files that imports brought.
    """

    service: ExchangeService
    capsule_keys: CapsuleKeys
    unfinished_imports: UnfinishedImports
    imported_files: ImportedFiles

    def tasks(self) -> Sequence[BackgroundTask]:
        """Return what follows from imports that were cut off."""
        return (
            BackgroundTask("import-copies", partial(asyncio.to_thread, temporary_copies.remove_abandoned)),
            BackgroundTask("unfinished-imports", self.unfinished_imports.load, is_reading=True),
            BackgroundTask("imported-files", self.imported_files.settle),
        )

    @property
    def failures(self) -> Sequence[str]:
        """Sentences about imports that were cut off."""
        return self.unfinished_imports.failures


def build(
    runtime: Runtime,
    indexer: Indexer,
    sessions: SessionService,
    memories: MemoryParts,
    entities: EntityQueries,
    capture: CaptureParts,
    attachments: AttachmentService,
) -> ExchangeParts:
    """Build the parts of imports and exports.

    Args:
        runtime: What all parts share.
        indexer: Indexes what an import brings.
        sessions: Stores imported conversations.
        memories: The durable memories.
        entities: Finds the names that are exported.
        capture: Takes in the transcripts of an import.
        attachments: The vault's attachments.
    """
    store, clock, vault = runtime.store, runtime.clock, runtime.store.vault
    unfinished = UnfinishedImports(store, clock)
    service = ExchangeService(
        lambda run_id: VaultSink(store, sessions, indexer, clock, run_id=run_id),
        VaultSource(store, memories.queries, memories.archive),
        lambda run_id: capture.new_sink(imported=ImportedSessions(run_id, indexer)),
        vault,
        KnownRecords(store).count,
        lambda: _all_names(entities),
        unfinished,
    )
    return ExchangeParts(service, CapsuleKeys(store, clock, vault), unfinished, ImportedFiles(store, attachments))


def build_note_folder(
    runtime: Runtime, indexer: Indexer, memories: MemoryParts, incognito: IncognitoSwitch
) -> NoteFolderWatch:
    """Build the following of a folder of notes.

    Args:
        runtime: What all parts share.
        indexer: Indexes notes as they are written.
        memories: The durable memories.
        incognito: Holds up the reading.
    """
    config = runtime.config
    mirror = NoteMirror(runtime.store, memories.service, indexer, runtime.clock, runtime.store.vault, runtime.publish)
    return NoteFolderWatch(
        mirror,
        partial(config.text, "capture.notes_folder"),
        lambda: config.text("capture.notes_folder_mode") == "both",
        lambda: incognito.is_on,
    )


async def _all_names(entities: EntityQueries) -> GraphView:
    access = Access.everything("person", "entity.graph")
    return await entities.graph(access, None, 1, MAX_EXPORTED_NAMES, GraphFilter())
