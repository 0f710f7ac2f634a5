"""Segments: what a lane changed, captured, written as text, sealed, chained and read."""
