"""Consolidation: draws lasting facts from conversations, page by page."""
