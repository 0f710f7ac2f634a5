"""State of sessions: sizes, goals and steps, recent messages, restoring for agents."""
