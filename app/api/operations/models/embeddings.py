"""Operations on what turns texts into vectors, for search by meaning."""

from functools import partial
from typing import Final

from app.api.caller import Caller
from app.api.registry import Count, operation
from app.changes import Area, Changed, ChangeSet
from app.engine import Engine
from app.evaluation.model import ModelComparison
from app.index.generations.model import EmbeddingStatus

_switch = partial(operation, access="write", owner_only=True, review="unrehearsed", kind="settings", undo="operation")

_AREAS: Final[frozenset[Area]] = frozenset({"settings", "index"})


@operation("embedding.status", owner_only=True)
async def status(engine: Engine, caller: Caller) -> EmbeddingStatus:
    """Return the embedding model in use and the one being prepared, with progress."""
    return await engine.index.embedding.status()


@_switch("embedding.change")
async def change(
    engine: Engine, caller: Caller, model: str, folder: str = "", waits: bool = False
) -> Changed[EmbeddingStatus]:
    """Choose another embedding model, and save it in the settings.

    Its vectors are made in the background while those of the old model answer searches; the old ones are kept for a
    week after the switch. A model that cannot be opened changes nothing. Address, key variable and vector length of a
    remote service are settings of the section ``embedding``, to be set before.

    Args:
        model: As in the setting ``embedding.model``.
        folder: Where the model's files lie; empty for its own place.
        waits: Let the old one answer also when the new one is complete, until ``embedding.switch``, so that
            ``embedding.compare`` can tell first which one finds more.
    """
    changed = await engine.index.embedding.change(model, folder, waits=waits)
    return Changed(changed, ChangeSet(_AREAS, (), caller.name))


@operation("embedding.pause", access="write", owner_only=True, review="free", kind="vault", undo="operation")
async def pause(engine: Engine, caller: Caller) -> EmbeddingStatus:
    """Pause the preparation of a new model, also over restarts; finished vectors stay."""
    return await engine.index.embedding.pause()


@operation("embedding.resume", access="write", owner_only=True, review="free", kind="vault", undo="operation")
async def resume(engine: Engine, caller: Caller) -> EmbeddingStatus:
    """Go on making a new model's vectors after a pause or a cancelled job."""
    return await engine.index.embedding.resume()


@_switch("embedding.switch")
async def switch(engine: Engine, caller: Caller) -> Changed[EmbeddingStatus]:
    """Switch to the model prepared with ``waits`` as soon as its vectors are complete."""
    return Changed(await engine.index.embedding.switch(), ChangeSet(_AREAS, (), caller.name))


@operation("embedding.compare", owner_only=True)
async def compare(
    engine: Engine,
    caller: Caller,
    other: Count | None = None,
    questions: Count = 60,
    recipe: str | None = None,
    job: str = "",
) -> ModelComparison:
    """Count the known answers that the model in use finds, and those of another.

    Nothing is changed or kept.

    The other one is ready and waits for ``embedding.switch``, or is kept since it served. The questions are made from
    the vault, and a remote service gets them only where private texts may be sent too; what was judged with
    ``trial.judge`` is always asked.

    Args:
        other: The number of the other vectors, as in ``embedding.status``; when left out those being prepared, else
            those that served last.
        questions: How many questions to make at most.
        recipe: How words and meaning are weighed; the setting ``search.recipe`` when left out.
        job: An id of the caller's own to watch and cancel it by.
    """
    with engine.jobs.running("Comparing models", "questions", job) as work:
        return await engine.evaluation.comparison.models(
            other, recipe or engine.config.text("search.recipe"), questions, work
        )


@_switch("embedding.rollback")
async def rollback(engine: Engine, caller: Caller, generation: Count | None = None) -> Changed[EmbeddingStatus]:
    """Cancel the model being prepared, or go back to the previous model.

    Going back is possible within a week of a switch.

    Searches use the earlier vectors at once; texts that came since are added to them in the background.

    Args:
        generation: The number of the vectors to go back to, where several are kept; what is being prepared is given up
            for them. See ``embedding.status``.
    """
    changed = await engine.index.embedding.rollback(generation)
    return Changed(changed, ChangeSet(_AREAS, (), caller.name))


@operation("embedding.advice", owner_only=True)
async def advice(engine: Engine, caller: Caller) -> str:
    """Return advice to use a multilingual model, from a sample of the vault's texts.

    Empty when the present model suits them.
    """
    return await engine.index.embedding.advice()
