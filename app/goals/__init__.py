"""Goals of schedules, pursued by a language model with tools of the catalogue."""
