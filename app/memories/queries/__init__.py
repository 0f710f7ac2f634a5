"""Queries about memories: lists, facts, timeline, statistics, and snapshots of the past."""
