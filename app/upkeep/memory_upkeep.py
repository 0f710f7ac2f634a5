"""Upkeep of memories: builds the jobs decay and retention."""

from functools import partial

from app.config.config import Config
from app.llm.chat_model import ChatModel
from app.llm.prompts import load_prompt
from app.memories.decay.decay_settings import decay_rules
from app.memories.digests.compression import CompressionService
from app.memories.digests.digest_writer import DigestWriter
from app.memories.parts import MemoryParts
from app.memories.unit_of_work import MemoryUnitOfWork
from app.runtime import Runtime
from app.upkeep.fact_decay import FactDecay
from app.upkeep.retention import Retention, RetentionOptions
from app.upkeep.upkeep_job import UpkeepJob


def build(
    runtime: Runtime, transactions: MemoryUnitOfWork, memories: MemoryParts, chat: ChatModel
) -> tuple[UpkeepJob, ...]:
    """Build the jobs that look after memories.

    Args:
        runtime: What all parts share.
        transactions: Opens transactions that write memories.
        memories: The parts of the memories.
        chat: The language model.
    """
    config = runtime.config
    decay = FactDecay(
        transactions,
        partial(config.flag, "decay.enabled"),
        partial(config.text, "decay.time"),
        partial(decay_rules, config),
    )
    retention = Retention(
        CompressionService(transactions),
        DigestWriter(chat, _instructions),
        memories.archive,
        memories.queries,
        runtime.clock,
        partial(_options, config),
    )
    return decay, retention


def _instructions() -> str:
    return load_prompt("compress").text


def _options(config: Config) -> RetentionOptions:
    return RetentionOptions(
        config.flag("retention.enabled"),
        config.text("retention.time"),
        config.whole("retention.compress_after_days"),
        config.whole("retention.compression_min_cluster_size"),
        config.whole("retention.archive_after_days"),
        config.whole("retention.delete_archive_after_days"),
        config.whole("retention.max_rows_per_run"),
    )
