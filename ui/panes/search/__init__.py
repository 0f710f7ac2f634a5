"""The Search pane: ask, narrow, see why, open."""
