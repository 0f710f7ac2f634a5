"""Columns of the chunks: arrays in memory that are read once and extended."""
