"""When recurring work runs next, and what came of each run. Owns schedules and schedule_runs (canonical)."""
