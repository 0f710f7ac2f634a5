"""The Notes pane: every memory, to read, write and tidy."""
