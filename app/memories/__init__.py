"""Durable items: notes, facts, observations; their tags, links, history and undo."""
