"""JSONL spans of what the engine does: names, counts and times; never content, never keys."""
