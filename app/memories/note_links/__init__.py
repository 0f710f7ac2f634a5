"""Links between notes: their table, new titles, and titles that are named without one."""
