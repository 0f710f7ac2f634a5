"""Parts of the weekly reflection."""

from functools import partial

from app.config.config import Config
from app.llm.chat_model import ChatModel
from app.memories.unit_of_work import MemoryUnitOfWork
from app.memories.writer import MemoryIndex
from app.runtime import Runtime
from app.upkeep.reflection.model import ReflectionOptions
from app.upkeep.reflection.week_reader import WeekReader
from app.upkeep.reflection.weekly_reflection import WeeklyReflection


def build(runtime: Runtime, index: MemoryIndex, model: ChatModel) -> WeeklyReflection:
    """Build the job.

    Args:
        runtime: What all parts share.
        index: Indexes memories as they are written.
        model: The language model.
    """
    transactions = MemoryUnitOfWork(runtime.store, index, runtime.clock)
    reader = WeekReader(runtime.store, runtime.clock)
    return WeeklyReflection(transactions, reader, model, partial(_options, runtime.config))


def _options(config: Config) -> ReflectionOptions:
    return ReflectionOptions(
        config.flag("reflection.enabled"),
        config.text("reflection.day"),
        config.text("reflection.time"),
        config.whole("reflection.min_facts"),
        config.whole("reflection.min_days"),
        config.whole("reflection.days"),
        config.whole("reflection.limit"),
    )
