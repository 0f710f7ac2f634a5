"""Enrichment: a second, accurate search for names in texts that have few."""
