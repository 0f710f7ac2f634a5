"""Settings of conversations."""

from app.config.setting import Setting

SESSIONS = (
    Setting(
        "sessions.budget",
        "int",
        8000,
        "Tokens of a conversation that agents are given back.",
        minimum=200,
        maximum=900_000,
    ),
    Setting(
        "sessions.max_history",
        "int",
        100,
        "Messages of a conversation that agents are given.",
        minimum=1,
        maximum=100_000,
    ),
    Setting(
        "sessions.summariser",
        "choice",
        "condensed",
        "What stands for the older messages of a long conversation: a list of them, one sentence each; a summary by the"
        " language model, or the list where there is none; or nothing.",
        choices=("condensed", "model", "none"),
    ),
    Setting(
        "sessions.summary_trigger",
        "float",
        0.8,
        "Share of the budget above which older messages are condensed.",
        minimum=0.1,
        maximum=1,
    ),
    Setting(
        "sessions.summary_target",
        "float",
        0.5,
        "Share of the budget that messages take at most once older ones are condensed.",
        minimum=0.05,
        maximum=0.95,
    ),
    Setting(
        "sessions.summary_min_turns", "int", 4, "Messages without which nothing is condensed.", minimum=1, maximum=1000
    ),
    Setting(
        "sessions.retain_recent", "int", 20, "Messages that a compaction leaves as they are.", minimum=0, maximum=10_000
    ),
    Setting("sessions.emergency_retain", "int", 4, "Messages that an emergency leaves.", minimum=0, maximum=10_000),
    Setting(
        "sessions.working_turns",
        "int",
        50,
        "Messages of each conversation in use that are held in memory.",
        minimum=1,
        maximum=1000,
        restart=True,
    ),
    Setting(
        "sessions.write_behind_queue",
        "int",
        1000,
        "Appends that may wait for agents that do not.",
        minimum=1,
        maximum=100_000,
        restart=True,
    ),
    Setting(
        "sessions.after_turn", "bool", True, "Bring the summaries of a conversation up to date once it falls quiet."
    ),
    Setting(
        "sessions.quiet_seconds",
        "float",
        2.0,
        "Seconds without a turn after which a conversation counts as quiet.",
        minimum=0,
        maximum=3600,
    ),
    Setting(
        "sessions.excluded_agents",
        "str",
        "",
        "Agents whose conversations are not stored, separated by commas.",
        critical=True,
        old_names=("sessions.not_kept",),
    ),
)
