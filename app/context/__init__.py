"""Context for agents: recalled messages and memories before a turn, within a token budget."""
