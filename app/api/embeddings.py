"""Operations on what turns texts into vectors, for search by meaning."""

from app.api.caller import Caller
from app.api.declare import operation
from app.changes import Changed, ChangeSet
from app.engine import Engine
from app.index.generations_model import EmbeddingStatus

_AREAS = frozenset({"settings", "index"})


@operation("embedding.status", trust="full")
async def status(engine: Engine, caller: Caller) -> EmbeddingStatus:
    """Return what answers searches by meaning, what is being made to take its place, and how far that is."""
    return await engine.embedding.status()


@operation("embedding.change", access="write", trust="full")
async def change(engine: Engine, caller: Caller, model: str, folder: str = "") -> Changed[EmbeddingStatus]:
    """Choose another embedding model, and save it in the settings.

    Its vectors are made in the background while those of the old model answer searches; the old ones are kept for a
    week after the switch. A model that cannot be opened changes nothing. Address, key variable and vector length of a
    remote service are settings of the section ``embedding``, to be set before.

    Args:
        model: As in the setting ``embedding.model``.
        folder: Where the model's files lie; empty for its own place.
    """
    changed = await engine.embedding.change(model, folder)
    return Changed(changed, ChangeSet(_AREAS, (), caller.name))


@operation("embedding.pause", access="write", trust="full")
async def pause(engine: Engine, caller: Caller) -> EmbeddingStatus:
    """Let the making of a new model's vectors rest, over restarts too; what is there stays."""
    return await engine.embedding.pause()


@operation("embedding.resume", access="write", trust="full")
async def resume(engine: Engine, caller: Caller) -> EmbeddingStatus:
    """Go on making a new model's vectors after a pause or a cancelled job."""
    return await engine.embedding.resume()


@operation("embedding.rollback", access="write", trust="full")
async def rollback(engine: Engine, caller: Caller) -> Changed[EmbeddingStatus]:
    """Give up the model being prepared, or, within a week of a switch, go back to the one before.

    Searches use the earlier vectors at once; texts that came since are added to them in the background.
    """
    changed = await engine.embedding.rollback()
    return Changed(changed, ChangeSet(_AREAS, (), caller.name))


@operation("embedding.advice", trust="full")
async def advice(engine: Engine, caller: Caller) -> str:
    """Say whether a multilingual model would suit the vault, judged by a sample of its texts; empty when not."""
    return await engine.embedding.advice()
