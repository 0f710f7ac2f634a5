"""The graph pane."""
