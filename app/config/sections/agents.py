"""Settings of agents."""

from app.config.setting import Setting

AGENTS = (
    Setting(
        "agents.isolated",
        "str",
        "",
        "Agents that get a vault of their own, separated by commas; the person's vault then has nothing of them.",
    ),
)
