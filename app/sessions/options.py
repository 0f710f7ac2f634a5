"""Session options, read from the settings each time they change.

A changed setting therefore takes effect at once.
"""

from functools import lru_cache

from app.config.config import Config
from app.sessions.compaction.compaction_plan import SessionOptions


def session_options(config: Config) -> SessionOptions:
    """Return the session options that ``config`` sets."""
    return _options_at(config, config.version)


@lru_cache(maxsize=8)  # vaults that are open at once; every message asks
def _options_at(config: Config, _version: int) -> SessionOptions:
    names = (name.strip() for name in config.text("sessions.excluded_agents").split(","))
    return SessionOptions(
        budget=int(config.number("sessions.budget")),
        trigger=config.number("sessions.summary_trigger"),
        target=config.number("sessions.summary_target"),
        min_messages=int(config.number("sessions.summary_min_turns")),
        retain=int(config.number("sessions.retain_recent")),
        emergency_retain=int(config.number("sessions.emergency_retain")),
        max_history=int(config.number("sessions.max_history")),
        working_messages=int(config.number("sessions.working_turns")),
        queue=int(config.number("sessions.write_behind_queue")),
        is_condensing=config.text("sessions.summariser") != "none",
        excluded_agents=frozenset(name for name in names if name),
        after_turn=config.flag("sessions.after_turn"),
        quiet_s=config.number("sessions.quiet_seconds"),
        captures=config.flag("capture.enabled"),
        capture_messages=int(config.number("capture.min_turn_messages")),
    )
