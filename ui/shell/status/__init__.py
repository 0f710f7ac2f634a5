"""Status line of the window: what Keepsake is doing, and who else writes."""
