"""Settings of agents."""

from app.config.setting import Setting, whole

AGENTS = (
    Setting(
        "agents.isolated",
        "str",
        "",
        "Agents that get a vault of their own, separated by commas; the person's vault then has nothing of them.",
    ),
    whole("agents.rate", 200, 1, 100_000, "Calls a second that an agent may make in the long run."),
    whole("agents.burst", 400, 1, 1_000_000, "Calls that an agent may make at once after a rest."),
)
