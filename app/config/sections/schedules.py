"""Settings of schedules, and of goals that a language model pursues."""

from app.config.setting import Setting, fraction, whole

SCHEDULE = (
    whole("schedule.min_interval", 60, 1, 86_400, "Minimum seconds between two runs of a schedule."),
    whole("schedule.poll", 30, 1, 3600, "Seconds between two checks for due schedules."),
    whole("schedule.failures_to_pause", 5, 1, 100, "Failures in a row after which a schedule pauses."),
    whole("schedule.summary_characters", 500, 50, 10_000, "Characters of a run's output shown in its summary."),
    whole("schedule.keep_runs", 200, 1, 100_000, "Runs of a schedule that are kept."),
    Setting(
        "schedule.on_battery",
        "choice",
        "wait",
        "Whether heavy work waits for mains power, a day at most, or runs on battery too.",
        choices=("wait", "run"),
    ),
    Setting(
        "schedule.on_metered",
        "choice",
        "wait",
        "Whether goals wait while the connection is paid by volume, a day at most, or run on it too.",
        choices=("wait", "run"),
    ),
)

GOALS = (
    whole("goals.max_turns", 20, 1, 200, "Turns of a language model that one run of a goal takes at most."),
    fraction("goals.max_cost", 0.5, 0.001, 1000, "Cost of one run of a goal at most, in the currency of the prices."),
    whole("goals.time_limit", 600, 10, 86_400, "Seconds that one run of a goal takes at most."),
    whole("goals.answer_characters", 12_000, 500, 200_000, "Characters of a tool's answer that the model reads."),
)
