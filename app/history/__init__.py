"""History of canonical changes: entries, undo, and the past. Owns memory_history."""
