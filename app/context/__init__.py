"""Context for agents: what one is told before a turn, section by section, within a budget of tokens."""
