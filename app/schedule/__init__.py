"""Scheduler of recurring work. Owns schedules and schedule_runs (canonical)."""
