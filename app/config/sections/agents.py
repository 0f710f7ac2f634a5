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
LEDGER = (
    Setting(
        "ledger.queries",
        "bool",
        False,
        "Keep the text of agents' searches in the ledger. When off, only a keyed hash of it, which nobody can read.",
    ),
    Setting("ledger.owner", "bool", False, "Record the calls of your own programs too, such as the window's."),
    Setting("ledger.days", "int", 365, "Days after which calls leave the ledger.", minimum=1, maximum=36_500),
    Setting(
        "ledger.entries",
        "int",
        200_000,
        "Calls that the ledger keeps at most. Beyond, the oldest of whoever made most of them leave first.",
        minimum=1000,
        maximum=100_000_000,
    ),
)
