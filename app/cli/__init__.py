"""``keepsake`` on the command line."""
