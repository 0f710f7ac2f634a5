"""Vectors of chunks: tables of sqlite-vec, and a quantized cache in front of them."""
