"""Ranking of candidates: features, recipes, rankers."""
