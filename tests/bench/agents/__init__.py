"""Benchmark of many agents at the socket of one host."""
