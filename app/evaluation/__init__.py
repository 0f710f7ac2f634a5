"""Evaluation of search: benchmarks on the person's own vault, and comparisons of models and rankings."""
