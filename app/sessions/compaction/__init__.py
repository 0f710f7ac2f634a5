"""Compaction of conversations: rolling summaries and what fits a model's budget."""
