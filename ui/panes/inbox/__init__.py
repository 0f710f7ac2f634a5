"""Inbox pane: what agents propose, and what Keepsake did last night."""
