"""Tests of what the benchmarks count with."""
