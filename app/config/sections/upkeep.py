"""Settings of recurring work: consolidation, reflection, enrichment, decay, retention and schedules."""

from app.config.setting import Setting, fraction, switch, time_of_day, whole

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

CONSOLIDATION = (
    switch("consolidation.enabled", True, "Extract facts from conversations that have ended.", critical=True),
    switch("consolidation.on_switch", True, "Consolidate a conversation when the next one begins."),
    whole("consolidation.every_hours", 6, 1, 168, "Hours between two searches for conversations to consolidate."),
    time_of_day("consolidation.time", "03:00", "Time at which remaining conversations are consolidated."),
    whole("consolidation.page", 30, 1, 500, "Messages consolidated in one step."),
)

ENRICHMENT = (
    switch(
        "enrichment.enabled",
        True,
        "Search memories and messages with few names again, and propose merges of entities.",
        critical=True,
    ),
    time_of_day("enrichment.time", "02:00", "When that is done each night."),
    whole("enrichment.max_entities", 2, 0, 100, "Names up to which a memory or message has few."),
    whole("enrichment.limit", 50, 1, 10_000, "Memories and messages searched in one run."),
)

REFLECTION = (
    switch("reflection.enabled", True, "Write a reflection on the week.", critical=True),
    Setting("reflection.day", "choice", "sunday", "The day it is written.", choices=_DAYS),
    time_of_day("reflection.time", "03:00", "When it is written on that day."),
    whole("reflection.min_facts", 3, 1, 1000, "Facts of the past days without which none is written."),
    whole("reflection.min_days", 6, 0, 365, "Days since the last one without which none is written."),
    whole("reflection.days", 7, 1, 365, "Days it looks back."),
    whole("reflection.limit", 200, 1, 10_000, "Memories it looks at."),
)

DECAY = (
    switch("decay.enabled", True, "Let facts that are not used lose confidence.", critical=True),
    time_of_day("decay.time", "04:00", "When that is done each night, unless its schedule was moved."),
    fraction("decay.threshold", 0.05, 0, 1, "Confidence below which a fact is set aside; that can be undone."),
    fraction("decay.max_share", 0.2, 0.01, 1, "Share of the facts that one run sets aside at most."),
    fraction("decay.max_share_month", 0.3, 0.01, 1, "Share of the facts that the runs of 30 days set aside at most."),
)

RETENTION = (
    switch("retention.enabled", True, "Compress and archive old observations.", critical=True),
    time_of_day("retention.time", "04:15", "When that is done each night, unless its schedule was moved."),
    whole("retention.compress_after_days", 14, 1, 36_500, "Days after which similar observations become one digest."),
    whole("retention.compression_min_cluster_size", 3, 2, 1000, "Number of similar observations that make a digest."),
    whole("retention.archive_after_days", 30, 1, 36_500, "Days after which an observation goes to the archive."),
    whole(
        "retention.delete_archive_after_days",
        365,
        1,
        36_500,
        "Days in the archive after which an observation is deleted; notes never are.",
        critical=True,
    ),
    whole("retention.max_rows_per_run", 200, 1, 100_000, "Rows that each stage of one run changes at most."),
)

HOUSEKEEPING = (
    switch("housekeeping.enabled", True, "Care for the database at night, and verify the latest backup."),
    time_of_day("housekeeping.time", "04:30", "When that is done, unless its schedule was moved."),
)
