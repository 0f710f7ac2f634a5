"""Idempotent writes: a caller's key, so that repeating a write stores nothing twice."""
