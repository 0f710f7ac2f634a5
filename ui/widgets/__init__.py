"""Parts used by more than one pane."""
