"""Modes of writing operations: which of them wait in the inbox."""

from dataclasses import dataclass
from typing import Final, Literal

Mode = Literal["content", "conversation", "unrehearsed", "free", "refused"]


@dataclass(frozen=True, slots=True)
class WriteMode:
    """Review mode of an operation.

    Args:
        mode: ``content`` is rehearsed, so that mistakes are told at once and the person sees what would change;
            ``conversation`` is free in conversations with the caller itself; ``unrehearsed`` waits as it was called;
            ``free`` never waits; ``refused`` is not for agents under review.
        kind: What it is about where its changes do not tell.
    """

    mode: Mode
    kind: str


def _each(mode: Mode, kind: str, *names: str) -> dict[str, WriteMode]:
    return dict.fromkeys(names, WriteMode(mode, kind))


UNKNOWN: Final = WriteMode("content", "other")

WRITE_MODES: Final[dict[str, WriteMode]] = (
    _each("content", "note", "note.save", "note.update", "note.delete", "note.restore", "note.pin")
    | _each("content", "note", "note.delete_many", "note.tag_many", "tag.rename", "tag.merge")
    | _each("content", "note", "note.change_many", "note.merge", "note.from_template", "note.link_mention")
    | _each("content", "note", "archive.put", "archive.restore", "memory.undo")
    | _each("content", "fact", "fact.remember", "fact.set", "fact.correct", "fact.confirm", "fact.forget")
    | _each("content", "fact", "fact.batch", "fact.resolve")
    | _each("content", "observation", "memory.write")
    | _each("content", "observation", "graph.add_observations", "graph.delete_observations")
    | _each("content", "entity", "graph.create_entities", "graph.create_relations")
    | _each("content", "entity", "graph.delete_entities", "graph.delete_relations")
    | _each("content", "reflection", "reflection.save")
    | _each(
        "content",
        "session",
        "session.rename",
        "session.forget",
        "session.forget_many",
        "session.purge",
        "session.summary.set",
    )
    | _each("content", "entity", "entity.merge", "entity.split", "entity.rename", "entity.relate")
    | _each("content", "entity", "entity.unrelate", "entity.protect")
    | _each("content", "note", "upkeep.undo", "upkeep.undo_night", "history.undo", "history.step")
    | _each("content", "schedule", "schedule.create", "schedule.update", "schedule.delete", "schedule.prune")
    | _each("conversation", "session", "session.append", "session.append_later")
    # Their work goes on outside one transaction, or leaves the vault.
    | _each("unrehearsed", "note", "memory.forget_forever", "archive.clean", "exchange.import", "exchange.dismiss")
    | _each("unrehearsed", "settings", "settings.set", "embedding.change", "embedding.switch", "embedding.rollback")
    | _each("unrehearsed", "settings", "saved_search.save", "saved_search.rename", "saved_search.delete")
    | _each("unrehearsed", "settings", "saved_search.order")
    | _each("unrehearsed", "vault", "backup.restore", "upkeep.run", "session.consolidate", "health.fix")
    # Their arguments must not lie in the vault.
    | _each("refused", "settings", "secret.set", "secret.remove", "connection.write", "connection.remove")
    | _each("refused", "settings", "encryption.encrypt", "encryption.decrypt", "encryption.change")
    | _each("refused", "settings", "encryption.remember", "encryption.forget")
    | _each("refused", "note", "attachment.add")
    # What an agent keeps for itself, and care that changes no content.
    | _each("free", "session", "session.create", "session.scratchpad.write", "session.scratchpad.clear")
    | _each("free", "session", "session.summary.roll", "session.compact", "session.consolidated", "session.digest.roll")
    | _each("free", "session", "capture.part")
    | _each("free", "entity", "entity.place")
    | _each("free", "agent", "agent.request_access")
    | _each("free", "vault", "vault.repair", "vault.backup", "vault.reindex", "backup.now", "backup.cancel_restore")
    | _each("free", "vault", "embedding.pause", "embedding.resume", "job.cancel", "job.pause", "job.resume")
    | _each("free", "vault", "trial.run", "trial.judge", "upkeep.cancel")
    | _each("free", "schedule", "schedule.run_now", "schedule.claim", "schedule.heartbeat", "schedule.report")
    | _each("free", "schedule", "schedule.notes_shown")
)
