"""The schedule pane."""
