"""Forgetting for ever: the one thing that cannot be undone."""

from dataclasses import replace

from app.api.caller import Caller
from app.api.registry import Count, operation
from app.attachments.repo import mentioned_only_by
from app.changes import Changed
from app.engine import Engine
from app.erasure.model import BackupChoice, ErasureReceipt


@operation(
    "memory.forget_forever",
    access="write",
    owner_only=True,
    destructive=True,
    review="unrehearsed",
    kind="note",
    positional=("ids",),
    erases=True,
    undo="none",
    sentence="Used your memories",
)
async def forget_forever(
    engine: Engine,
    caller: Caller,
    ids: list[str] = [],  # noqa: B006  (never changed; the registry copies defaults)
    sessions: list[str] = [],  # noqa: B006
    confirm: bool = False,
    backups: BackupChoice = "keep",
    job: str = "",
) -> Changed[ErasureReceipt]:
    """Erase memories, whole conversations and the like for ever and return a receipt.

    They are removed down to the bytes of the file.

    Row, search entries, words, vectors, tags, links, sources, history, archive copies, summaries, import records and
    names that only they gave are removed and overwritten, and the raw file is searched for what they said. What others
    say of them is not touched: memories drawn from them or quoting them are named in the receipt as left. The receipt
    holds ids and numbers, nothing of the text. If Keepsake is killed meanwhile, its next start finishes the work.

    Attachments that no other memory, now or in its history, and no other conversation mentions are deleted too, and
    their copies beside the backups unless backups are kept.

    Args:
        ids: Memories of any kind: active, deleted or archived; schedules with their runs, and saved searches, deleted
            ones too. What was forgotten before may be named again to clean the copies that were kept then.
        sessions: Conversations with all their messages, forgotten ones too.
        confirm: Must be true: nothing can bring them back.
        backups: What to do with copies that hold them, which are backups, a restore that waits, and files set aside
            as damaged or replaced: ``keep``, ``rewrite`` each without them, or ``delete``.
        job: An id of the caller's own to watch it by.
    """
    with engine.jobs.running("Forgetting for ever", "rows", job) as work:
        only_theirs = await engine.store.read(lambda connection: mentioned_only_by(connection, ids, sessions))
        done = await engine.erasure.forget(
            ids,
            sessions,
            confirm=confirm,
            actor=caller.name,
            backups=backups,
            progress=lambda removed: work.advance(removed, None),
        )
        await engine.attachments.remove(only_theirs, backups=backups != "keep")
        work.outcome = "finished"  # it cannot be cancelled
    (receipt,) = await engine.sync.devices.with_answers([done.value])
    return replace(done, value=receipt)


@operation("memory.receipts", owner_only=True, sentence="Used your memories")
async def receipts(engine: Engine, caller: Caller, limit: Count = 50) -> list[ErasureReceipt]:
    """Return the receipts of erasures, newest first; an unfinished one is pending.

    Where other machines share the vault, each says which of them have not forgotten it yet.

    Args:
        limit: How many at most.
    """
    return await engine.sync.devices.with_answers(await engine.erasure.receipts(limit))
