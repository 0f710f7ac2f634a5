"""The window's frame: sidebar, top bar, panes, status line, navigation."""
