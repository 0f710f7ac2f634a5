"""Options of schedules, read from the settings for each piece of work."""

from dataclasses import dataclass

from app.config.config import Config


@dataclass(frozen=True, slots=True)
class ScheduleOptions:
    """Options of schedules.

    Args:
        min_interval_s: Seconds between two runs of a schedule at least.
        poll_s: Seconds between two looks for due schedules.
        failures_to_pause: Failures in a row after which a schedule is paused.
        summary_characters: Characters of a run's output in its summary.
        keep_runs: Runs of a schedule that are kept.
    """

    min_interval_s: float = 60
    poll_s: float = 30
    failures_to_pause: int = 5
    summary_characters: int = 500
    keep_runs: int = 200


def schedule_options(config: Config) -> ScheduleOptions:
    """Return the options that the settings give."""
    return ScheduleOptions(
        min_interval_s=config.number("schedule.min_interval"),
        poll_s=config.number("schedule.poll"),
        failures_to_pause=config.whole("schedule.failures_to_pause"),
        summary_characters=config.whole("schedule.summary_characters"),
        keep_runs=config.whole("schedule.keep_runs"),
    )
