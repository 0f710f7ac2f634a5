"""Settings of the vault's own keeping: database, backups and trace."""

from app.config.setting import fraction, switch, whole

STORE = (
    fraction("store.read_limit", 10.0, 0.1, 600, "Seconds after which a read is stopped."),
    whole(
        "store.busy_timeout",
        5000,
        0,
        600_000,
        "Milliseconds to wait while another program holds the database.",
        restart=True,
    ),
    switch(
        "store.wal",
        True,
        "Let reads go on while something is written; off, for file systems that cannot share memory, is far slower.",
        restart=True,
    ),
    whole("store.readers", 4, 1, 16, "Reads that run side by side.", restart=True),
)

BACKUP = (
    switch("backup.before_import", False, "Back the vault up before each import."),
    switch("backup.daily", True, "Back the vault up once a day."),
    whole("backup.keep_daily", 7, 1, 365, "Daily backups that are kept."),
    whole("backup.keep_weekly", 4, 0, 520, "Weekly backups that are kept."),
    whole("backup.keep_monthly", 6, 0, 240, "Monthly backups that are kept."),
)

TRACE = (
    switch("trace.enabled", True, "Keep a log of what the engine does, never of content.", restart=True),
    whole("trace.megabytes", 4, 1, 1024, "Size at which a file of the trace is set aside for a new one.", restart=True),
    whole("trace.keep", 3, 1, 100, "Older files of the trace that are kept.", restart=True),
)
