"""Deduplication of memories: exact, similar, and reconciled by a model where there is one."""
