"""Queries about entities: lists, profiles, graph, people, and snapshots of the past."""
