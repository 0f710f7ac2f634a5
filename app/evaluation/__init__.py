"""Evaluation of search: comparison of two models, and judgements of the person."""
