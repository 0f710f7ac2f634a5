"""Commands that start at once: they ask a running host without loading the engine."""
