"""Settings sheet: a list of sections beside the settings and tools of the chosen one."""
