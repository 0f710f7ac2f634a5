"""The calendar of the Notes pane: days with notes and conversations."""
