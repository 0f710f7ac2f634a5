"""Settings of decay as the rules that they make."""

from app.config.config import Config
from app.memories.decay.decay_rules import DecayRules


def decay_rules(config: Config) -> DecayRules:
    """Return the rules of decay that the settings make."""
    return DecayRules(
        config.number("decay.threshold"), config.number("decay.max_share"), config.number("decay.max_share_month")
    )
