"""Settings of agents."""

from app.config.setting import Setting, whole

AGENTS = (
    Setting(
        "agents.isolated",
        "str",
        "",
        "Agents that get a vault of their own, separated by commas; the person's vault then has nothing of them.",
    ),
    whole("inbox.days", 30, 1, 3650, "Days that a proposal of an agent waits for you before it expires."),
)
