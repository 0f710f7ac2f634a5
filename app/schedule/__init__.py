"""Schedules: recurring work, its next run and its past runs.

Owns the tables schedules and schedule_runs (canonical).
"""
