"""Options of schedules, read from the settings for each piece of work."""

from dataclasses import dataclass

from app.config.config import Config


@dataclass(frozen=True, slots=True)
class ScheduleOptions:
    """Options of schedules.

    Args:
        min_interval_s: Minimum seconds between two runs of a schedule.
        poll_s: Seconds between two checks for due schedules.
        failures_to_pause: Failures in a row after which a schedule is paused.
        summary_characters: Characters of a run's output in its summary.
        keep_runs: Runs of a schedule that are kept.
        waits_on_battery: Whether heavy work waits for mains power.
        waits_on_metered: Whether goals wait for a connection that is not paid by volume.
    """

    min_interval_s: float = 60
    poll_s: float = 30
    failures_to_pause: int = 5
    summary_characters: int = 500
    keep_runs: int = 200
    waits_on_battery: bool = True
    waits_on_metered: bool = True


def schedule_options(config: Config) -> ScheduleOptions:
    """Return the options that the settings give."""
    return ScheduleOptions(
        min_interval_s=config.number("schedule.min_interval"),
        poll_s=config.number("schedule.poll"),
        failures_to_pause=config.whole("schedule.failures_to_pause"),
        summary_characters=config.whole("schedule.summary_characters"),
        keep_runs=config.whole("schedule.keep_runs"),
        waits_on_battery=config.text("schedule.on_battery") == "wait",
        waits_on_metered=config.text("schedule.on_metered") == "wait",
    )
